import { createHash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { plain } from './character-ranges.ts';
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
  },
  { additionalProperties: false },
);
export type KnownBrowser = Static<typeof KnownBrowser>;

/** The most users that one browser remembers. */
export const mostKnownBrowsers = 5;

export const PasswordCheck = Type.Object(
  {
    username: Type.String(),
    password: Type.String(),
    address: Type.String({ maxLength: 255, description: 'Where the attempt came from, to slow guessing' }),
    knownBrowsers: Type.Optional(Type.Array(KnownBrowser, { maxItems: mostKnownBrowsers })),
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
  }),
  Type.Object({ outcome: Type.Literal('limited'), retryAfter: Type.Integer({ description: 'Seconds' }) }),
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

const limited = Type.Object({
  outcome: Type.Literal('limited'),
  retryAfter: Type.Integer({ description: 'Seconds' }),
});
const busy = Type.Object({ outcome: Type.Literal('busy'), retryAfter: Type.Integer({ description: 'Seconds' }) });
/** The password or the methods of the user are not those of then any more. */
const changed = Type.Object({ outcome: Type.Literal('changed') });

/** A user, as it was when the password was right. */
const provenUser = {
  userId: Type.String({ maxLength: 64 }),
  passwordChangedAt: Type.Integer({ description: 'Milliseconds since the epoch: of the password that was right' }),
  address: Type.String({ maxLength: 255, description: 'The address of the user' }),
  requestId: Type.String({ maxLength: 255, description: 'Of the request of the user, for the audit trail' }),
};

/** A code of the app, or a recovery code, as it was typed. */
export const CodeCheck = Type.Object(
  {
    ...provenUser,
    methodsVersion: Type.Optional(Type.Integer({ description: 'Of then; any where it is left out' })),
    code: Type.String({ maxLength: 255 }),
    knownBrowsers: Type.Optional(Type.Array(KnownBrowser, { maxItems: mostKnownBrowsers })),
  },
  { additionalProperties: false },
);
export type CodeCheck = Static<typeof CodeCheck>;

export const codeKinds = ['code_app', 'recovery_code'] as const;
export type CodeKind = (typeof codeKinds)[number];

/** `verified` is also the result for a disabled user: the caller decides what that means. */
export const CodeCheckResult = Type.Union([
  Type.Object({ outcome: Type.Literal('verified'), user: DirectoryUser, by: Type.Enum([...codeKinds]) }),
  Type.Object({ outcome: Type.Literal('wrong') }),
  limited,
  busy,
  changed,
]);
export type CodeCheckResult = Static<typeof CodeCheckResult>;

/** The most characters of the JSON of a `PublicKeyCredential`. */
export const longestCredential = 16_384;

/** The answer of an authenticator, and what it must be an answer to (WebAuthn 3, 7.1 and 7.2). */
const passkeyAnswer = {
  credential: Type.String({ maxLength: longestCredential, description: 'The JSON of a `PublicKeyCredential`' }),
  challenge: Type.String({ maxLength: 255, description: 'base64url' }),
  origin: Type.String({ maxLength: 255, description: 'Of the page that asked' }),
  rpId: Type.String({ maxLength: 255 }),
};

/** The answer of a passkey: after a right password, or as a whole sign-in where no user is named. */
export const PasskeyCheck = Type.Object(
  {
    ...passkeyAnswer,
    address: provenUser.address,
    requestId: provenUser.requestId,
    knownBrowsers: Type.Optional(Type.Array(KnownBrowser, { maxItems: mostKnownBrowsers })),
    /** The user whose password was right. */
    first: Type.Optional(
      Type.Object(
        {
          userId: provenUser.userId,
          passwordChangedAt: provenUser.passwordChangedAt,
          methodsVersion: Type.Optional(Type.Integer({ description: 'Of then; any where it is left out' })),
        },
        { additionalProperties: false },
      ),
    ),
    onlyWithoutPassword: Type.Optional(
      Type.Boolean({
        description: 'Where no user is named: a user with a password does not sign in by a passkey alone',
      }),
    ),
  },
  { additionalProperties: false },
);
export type PasskeyCheck = Static<typeof PasskeyCheck>;

/** `verified` is also the result for a disabled user: the caller decides what that means. */
export const PasskeyCheckResult = Type.Union([
  Type.Object({
    outcome: Type.Literal('verified'),
    user: DirectoryUser,
    userVerified: Type.Boolean({ description: 'Whether the authenticator verified its user' }),
  }),
  Type.Object({
    outcome: Type.Literal('wrong'),
    userId: Type.Optional(Type.String({ description: 'Whose passkey it is, where there is such a passkey' })),
    deletedId: Type.Optional(Type.String({ description: 'The credential id, where the passkey was deleted here' })),
  }),
  changed,
]);
export type PasskeyCheckResult = Static<typeof PasskeyCheckResult>;

export const MethodQuery = Type.Object({ userId: provenUser.userId }, { additionalProperties: false });
export type MethodQuery = Static<typeof MethodQuery>;

/** The methods of a user, for the pages that ask for one or make one. */
export const MethodQueryResult = Type.Object({
  codeApp: Type.Boolean(),
  passkeys: Type.Array(
    Type.Object({
      id: Type.String({ description: 'The credential id, base64url' }),
      transports: Type.Array(Type.String()),
    }),
  ),
  userHandle: Type.String({ description: 'For the next passkey, base64url' }),
  mayAddPasskey: Type.Boolean(),
});
export type MethodQueryResult = Static<typeof MethodQueryResult>;

const passkeyName = Type.String({ pattern: `^(?:${plain}){1,64}$` });

/** Adds one method: a code app, in place of the one before, or a passkey. */
export const MethodChange = Type.Object(
  {
    ...provenUser,
    add: Type.Object(
      {
        codeApp: Type.Optional(
          Type.Object(
            {
              secret: Type.String({ pattern: '^[A-Z2-7]{32}$', description: '20 bytes, base32' }),
              code: Type.String({ maxLength: 255, description: 'Of the app, which proves that it has the secret' }),
            },
            { additionalProperties: false },
          ),
        ),
        passkey: Type.Optional(Type.Object({ ...passkeyAnswer, name: passkeyName }, { additionalProperties: false })),
      },
      { additionalProperties: false, minProperties: 1, maxProperties: 1 },
    ),
  },
  { additionalProperties: false },
);
export type MethodChange = Static<typeof MethodChange>;

export const MethodChangeResult = Type.Union([
  Type.Object({
    outcome: Type.Literal('done'),
    user: DirectoryUser,
    recoveryCodes: Type.Array(Type.String(), { description: 'Made with the first second step, else none' }),
    userVerified: Type.Optional(Type.Boolean({ description: 'Of a passkey: whether it verified its user' })),
  }),
  Type.Object({ outcome: Type.Literal('wrong') }),
  busy,
  changed,
]);
export type MethodChangeResult = Static<typeof MethodChangeResult>;

/** The methods that this org-api offers. */
export const DirectorySettings = Type.Object({ codeApp: Type.Boolean(), passkeys: Type.Optional(Type.Boolean()) });
export type DirectorySettings = Static<typeof DirectorySettings>;
