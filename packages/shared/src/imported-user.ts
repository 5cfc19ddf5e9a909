import { type Static, Type } from 'typebox';
import { NewUser } from './user.ts';

const { password: _clear, invite: _mailed, deliver: _how, ...userFields } = NewUser.properties;

const bytes = (most: number) =>
  Type.String({
    pattern: '^[A-Za-z0-9_-]+$',
    maxLength: Math.ceil((most * 4) / 3),
    expected: `be base64url of at most ${most} bytes`,
  });
const instant = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(?:\\.\\d{1,9})?Z$',
  description: 'RFC 3339, UTC',
  expected: 'be an instant of RFC 3339 in UTC, such as 2026-01-31T12:00:00Z',
  examples: ['2026-01-31T12:00:00Z'],
});

const CodeApp = Type.Object(
  {
    secret: Type.String({
      pattern: '^[A-Z2-7]{16,104}$',
      description: 'Base32 without padding; SHA-1, 6 digits, 30 s',
    }),
  },
  { additionalProperties: false, expected: 'be an object with the secret of the app in Base32' },
);

const Passkey = Type.Object(
  {
    credentialId: bytes(1_023),
    publicKey: bytes(2_048),
    counter: Type.Integer({ minimum: 0, maximum: 4_294_967_295 }),
    userHandle: bytes(64),
    rpId: Type.Optional(
      Type.String({ maxLength: 255, description: 'The domain that it is for; left out unless `PASSKEY_RP_ID`' }),
    ),
    name: Type.Optional(Type.String({ maxLength: 64 })),
    transports: Type.Optional(Type.Array(Type.String({ pattern: '^[a-z-]{1,16}$' }), { maxItems: 8 })),
    aaguid: Type.Optional(Type.String({ pattern: '^[0-9a-f-]{36}$' })),
    backupEligible: Type.Optional(Type.Boolean({ description: 'Left out: the first use says it' })),
    backedUp: Type.Optional(Type.Boolean()),
    userVerified: Type.Optional(
      Type.Boolean({ description: '`true` where it verified its user here before: then it signs in alone' }),
    ),
    createdAt: Type.Optional(instant),
  },
  { additionalProperties: false },
);

const Identity = Type.Object(
  {
    issuer: Type.String({ minLength: 1, maxLength: 512 }),
    subject: Type.String({ minLength: 1, maxLength: 512 }),
  },
  { additionalProperties: false },
);

/** A line of a bundle that is a user: what `POST …/user` takes but for the password, and what another server kept of it. */
export const ImportedUser = Type.Object(
  {
    kind: Type.Optional(Type.Enum(['user'], { expected: 'be user' })),
    id: Type.Optional(
      Type.String({
        pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
        description: 'Any UUID, which becomes `sub`; a new one where it is left out',
        expected: 'be a UUID in lower case',
      }),
    ),
    ...userFields,
    passwordHash: Type.Optional(
      Type.String({
        maxLength: 512,
        description: 'As another server made it: argon2, bcrypt, PBKDF2 or scrypt, within bounds',
        expected: 'be a text of at most 512 characters',
      }),
    ),
    codeApp: Type.Optional(CodeApp),
    passkeys: Type.Optional(
      Type.Array(Passkey, {
        maxItems: 20,
        expected: 'be an array of at most 20 passkeys, each with credentialId, publicKey, counter and userHandle',
      }),
    ),
    identities: Type.Optional(
      Type.Array(Identity, {
        maxItems: 10,
        expected: 'be an array of at most 10 accounts, each with its issuer and subject, of different issuers',
      }),
    ),
    createdAt: Type.Optional(instant),
  },
  { additionalProperties: false },
);
export type ImportedUser = Static<typeof ImportedUser>;
