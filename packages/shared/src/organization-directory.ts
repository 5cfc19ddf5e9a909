import { createHash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { ascii } from './character-ranges.ts';
import { emailVerified } from './personal-data.ts';
import { userFields } from './user.ts';

/**
 * The protocol between the two services: what auth-server asks org-api, and how it proves who it is.
 * Each request carries a JWT of its own, signed with one of the auth server's own keys, of a `typ` and an audience that
 * no issued access token can have. The JWT names the method, the path and the digest of the body, and works once.
 */
export const serviceTokenType = 'gatehouse-service+jwt';

/** Seconds that a service token is valid. */
export const serviceTokenLifetime = 30;

/** The claims that bind a service token to one request, in addition to the registered claims. */
export interface ServiceTokenClaims {
  /** The method, as in RFC 9449 4.2. */
  htm: string;
  /** The path as org-api receives it, with the query where there is one. */
  path: string;
  /** The digest of the body, by {@link digestOf}. */
  digest: string;
}

/** SHA-256 in base64url of the bytes that are sent. */
export function digestOf(body: string | Uint8Array): string {
  return createHash('sha256').update(body).digest('base64url');
}

export function serviceTokenAudience(baseUrl: string): string {
  return `${baseUrl}/internal/directory`;
}

export const directoryPaths = {
  passwordChecks: '/internal/directory/password-checks',
  userQueries: '/internal/directory/user-queries',
  settings: '/internal/directory/settings',
  codeChecks: '/internal/directory/code-checks',
  passkeyChecks: '/internal/directory/passkey-checks',
  methodQueries: '/internal/directory/method-queries',
  methodChanges: '/internal/directory/method-changes',
  accountData: '/internal/directory/account-data',
  profileChanges: '/internal/directory/profile-changes',
  linkRequests: '/internal/directory/link-requests',
  linkUses: '/internal/directory/link-uses',
  findings: '/internal/directory/findings',
  upstreamSignIns: '/internal/directory/upstream-sign-ins',
} as const;

const { organization: _unneeded, createdAt: _unused, ...knownFields } = userFields;

/** A user as auth-server sees it. */
export const DirectoryUser = Type.Object(
  {
    ...knownFields,
    // An org-api of the release before does not say it, nor any of the personal data.
    emailVerified: Type.Optional(emailVerified),
    updatedAt: Type.Integer({ description: 'Milliseconds since the epoch' }),
    passwordChangedAt: Type.Integer({ description: 'Milliseconds since the epoch: what was issued before is void' }),
    // An org-api of the release before does not say it: its users have none.
    secondStep: Type.Optional(Type.Boolean({ description: 'Whether a password alone does not sign this user in' })),
    identities: Type.Optional(
      Type.Array(Type.String(), { description: 'The ids of the accounts at upstreams; absent where there are none' }),
    ),
  },
  { $id: 'DirectoryUser' },
);
export type DirectoryUser = Static<typeof DirectoryUser>;

/** A browser in which a user signed in before. auth-server reads it from its own signed cookie. */
export const KnownBrowser = Type.Object(
  {
    id: Type.String({ maxLength: 64 }),
    userId: Type.String({ maxLength: 64 }),
    passwordChangedAt: Type.Integer({ description: 'Milliseconds since the epoch: of the password it signed in with' }),
    since: Type.Optional(
      Type.Integer({
        description: 'Milliseconds since the epoch: of the first sign-in; absent where that is long ago',
      }),
    ),
  },
  { additionalProperties: false },
);
export type KnownBrowser = Static<typeof KnownBrowser>;

/** The most users that one browser remembers. */
export const mostKnownBrowsers = 5;

/**
 * Upstreams whose users have no methods here: users with an account of the issuer, and a username in one of the domains, neither sign in
 * by a password or a passkey alone nor get one. Users with an administrative role are exempt.
 */
export const LocalRefusals = Type.Array(
  Type.Object(
    {
      issuer: Type.String({ maxLength: 512 }),
      domains: Type.Array(Type.String({ maxLength: 255 }), { maxItems: 100 }),
    },
    { additionalProperties: false },
  ),
  { maxItems: 5_000 },
);
export type LocalRefusals = Static<typeof LocalRefusals>;

/**
 * Where auth-server tells org-api, for the access token of a user, which upstreams refuse the user a password: the one question that goes
 * the other way.
 */
export const localRefusalsPath = '/internal/local-refusals';
export const LocalRefusalsAnswer = Type.Object({ localRefusals: LocalRefusals });
export type LocalRefusalsAnswer = Static<typeof LocalRefusalsAnswer>;

export const PasswordCheck = Type.Object(
  {
    username: Type.String(),
    password: Type.String(),
    address: Type.String({
      maxLength: 255,
      pattern: ascii,
      description: 'Where the attempt came from, to slow guessing',
    }),
    knownBrowsers: Type.Optional(Type.Array(KnownBrowser, { maxItems: mostKnownBrowsers })),
    browser: Type.Optional(Type.String({ maxLength: 64, description: 'Its name, for the mail about a new sign-in' })),
    localRefusals: Type.Optional(LocalRefusals),
    secondStepFor: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        maxItems: 16,
        description: '`everybody`, or roles: the right password of such a user alone makes no network known',
      }),
    ),
    understands: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        maxItems: 16,
        description: 'Without `second_step`, a user who has a second step gets `wrong`',
      }),
    ),
  },
  { additionalProperties: false },
);
export type PasswordCheck = Static<typeof PasswordCheck>;

