import { expect, it } from '@jest/globals';
import { Type } from 'typebox';
import { createQueryValidator, pageLength } from '../src/http/check-query.ts';

const check = createQueryValidator({ schema: Type.Object({ limit: pageLength, name: Type.Optional(Type.String()) }) });

it.each([
  ['1', 1],
  ['050', 50],
  ['200', 200],
  [undefined, 50],
])('a list takes digits as its limit: %j', (limit, value) => {
  expect(check({ name: 'a', ...(limit === undefined ? {} : { limit }) })).toEqual({
    value: { name: 'a', limit: value },
  });
});

it.each(['0', '201', '', ' 5', '+5', '5.0', '1e2', '0x10', '00005', 'five', '٥'])(
  'a list takes nothing else as its limit: %j',
  (limit) => {
    const errors = [{ field: 'limit', detail: 'must be an integer from 1 to 200' }];
    expect(check({ limit })).toEqual({ error: expect.objectContaining({ status: 400, errors }) });
  },
);

it('a query without pages takes no limit, and has none of itself', () => {
  const checkName = createQueryValidator({ schema: Type.Object({ name: Type.String() }) });
  expect(checkName({ name: 'a' })).toEqual({ value: { name: 'a' } });
  const refused = checkName({ name: 'a', limit: '5' });
  expect(refused).toMatchObject({ error: { status: 400, errors: [{ field: 'limit' }] } });
});
