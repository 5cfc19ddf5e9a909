import { type Static, Type } from 'typebox';
import { provenUser } from './directory-methods.ts';
import { DirectoryUser, KnownBrowser, mostKnownBrowsers, SecondStep } from './organization-directory.ts';

/*
 * The part of the protocol between the two services that is about upstreams: other servers where users sign in.
 */

const strict = { additionalProperties: false } as const;

/** The rights of an upstream over users; none where they are left out. */
const UpstreamRules = Type.Object(
  {
    linksByEmail: Type.Boolean({
      description: 'An unknown account is linked to the one user whose verified address it has',
    }),
    createsUsers: Type.Boolean({ description: 'An unknown account whose verified address nobody has becomes a user' }),
    sync: Type.Enum(['first', 'always'], { description: 'When `members` go into the record' }),
    mappedGroups: Type.Array(Type.String(), {
      maxItems: 1_000,
      description: 'The groups whose members follow the upstream',
    }),
  },
  strict,
);
export type UpstreamRules = Static<typeof UpstreamRules>;

/** A user who came back from an upstream; or, with `link`, a user who signed in here and says that the account is the own one. */
export const UpstreamSignIn = Type.Object(
  {
    address: provenUser.address,
    requestId: provenUser.requestId,
    browser: provenUser.browser,
    knownBrowsers: Type.Optional(Type.Array(KnownBrowser, { maxItems: mostKnownBrowsers })),
    account: Type.Object(
      {
        issuer: Type.String({ maxLength: 512 }),
        subject: Type.String({ maxLength: 512 }),
        upstream: Type.String({ maxLength: 32, description: 'Its alias' }),
        upstreamName: Type.String({ maxLength: 64, description: 'Its name on pages, for the mail' }),
        shown: Type.String({ maxLength: 255, description: 'The account as pages name it: its address, or its name' }),
        verifiedEmail: Type.Optional(
          Type.String({ maxLength: 255, description: 'Its address, where the word of the upstream counts for it' }),
        ),
        members: Type.Optional(
          Type.Object({}, { additionalProperties: true, description: 'Members of a record that its claims say' }),
        ),
        groups: Type.Optional(
          Type.Array(Type.String(), {
            maxItems: 1_000,
            description: 'Of `mappedGroups`, those of the account; absent where the upstream does not say',
          }),
        ),
      },
      strict,
    ),
    beganAt: Type.Optional(
      Type.Integer({
        description: 'Milliseconds since the epoch: of the attempt; an account that was unlinked since is not linked',
      }),
    ),
    reachesMfa: Type.Optional(Type.Boolean({ description: 'No second step follows a sign-in there of this level' })),
    secondStepFor: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        maxItems: 16,
        description: '`everybody`, or roles: a sign-in of such a user without a second step makes no network known',
      }),
    ),
    rules: Type.Optional(UpstreamRules),
    link: Type.Optional(
      Type.Object(
        {
          userId: provenUser.userId,
          passwordChangedAt: provenUser.passwordChangedAt,
          beganAt: Type.Optional(Type.Integer({ description: '`beganAt`, where auth-server of before says it' })),
        },
        strict,
      ),
    ),
  },
  strict,
);
export type UpstreamSignIn = Static<typeof UpstreamSignIn>;

/** Why an account is not linked: it is another user's, the user has one of this issuer or too many, or it was unlinked meanwhile. */
export const linkFaults = ['other_user', 'same_issuer', 'too_many', 'unlinked'] as const;
export type LinkFault = (typeof linkFaults)[number];

/** `verified` is also the result for a disabled user: the caller decides what that means. */
export const UpstreamSignInResult = Type.Union([
  Type.Object({
    outcome: Type.Literal('verified'),
    user: DirectoryUser,
    identityId: Type.String(),
    secondStep: Type.Optional(SecondStep),
  }),
  Type.Object({ outcome: Type.Literal('unknown') }),
  Type.Object({ outcome: Type.Literal('refused'), fault: Type.Enum([...linkFaults]) }),
  Type.Object({ outcome: Type.Literal('changed') }),
]);
export type UpstreamSignInResult = Static<typeof UpstreamSignInResult>;

/** An account of a user at an upstream. Instants are RFC 3339, UTC. */
export const Identity = Type.Object(
  {
    id: Type.String({ description: 'UUID' }),
    issuer: Type.String(),
    upstream: Type.String({ description: 'The alias of the upstream then' }),
    subject: Type.String(),
    linkedAt: Type.String({ description: 'RFC 3339, UTC' }),
    lastUsedAt: Type.Optional(Type.String({ description: 'RFC 3339, UTC; absent before the first use' })),
  },
  { $id: 'Identity' },
);
export type Identity = Static<typeof Identity>;
