import { groupName, levels, managedBy, managedByOrNull, plain, shortNamePattern } from '@gatehouse/shared';
import { type Static, type TSchema, Type } from 'typebox';
import {
  aliasPattern,
  linkRules,
  localMethodRules,
  type MappedMember,
  mappedMembers,
  syncRules,
  upstreamKinds,
  upstreamMethods,
} from '../upstreams/upstream.ts';

/** Printable characters of ASCII but `"` and `\` (RFC 6749 3.3). */
const scopeName = Type.String({ pattern: '^[!#-\\[\\]-~]{1,128}$' });

const displayName = Type.String({
  pattern: shortNamePattern,
  description: 'Its name on pages',
  expected: 'be a string of 1–64 characters without control or direction characters',
});
const clientId = Type.String({
  pattern: '^[ -~]{1,255}$',
  description: 'The client_id of this server there',
  expected: 'be a string of 1–255 printable ASCII characters',
});
const clientSecret = Type.String({
  pattern: '^[ -~]{1,512}$',
  description: 'The client secret of this server there. It is never given back',
  expected: 'be a string of 1–512 printable ASCII characters',
});
const method = Type.Enum([...upstreamMethods], {
  description:
    'How this server proves itself there; private_key_jwt by the keys of /oauth/jwks; client_secret_basic where left out, client_secret_post at GitHub',
  expected: `be ${upstreamMethods.join(', ')}`,
});
const scope = Type.Array(scopeName, {
  minItems: 1,
  maxItems: 20,
  uniqueItems: true,
  description: 'Asked for there; openid, profile, email where left out, at GitHub read:user, user:email',
  expected: 'be an array of 1–20 scopes, without repeats',
});
const names = (description: string) =>
  Type.Array(Type.String({ pattern: '^[!-~]{1,255}$' }), {
    maxItems: 100,
    uniqueItems: true,
    description,
    expected: 'be an array of at most 100 texts of 1–255 printable ASCII characters without spaces, without repeats',
  });
const link = Type.Enum([...linkRules], {
  description:
    'ask: people who are unknown here sign in once as before, and are asked; verified_email: the verified address decides, where email_domains has its domain; never: they are refused',
  expected: `be ${linkRules.join(', ')}`,
});
/** Of at most 253 characters, with a dot (RFC 1123 2.1); that of an IP address ends in a number. */
const domain = Type.String({
  pattern:
    '^(?=.{3,253}$)(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$',
});
const domains = (description: string) =>
  Type.Array(domain, {
    maxItems: 100,
    description,
    expected: 'be an array of at most 100 domains, such as example.com',
  });
const claim = Type.String({ pattern: '^[!-~]{1,255}$' });
/** An object whose members all are of one kind. */
const mapOf = <Value extends TSchema>(
  value: Value,
  maxProperties: number,
  texts: { description?: string; expected?: string } = {},
) =>
  Type.Record(Type.String({ pattern: `^(?:${plain}){1,255}$` }), value, {
    ...{ additionalProperties: false, maxProperties },
    ...texts,
  });
const members = Type.Object(
  Object.fromEntries(mappedMembers.map((member) => [member, Type.Optional(claim)])) as Record<
    MappedMember,
    ReturnType<typeof Type.Optional<typeof claim>>
  >,
  {
    additionalProperties: false,
    description: 'The claims that fill members of a record of a user, by the members',
    expected: `be an object of ${mappedMembers.join(', ')} with names of claims: 1–255 printable ASCII characters without spaces`,
    examples: [{ firstName: 'given_name', lastName: 'family_name' }],
  },
);
const sync = Type.Enum([...syncRules], {
  description: 'When the claims go into the record: at the first sign-in, or at each; first where left out',
  expected: `be ${syncRules.join(' or ')}`,
});
const mostMapped = 1_000;
const groupsExpected = `be { "claim", "map": { "value there": "group here" } } with at most ${mostMapped} entries`;
const groups = Type.Object(
  { claim, map: mapOf(groupName, mostMapped) },
  {
    additionalProperties: false,
    description:
      'The claim that lists groups there, and the group here of each value; users join and leave these groups as it says',
    expected: groupsExpected,
    examples: [{ claim: 'groups', map: { '/staff/it': 'staff/it' } }],
  },
);
const aLevel = Type.Enum([...levels]);
const level = Type.Enum([...levels], {
  description: `The level of a sign-in there; ${levels[0]} where left out`,
  expected: `be ${levels.join(', ')}`,
});
const higherLevels = mapOf(aLevel, 20, {
  description: 'Values of the `acr` of the upstream that count for another level',
  expected: `be an object of at most 20 values of acr, each with one of ${levels.join(', ')}`,
});

