import { type Static, Type } from 'typebox';
import { methodFaults, passkeyAnswer, passkeyName, provenUser } from './directory-methods.ts';
import { DirectoryUser, KnownBrowser, mostKnownBrowsers } from './organization-directory.ts';

/*
 * The part of the protocol between the two services that is about mailed links.
 */

const strict = { additionalProperties: false } as const;
const caller = {
  address: provenUser.address,
  requestId: provenUser.requestId,
  browser: Type.Optional(Type.String({ maxLength: 64, description: 'Its name, for the mail' })),
  knownBrowsers: Type.Optional(Type.Array(KnownBrowser, { maxItems: mostKnownBrowsers })),
};
const language = Type.String({ maxLength: 35, description: 'Of the page, BCP 47' });

/** The most characters of an authorization request that a link goes on with. */
export const longestGoOn = 8_192;

/** Asks for a link: for a name, by a user who cannot sign in; or for the own address, by one who is signed in. */
export const LinkRequest = Type.Object(
  {
    ...caller,
    language,
    name: Type.Optional(Type.String({ maxLength: 255, description: 'A username or an e-mail address' })),
    goOn: Type.Optional(Type.String({ maxLength: longestGoOn, description: 'What the page goes on with' })),
    signedIn: Type.Optional(
      Type.Object({ userId: provenUser.userId, passwordChangedAt: provenUser.passwordChangedAt }, strict),
    ),
  },
  strict,
);
export type LinkRequest = Static<typeof LinkRequest>;

const limited = Type.Object({ outcome: Type.Literal('limited'), retryAfter: Type.Integer({ description: 'Seconds' }) });

export const LinkRequestResult = Type.Union([
  Type.Object({ outcome: Type.Literal('done') }),
  Type.Object({ outcome: Type.Literal('off') }),
  Type.Object({ outcome: Type.Literal('changed') }),
  limited,
]);
export type LinkRequestResult = Static<typeof LinkRequestResult>;

/** Looks at a link; or uses it, where there are fields. */
export const LinkUse = Type.Object(
  {
    ...caller,
    token: Type.String({ maxLength: 255 }),
    userId: Type.Optional(Type.String({ maxLength: 64, description: 'The user who is signed in' })),
    fields: Type.Optional(
      Type.Object(
        {
          password: Type.Optional(Type.String({ maxLength: 4096 })),
          code: Type.Optional(Type.String({ maxLength: 255 })),
          passkey: Type.Optional(Type.Object({ ...passkeyAnswer, name: passkeyName }, strict)),
        },
        strict,
      ),
    ),
  },
  strict,
);
export type LinkUse = Static<typeof LinkUse>;

const described = {
  purpose: Type.Enum(['reset', 'verify', 'invitation']),
  userId: Type.String(),
  username: Type.String(),
  email: Type.String(),
  needsCode: Type.Boolean({ description: 'Whether it takes a recovery code, too' }),
  goOn: Type.Optional(Type.String()),
};

export const LinkUseResult = Type.Union([
  Type.Object({ outcome: Type.Literal('open'), ...described }),
  Type.Object({
    outcome: Type.Literal('done'),
    ...described,
    signedIn: Type.Optional(
      Type.Object(
        {
          user: DirectoryUser,
          recoveryCodes: Type.Array(Type.String(), { description: 'Where they were made, else none' }),
          userVerified: Type.Optional(Type.Boolean({ description: 'Of a passkey: whether it verified its user' })),
        },
        { description: 'Of an invitation: its user signs in by it' },
      ),
    ),
  }),
  Type.Object({ outcome: Type.Literal('gone') }),
  Type.Object({ outcome: Type.Literal('wrong') }),
  Type.Object({ outcome: Type.Literal('other_user') }),
  Type.Object({
    outcome: Type.Literal('refused'),
    fault: Type.Enum([...methodFaults]),
    passwordMinLength: Type.Integer(),
  }),
  Type.Object({ outcome: Type.Literal('busy'), retryAfter: Type.Integer({ description: 'Seconds' }) }),
  limited,
]);
export type LinkUseResult = Static<typeof LinkUseResult>;
