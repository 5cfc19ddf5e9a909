import { type Static, Type } from 'typebox';
import { ascii, plain } from './character-ranges.ts';
import { DirectoryUser, KnownBrowser, LocalRefusals, mostKnownBrowsers } from './organization-directory.ts';

/*
 * The part of the protocol between the two services that is about methods: what proves who a user is, other than checks of
 * passwords alone.
 */

const limited = Type.Object({
  outcome: Type.Literal('limited'),
  retryAfter: Type.Integer({ description: 'Seconds' }),
});
const busy = Type.Object({ outcome: Type.Literal('busy'), retryAfter: Type.Integer({ description: 'Seconds' }) });
/** The password or the methods of the user are not those of then any more. */
const changed = Type.Object({ outcome: Type.Literal('changed') });

/** A user, as it was when the password was right. */
export const provenUser = {
  userId: Type.String({ maxLength: 64 }),
  passwordChangedAt: Type.Integer({ description: 'Milliseconds since the epoch: of the password that was right' }),
  address: Type.String({ maxLength: 255, pattern: ascii, description: 'The address of the user' }),
  requestId: Type.String({
    maxLength: 128,
    pattern: ascii,
    description: 'Of the request of the user, for the audit trail',
  }),
  browser: Type.Optional(Type.String({ maxLength: 64, description: 'Its name, for the mail about it' })),
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
  Type.Object({
    outcome: Type.Literal('verified'),
    user: DirectoryUser,
    by: Type.Enum([...codeKinds]),
    setUpDue: Type.Optional(
      Type.Literal(true, { description: 'The code app was lost: another second step comes next' }),
    ),
  }),
  Type.Object({ outcome: Type.Literal('wrong') }),
  limited,
  busy,
  changed,
]);
export type CodeCheckResult = Static<typeof CodeCheckResult>;

/** The most characters of the JSON of a `PublicKeyCredential`. */
export const longestCredential = 16_384;

/** The answer of an authenticator, and what it must be an answer to (WebAuthn 3, 7.1 and 7.2). */
export const passkeyAnswer = {
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
    browser: provenUser.browser,
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
    localRefusals: Type.Optional(LocalRefusals),
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

/** RFC 9562 4, in lower case, as org-api gives the ids of users. */
const uuidPattern = '^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$';

export const MethodQuery = Type.Object(
  {
    userId: Type.String({ pattern: uuidPattern }),
    caller: Type.Optional(
      Type.Object(
        {
          address: provenUser.address,
          knownBrowsers: Type.Optional(Type.Array(KnownBrowser, { maxItems: mostKnownBrowsers })),
        },
        { additionalProperties: false, description: 'Where the user is about to make a method' },
      ),
    ),
  },
  { additionalProperties: false },
);
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
  needsLink: Type.Boolean({ description: 'Whether a mailed link comes before the first of them' }),
});
export type MethodQueryResult = Static<typeof MethodQueryResult>;

const passkeyNamePattern = `^(?:${plain}){1,64}$`;
export const passkeyName = Type.String({ pattern: passkeyNamePattern });

/** Whether a passkey can have this name: 1–64 characters that neither control a terminal nor the direction of a text. */
export function isPasskeyName(name: string): boolean {
  return new RegExp(passkeyNamePattern, 'u').test(name);
}

const methodId = Type.String({ maxLength: 64, description: 'Of a passkey or an identity, as administrators see it' });
const strict = { additionalProperties: false } as const;

/** A code app, in place of the one before, or a passkey. */
const NewMethod = Type.Object(
  {
    codeApp: Type.Optional(
      Type.Object(
        {
          secret: Type.String({ pattern: '^[A-Z2-7]{32}$', description: '20 bytes, base32' }),
          code: Type.String({ maxLength: 255, description: 'Of the app, which proves that it has the secret' }),
        },
        strict,
      ),
    ),
    passkey: Type.Optional(Type.Object({ ...passkeyAnswer, name: passkeyName }, strict)),
  },
  { ...strict, minProperties: 1, maxProperties: 1 },
);
export type NewMethod = Static<typeof NewMethod>;

const RemovedMethod = Type.Union([
  Type.Object({ passkey: methodId }, strict),
  Type.Object({ codeApp: Type.Literal(true) }, strict),
  Type.Object({ password: Type.Literal(true) }, strict),
  Type.Object({ identity: methodId }, strict),
]);
export type RemovedMethod = Static<typeof RemovedMethod>;

/**
 * A user who changes the own methods, by exactly one of `add`, `remove`, `rename`, `recoveryCodes` and `password`. The caller says that
 * the sign-in is recent enough.
 */
export const MethodChange = Type.Object(
  {
    ...provenUser,
    add: Type.Optional(NewMethod),
    remove: Type.Optional(RemovedMethod),
    needsSecondStep: Type.Optional(
      Type.Literal(true, { description: 'Whether a second step must be left after a removal' }),
    ),
    enabledIssuers: Type.Optional(
      Type.Array(Type.String({ maxLength: 512 }), {
        maxItems: 100,
        description: 'Of upstreams that are enabled: an identity of another issuer is no way to sign in',
      }),
    ),
    localRefusals: Type.Optional(LocalRefusals),
    rename: Type.Optional(Type.Object({ passkey: methodId, name: passkeyName }, strict)),
    recoveryCodes: Type.Optional(Type.Literal('new')),
    password: Type.Optional(
      Type.Object(
        {
          old: Type.Optional(Type.String({ maxLength: 4096, description: 'Where the user has one' })),
          new: Type.String({ maxLength: 4096 }),
        },
        strict,
      ),
    ),
    knownBrowsers: Type.Optional(Type.Array(KnownBrowser, { maxItems: mostKnownBrowsers })),
    withoutSecondStep: Type.Optional(
      Type.Literal(true, {
        description: 'Whether the sign-in is one that changes nothing of a user with a second step',
      }),
    ),
  },
  strict,
);
export type MethodChange = Static<typeof MethodChange>;

/** Why a password is no good, or a method cannot be removed or made. */
export const methodFaults = [
  'password_too_short',
  'password_too_long',
  'password_common',
  'password_breached',
  'password_resembles_name',
  'last_way_in',
  'no_second_step',
  'managed_elsewhere',
] as const;
export type MethodFault = (typeof methodFaults)[number];

export const MethodChangeResult = Type.Union([
  Type.Object({
    outcome: Type.Literal('done'),
    user: DirectoryUser,
    recoveryCodes: Type.Array(Type.String(), { description: 'Where they were made, else none' }),
    userVerified: Type.Optional(Type.Boolean({ description: 'Of a passkey: whether it verified its user' })),
  }),
  Type.Object({ outcome: Type.Literal('wrong') }),
  Type.Object({ outcome: Type.Literal('link_needed') }),
  Type.Object({ outcome: Type.Literal('refused'), fault: Type.Enum([...methodFaults]) }),
  limited,
  busy,
  changed,
]);
export type MethodChangeResult = Static<typeof MethodChangeResult>;