const optional = {
  enabled: Type.Optional(Type.Boolean({ description: 'Whether people sign in by it; true where left out' })),
  client_secret: Type.Optional(clientSecret),
  token_endpoint_auth_method: Type.Optional(method),
  scope: Type.Optional(scope),
  tenants: Type.Optional(names('Microsoft Entra: the `tid` of the tenants whose accounts are taken; all where empty')),
  hosted_domains: Type.Optional(names('Google: the `hd` of the domains whose accounts are taken; all where empty')),
  link: Type.Optional(link),
  email_domains: Type.Optional(
    domains('Domains for whose addresses the word of the upstream counts that they are verified; none where empty'),
  ),
  create_users: Type.Optional(
    Type.Boolean({ description: 'Whether users are made at their first sign-in; false where left out' }),
  ),
  domains: Type.Optional(
    domains('Users whose names are in these domains go there at once. A domain is in one upstream at most'),
  ),
  local_methods: Type.Optional(
    Type.Enum([...localMethodRules], {
      description:
        'refused: users with an account there and a name in `domains` have no password, no reset and no passkey that signs in alone here; allowed where left out',
      expected: `be ${localMethodRules.join(' or ')}`,
    }),
  ),
  members: Type.Optional(members),
  sync: Type.Optional(sync),
  level: Type.Optional(level),
  levels: Type.Optional(higherLevels),
  logout: Type.Optional(
    Type.Boolean({ description: 'Whether sign-out goes on at its end_session_endpoint; false where left out' }),
  ),
};

/** The body of `POST /upstreams`. */
export const NewUpstream = Type.Object(
  {
    alias: Type.String({
      pattern: aliasPattern,
      description: 'Its name in addresses',
      expected: 'be 1–32 characters of a-z, 0-9 and hyphen',
    }),
    display_name: displayName,
    kind: Type.Enum([...upstreamKinds], {
      description: 'oidc: OpenID Connect, by discovery; github: OAuth 2.0 and the API of GitHub',
      expected: `be ${upstreamKinds.join(' or ')}`,
    }),
    issuer: Type.Optional(
      Type.String({
        maxLength: 512,
        description:
          'As its metadata name it, to the letter; https://login.microsoftonline.com/{tenantid}/v2.0 for many tenants. GitHub: https://github.com where left out, or a GitHub Enterprise Server',
        expected: 'be a string of at most 512 characters',
      }),
    ),
    client_id: clientId,
    ...optional,
    groups: Type.Optional(groups),
    managed_by: Type.Optional(managedBy),
  },
  {
    additionalProperties: false,
    examples: [
      {
        ...{ alias: 'company', display_name: 'Company', kind: 'oidc', issuer: 'https://login.example.com' },
        ...{ client_id: 'gatehouse', client_secret: 'a-secret-of-the-upstream' },
      },
    ],
  },
);
export type NewUpstream = Static<typeof NewUpstream>;

const never = (name: string) =>
  Type.Optional(Type.Never({ description: 'Never changes', expected: `be left out: ${name} never changes` }));

/** The body of `PATCH /upstreams/{alias}`. */
export const UpstreamChanges = Type.Object(
  {
    alias: never('alias'),
    kind: never('kind'),
    issuer: never('issuer'),
    display_name: Type.Optional(displayName),
    client_id: Type.Optional(clientId),
    rekey: Type.Optional(
      Type.Boolean({
        description:
          'true: client_id may change, and tenants come or go, although linked users are called otherwise then',
      }),
    ),
    ...optional,
    groups: Type.Optional(Type.Union([groups, Type.Null()], { expected: `${groupsExpected}, or null` })),
    managed_by: Type.Optional(managedByOrNull),
  },
  { additionalProperties: false },
);
export type UpstreamChanges = Static<typeof UpstreamChanges>;
