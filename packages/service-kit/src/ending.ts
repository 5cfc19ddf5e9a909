import { type Static, Type } from 'typebox';

/** A kind of things that ends with a change, and how many of them, where that is known. */
export const Ending = Type.Object({
  what: Type.Enum(['access_tokens', 'refresh_tokens', 'codes', 'consents', 'sessions']),
  count: Type.Optional(Type.Integer()),
  count_is_exact: Type.Optional(
    Type.Boolean({ description: 'Where false, there may be more; of access_tokens fewer' }),
  ),
});
export type Ending = Static<typeof Ending>;
