import { scopeTokenPattern } from '@gatehouse/shared';
import { type Static, Type } from 'typebox';
import { grantTypesByToken, usualGrantTypes } from './dynamic-client-rules.ts';

const mostUses = 10_000;
/** Seconds. */
const longestLifetime = 30 * 86_400;

/** The body of `POST /registration-tokens`. */
export const NewInitialToken = Type.Object(
  {
    uses: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: mostUses,
        default: 1,
        description: 'Clients that may be registered by it',
        expected: `be an integer from 1 to ${mostUses}`,
      }),
    ),
    expires_in: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: longestLifetime,
        default: 86_400,
        description: 'Seconds',
        expected: `be an integer number of seconds from 1 to ${longestLifetime}`,
      }),
    ),
    grant_types: Type.Optional(
      Type.Array(Type.Enum([...grantTypesByToken]), {
        minItems: 1,
        uniqueItems: true,
        default: [...usualGrantTypes],
        description: 'Grant types that its clients may have',
        expected: `be an array of at least one of ${grantTypesByToken.join(', ')}, without repeats`,
      }),
    ),
    scope: Type.Optional(
      Type.Union(
        [
          Type.String({ minLength: 1, maxLength: 2048 }),
          Type.Array(Type.String({ pattern: scopeTokenPattern, maxLength: 255 }), { minItems: 1, maxItems: 200 }),
        ],
        {
          description: 'Scopes that its clients may have, as one string or as a list; all that are open where left out',
          expected: 'be scopes separated by spaces, or an array of 1–200 scopes',
        },
      ),
    ),
    resources: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 2048 }), {
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
        description: 'URIs of resources that its clients may ask for; all that are open where left out',
        expected: 'be an array of 1–100 URIs of resources that are open to dynamic clients, without repeats',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ uses: 10, expires_in: 3600 }] },
);
export type NewInitialToken = Static<typeof NewInitialToken>;
