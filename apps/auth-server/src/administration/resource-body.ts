import {
  groupName,
  levelSchema,
  levels,
  managedBy,
  managedByOrNull,
  maximumAccessTokenValidity,
  namePattern,
  scopeTokenPattern,
} from '@gatehouse/shared';
import { type Static, Type } from 'typebox';
import { taggedMembers } from './tagged-members.ts';

/** The most scopes of a resource, and the most characters of a scope's name. */
export const mostScopes = 100;
const longestScope = 128;

const nameExpected = 'be a string of 1–128 characters without control or direction characters';
const name = Type.String({ pattern: namePattern, description: 'Name that users see', expected: nameExpected });
const nameOrNull = Type.Union([name, Type.Null()], { expected: `${nameExpected}, or null` });
const description = Type.String({ pattern: descriptionPattern(), description: 'What it allows, in words for users' });
const scopes = Type.Array(
  Type.Object(
    {
      name: Type.String({ pattern: scopeTokenPattern, maxLength: longestScope, description: 'RFC 6749 3.3' }),
      description: Type.Optional(description),
    },
    { ...taggedMembers('description', description), additionalProperties: false },
  ),
  {
    maxItems: mostScopes,
    description: 'The scopes of the API. Their names are unique over all resources',
    expected: `be an array of at most ${mostScopes} objects { name, description, description#… }: name a scope of at most ${longestScope} characters (RFC 6749 3.3), each description at most 200 characters without control or direction characters, # and a language tag (BCP 47) behind the name of one in another language`,
  },
);
const accessTokenValidity = Type.Integer({
  minimum: 1,
  maximum: maximumAccessTokenValidity,
  description: 'Seconds for which its access tokens are valid at most; the client’s setting alone where left out',
  expected: `be an integer number of seconds from 1 to ${maximumAccessTokenValidity}`,
});
const levelExpected = `be one of ${levels.join(', ')}`;
const requiredAcr = levelSchema(`The lowest level by which users sign in for it: ${levels.join(', ')}`);
const maxAgeExpected = 'be an integer number of seconds from 60 to 86400';
const maxAge = Type.Integer({
  minimum: 60,
  maximum: 86_400,
  description: 'Seconds since the user signed in, at most; its access tokens end then',
  expected: maxAgeExpected,
});
const dynamicClients = Type.Boolean({
  default: false,
  description: 'Whether clients that register themselves may ask for it',
  expected: 'be true or false',
});

/** The most groups that an API names. */
const mostGroupNames = 100;
const groupsExpected = `be an array of at most ${mostGroupNames} names of groups; * at the end of one stands for all that begin so`;
const groups = Type.Array(groupName, {
  maxItems: mostGroupNames,
  description: 'Groups that access tokens of users carry; `*` at the end of a name stands for all that begin so',
  expected: groupsExpected,
});
const groupsClaimExpected = 'be groups or roles';
const groupsClaim = Type.Enum(['groups', 'roles'], {
  description: 'The claim that has them: `groups` where left out',
  expected: groupsClaimExpected,
});

/** The same rule as for names, for texts of up to 200 characters, also empty ones. */
function descriptionPattern(): string {
  return namePattern.replace('{1,128}', '{0,200}');
}

/** The body of `POST /resources`. */
export const NewResource = Type.Object(
  {
    resource: Type.String({
      maxLength: 2048,
      description:
        'The URI of the API, which becomes the `aud` of its access tokens; absolute, without fragment (RFC 8707)',
      expected: 'be an absolute URI of at most 2048 characters',
    }),
    name,
    scopes: Type.Optional(scopes),
    access_token_validity: Type.Optional(accessTokenValidity),
    required_acr: Type.Optional(requiredAcr),
    max_age: Type.Optional(maxAge),
    dynamic_clients: Type.Optional(dynamicClients),
    groups: Type.Optional(groups),
    groups_claim: Type.Optional(groupsClaim),
    managed_by: Type.Optional(managedBy),
  },
  {
    ...taggedMembers('name', name),
    additionalProperties: false,
    examples: [
      {
        resource: 'https://orders.example.com/',
        name: 'Orders',
        'name#de': 'Bestellungen',
        scopes: [{ name: 'orders:read', description: 'see your orders', 'description#de': 'Ihre Bestellungen sehen' }],
        access_token_validity: 600,
      },
    ],
  },
);
export type NewResource = Static<typeof NewResource>;

/** The body of `PATCH /resources/{id}`. */
export const ResourceChanges = Type.Object(
  {
    resource: Type.Optional(
      Type.Never({ description: 'Never changes', expected: 'be left out: the URI of a resource never changes' }),
    ),
    name: Type.Optional(name),
    scopes: Type.Optional(scopes),
    access_token_validity: Type.Optional(
      Type.Union([accessTokenValidity, Type.Null()], {
        expected: `be an integer number of seconds from 1 to ${maximumAccessTokenValidity}, or null`,
      }),
    ),
    required_acr: Type.Optional(Type.Union([requiredAcr, Type.Null()], { expected: `${levelExpected}, or null` })),
    max_age: Type.Optional(Type.Union([maxAge, Type.Null()], { expected: `${maxAgeExpected}, or null` })),
    dynamic_clients: Type.Optional(dynamicClients),
    groups: Type.Optional(Type.Union([groups, Type.Null()], { expected: `${groupsExpected}, or null` })),
    groups_claim: Type.Optional(
      Type.Union([groupsClaim, Type.Null()], { expected: `${groupsClaimExpected}, or null` }),
    ),
    managed_by: Type.Optional(managedByOrNull),
  },
  { ...taggedMembers('name', nameOrNull), additionalProperties: false },
);
export type ResourceChanges = Static<typeof ResourceChanges>;
