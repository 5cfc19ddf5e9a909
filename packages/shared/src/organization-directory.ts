import { type Static, Type } from 'typebox';
import { UserDetails } from './user.ts';

/**
 * The protocol between the two services: what auth-server asks org-api, and how it proves who it is.
 * Each call carries a short-lived JWT signed with one of the auth server's own keys, of a `typ` and an audience that
 * no issued access token can have.
 */
export const serviceTokenType = 'gatehouse-service+jwt';

/** Seconds that a service token is valid. */
export const serviceTokenLifetime = 60;

export function serviceTokenAudience(baseUrl: string): string {
  return `${baseUrl}/internal/directory`;
}

export const directoryPaths = {
  passwordChecks: '/internal/directory/password-checks',
  userQueries: '/internal/directory/user-queries',
} as const;

const { organization: _unneeded, createdAt: _unused, ...knownFields } = UserDetails.properties;

/** A user as auth-server sees it. */
export const DirectoryUser = Type.Object(
  {
    ...knownFields,
    updatedAt: Type.Integer({ description: 'Milliseconds since the epoch' }),
    passwordChangedAt: Type.Integer({ description: 'Milliseconds since the epoch: what was issued before is void' }),
  },
  { $id: 'DirectoryUser' },
);
export type DirectoryUser = Static<typeof DirectoryUser>;

export const PasswordCheck = Type.Object(
  {
    username: Type.String(),
    password: Type.String(),
    address: Type.String({ maxLength: 255, description: 'Where the attempt came from, to slow guessing' }),
  },
  { additionalProperties: false },
);
export type PasswordCheck = Static<typeof PasswordCheck>;

/** `verified` also for a user that is disabled: the caller decides what that means. */
export const PasswordCheckResult = Type.Union([
  Type.Object({ outcome: Type.Literal('verified'), user: DirectoryUser }),
  Type.Object({ outcome: Type.Literal('wrong') }),
  Type.Object({ outcome: Type.Literal('limited'), retryAfter: Type.Integer({ description: 'Seconds' }) }),
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
