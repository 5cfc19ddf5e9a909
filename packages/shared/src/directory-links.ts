import { type Static, Type } from 'typebox';
import { methodFaults, passkeyAnswer, passkeyName, provenUser } from './directory-methods.ts';
import { DirectoryUser, KnownBrowser, LocalRefusals, mostKnownBrowsers } from './organization-directory.ts';

/*
 * The part of the protocol between the two services that is about mailed links.
 */

const strict = { additionalProperties: false } as const;
const caller = {
  address: provenUser.address,
  requestId: provenUser.requestId,
  browser: Type.Optional(Type.String({ maxLength: 64, description: 'Its name, for the mail' })),
  knownBrowsers: Type.Optional(Type.Array(KnownBrowser, { maxItems: mostKnownBrowsers })),
  localRefusals: Type.Optional(LocalRefusals),
};
/** Names a browser to itself: an HMAC of its cookie. */
const binding = Type.String({ maxLength: 64, description: 'Of the browser that asks' });
const language = Type.String({ maxLength: 35, pattern: '^[A-Za-z0-9-]+$', description: 'Of the page, BCP 47' });

/** The purposes of mailed links. */
export const linkPurposes = [
  'reset',
  'verify',
  'invitation',
  'email_old',
  'email_new',
  'set_up',
  'first_method',
  'register',
] as const;
export type LinkPurpose = (typeof linkPurposes)[number];

/** The most characters of an authorization request that a link goes on with. */
export const longestGoOn = 8_192;

/** A user who is signed in and changes the own address. */
const EmailChange = Type.Object(
  {
    email: Type.Optional(
      Type.String({ maxLength: 255, description: 'The new address; without it, the change that waits ends' }),
    ),
    strong: Type.Optional(
      Type.Boolean({ description: 'Whether the user proved a second step just now: the old address need not confirm' }),
    ),
  },
  strict,
);

/** Asks for a link: for a name, by a user who cannot sign in; or for the own address, or a new one, by one who is signed in. */
export const LinkRequest = Type.Object(
  {
    ...caller,
    language,
    name: Type.Optional(Type.String({ maxLength: 255, description: 'A username or an e-mail address' })),
    register: Type.Optional(Type.Literal(true, { description: 'The name is the address of a new user' })),
    goOn: Type.Optional(Type.String({ maxLength: longestGoOn, description: 'What the page goes on with' })),
    signedIn: Type.Optional(
      Type.Object({ userId: provenUser.userId, passwordChangedAt: provenUser.passwordChangedAt }, strict),
    ),
    emailChange: Type.Optional(EmailChange),
    setUp: Type.Optional(
      Type.Object({ binding }, { ...strict, description: 'Before the first second step, in this browser' }),
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
  Type.Object({
    outcome: Type.Literal('refused'),
    fault: Type.Enum(['no_address', 'same_address', 'other_domain'], { description: 'Of a new address' }),
  }),
  limited,
]);
export type LinkRequestResult = Static<typeof LinkRequestResult>;

/** Looks at a link; or uses it, where there are fields. */
export const LinkUse = Type.Object(
  {
    ...caller,
    token: Type.String({ maxLength: 255 }),
    userId: Type.Optional(Type.String({ maxLength: 64, description: 'The user who is signed in' })),
    binding: Type.Optional(binding),
    fields: Type.Optional(
      Type.Object(
        {
          password: Type.Optional(Type.String({ maxLength: 4096 })),
          code: Type.Optional(Type.String({ maxLength: 255 })),
          passkey: Type.Optional(Type.Object({ ...passkeyAnswer, name: passkeyName }, strict)),
          decision: Type.Optional(Type.Enum(['confirm', 'refuse'], { description: 'On a change of the address' })),
          username: Type.Optional(Type.String({ maxLength: 255, description: 'As it was typed' })),
          firstName: Type.Optional(Type.String({ maxLength: 255 })),
          lastName: Type.Optional(Type.String({ maxLength: 255 })),
        },
        strict,
      ),
    ),
  },
  strict,
);
export type LinkUse = Static<typeof LinkUse>;

const described = {
  purpose: Type.Enum([...linkPurposes]),
  userId: Type.String(),
  username: Type.String(),
  email: Type.String(),
  needsCode: Type.Boolean({ description: 'Whether it takes a recovery code, too' }),
  goOn: Type.Optional(Type.String()),
  passwordChangedAt: Type.Integer({ description: 'Milliseconds since the epoch: of the password that the user has' }),
  emailChange: Type.Optional(
    Type.Object({
      before: Type.String(),
      after: Type.String(),
      mayConfirm: Type.Boolean({ description: 'Else this side is told, and may refuse' }),
    }),
  ),
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
  Type.Object({ outcome: Type.Literal('wrong_name') }, { description: 'Of the username that was typed' }),
  Type.Object({ outcome: Type.Literal('other_user') }),
  Type.Object({ outcome: Type.Literal('other_browser') }),
  Type.Object({ outcome: Type.Literal('wrong_fields') }, { description: 'First name or last name' }),
  Type.Object({
    outcome: Type.Literal('refused'),
    fault: Type.Enum([...methodFaults]),
    passwordMinLength: Type.Integer(),
  }),
  Type.Object({ outcome: Type.Literal('busy'), retryAfter: Type.Integer({ description: 'Seconds' }) }),
  limited,
]);
export type LinkUseResult = Static<typeof LinkUseResult>;
