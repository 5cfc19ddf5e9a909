import { Type } from 'typebox';

const expected = 'be 1–64 characters of a-z, 0-9 and -, and not configuration';

/** The project whose files describe an object. `configuration` means the built-in ones. */
export const managedBy = Type.String({
  pattern: '^(?!configuration$)[a-z0-9-]{1,64}$',
  description: 'The project that administers it',
  expected,
});

/** The same in a change; null takes it away. */
export const managedByOrNull = Type.Union([managedBy, Type.Null()], { expected: `${expected}, or null` });