/** The second step of a sign-in, which follows the password. */
export const SecondStep = Type.Object({
  methodsVersion: Type.Integer({ description: 'Changes with each change of the methods of the user' }),
});
export type SecondStep = Static<typeof SecondStep>;

const completedName = Type.Optional(
  Type.String({ description: 'The name that was sent, completed; absent where it was whole' }),
);

/** `verified` is also the result for a disabled user: the caller decides what that means. */
export const PasswordCheckResult = Type.Union([
  Type.Object({
    outcome: Type.Literal('verified'),
    user: DirectoryUser,
    secondStep: Type.Optional(SecondStep),
  }),
  Type.Object({
    outcome: Type.Literal('wrong'),
    userId: Type.Optional(Type.String({ description: 'Whose password it is not, where there is such a user' })),
    username: completedName,
  }),
  Type.Object({
    outcome: Type.Literal('limited'),
    retryAfter: Type.Integer({ description: 'Seconds' }),
    username: completedName,
  }),
  Type.Object({ outcome: Type.Literal('busy'), retryAfter: Type.Integer({ description: 'Seconds' }) }),
]);
export type PasswordCheckResult = Static<typeof PasswordCheckResult>;

export const UserQuery = Type.Object(
  {
    ids: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 500 })),
    usernames: Type.Optional(Type.Array(Type.String(), { maxItems: 500 })),
  },
  { additionalProperties: false },
);
export type UserQuery = Static<typeof UserQuery>;

export const UserQueryResult = Type.Object({ users: Type.Array(DirectoryUser) });
export type UserQueryResult = Static<typeof UserQueryResult>;

/** The methods that this org-api offers, and whether it serves the account pages. */
/** Asks for the settings. */
export const SettingsQuery = Type.Object(
  {
    deletedAfter: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2 ** 48 - 1,
        description: 'Milliseconds since the epoch: with users deleted since',
      }),
    ),
    // An org-api that does not say that it has groups does not know this.
    changedAfter: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2 ** 48 - 1,
        description: 'Milliseconds since the epoch: with users changed since',
      }),
    ),
  },
  { additionalProperties: false },
);
export type SettingsQuery = Static<typeof SettingsQuery>;

export const DirectorySettings = Type.Object({
  codeApp: Type.Boolean(),
  passkeys: Type.Optional(Type.Boolean()),
  accounts: Type.Optional(Type.Boolean()),
  mails: Type.Optional(Type.Boolean({ description: 'Whether mails are sent' })),
  registration: Type.Optional(Type.Boolean({ description: 'Whether people register themselves' })),
  accountDeletion: Type.Optional(Type.Boolean({ description: 'Whether users delete their account' })),
  deletedUsers: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.String(),
        deletedAt: Type.Integer({ description: 'Milliseconds since the epoch' }),
        erased: Type.Optional(Type.Boolean({ description: 'Whether no name of the user is to stay' })),
      }),
      {
        description: 'Of the last 30 days, the oldest first; where they were asked for',
      },
    ),
  ),
  groups: Type.Optional(Type.Boolean({ description: 'Whether users have groups' })),
  changedUsers: Type.Optional(
    Type.Array(
      Type.Object({ id: Type.String(), updatedAt: Type.Integer({ description: 'Milliseconds since the epoch' }) }),
      { description: 'The change of longest ago first, a thousand at most; where they were asked for' },
    ),
  ),
  usernameDomain: Type.Optional(Type.String({ description: 'The domain of names that are typed without an @' })),
  branding: Type.Optional(
    Type.Object({
      displayName: Type.Optional(Type.String()),
      helpUrl: Type.Optional(Type.String()),
      accentColor: Type.Optional(Type.String()),
    }),
  ),
  consoleUrl: Type.Optional(Type.String({ description: 'Where the console is that it lets in; `off`: none' })),
});
export type DirectorySettings = Static<typeof DirectorySettings>;
