import { describe, expect, it } from '@jest/globals';
import { Type } from 'typebox';
import { createFieldsChecker } from '../src/check-fields.ts';
import { NewUser } from '../src/user.ts';

const describeFaults = (schema: Parameters<typeof createFieldsChecker>[0], body: object) => {
  const result = createFieldsChecker(schema)(body);
  return result.ok ? [] : result.errors.map(({ field, detail }) => `${field} ${detail}`);
};

describe('an unknown field of a body', () => {
  const user = { username: 'user@example.com' };

  it.each([
    ['user_type', 'userType'],
    ['UserType', 'userType'],
    ['usertyp', 'userType'],
    ['first-name', 'firstName'],
  ])('%s is said to mean %s', (name, meant) => {
    expect(describeFaults(NewUser, { ...user, [name]: 'x' })).toEqual([
      `${name} is not a known field; did you mean ${meant}?`,
    ]);
  });

  // The last word of several fields means none of them.
  it.each(['surprise', 'name', '__proto__', 'x'.repeat(65)])('%s is said to mean none', (name) => {
    const body = JSON.parse(JSON.stringify(user).replace('{', `{"${name}":1,`));
    expect(describeFaults(NewUser, body)).toEqual([expect.stringMatching(/ is not a known field$/)]);
  });

  it('is compared where it is one of the first ten, so that thousands cost no time', () => {
    const schema = Type.Object({ colour: Type.Optional(Type.String()) });
    const body = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`colou${index % 10}${index}`, 1]));
    const faults = describeFaults(schema, { ...body, colours: 1 });
    expect(faults).toHaveLength(5_001);
    expect(faults.at(-1)).toBe('colours is not a known field');
  });
});
