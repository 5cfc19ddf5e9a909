import { type Static, Type } from 'typebox';
import { provenUser } from './directory-methods.ts';
import type { Identity } from './directory-upstreams.ts';
import { DirectoryUser } from './organization-directory.ts';
import type { UserDetails } from './user.ts';
import type { UserMethods } from './user-methods.ts';

/*
 * The part of the protocol between the two services that is about the account pages: what users see and change of themselves.
 */

/** Asks for what a user sees of the own account. */
export const AccountQuery = Type.Object(
  {
    userId: provenUser.userId,
    events: Type.Optional(
      Type.Object(
        {
          after: Type.Optional(
            Type.String({ maxLength: 64, description: 'The id of the last event of the page before' }),
          ),
          from: Type.Integer({
            minimum: 0,
            maximum: 2 ** 48 - 1,
            description: 'Milliseconds since the epoch: of the first instant that counts',
          }),
          limit: Type.Integer({ minimum: 1, maximum: 1000 }),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);
export type AccountQuery = Static<typeof AccountQuery>;

/** An event of the audit trail, as a service shows it. */
interface ListedEvent {
  id: string;
  /** RFC 3339, UTC. */
  time: string;
  type: string;
  outcome: string;
  reason?: string | undefined;
  actor: { kind: string; id?: string | undefined; name?: string | undefined };
  subject?: { kind: string; id?: string | undefined; name?: string | undefined } | undefined;
  client?: string | undefined;
  address?: string | undefined;
}

/** The members of a record that `USERS_MAY_CHANGE` can name. */
export const profileFields = [
  'firstName',
  'middleName',
  'lastName',
  'nickname',
  'profile',
  'picture',
  'website',
  'gender',
  'birthdate',
  'locale',
  'timezone',
  'phoneNumber',
  'address',
] as const;
export type ProfileField = (typeof profileFields)[number];

/** A change of the e-mail address that waits. Instants are RFC 3339, UTC. */
export interface WaitingEmailChange {
  email: string;
  /** The sides that have not confirmed it yet. */
  waitsFor: ('old' | 'new')[];
  expiresAt: string;
  /** Before this instant it does not count; absent where it counts once all have confirmed. */
  countsAt?: string;
}

export interface AccountData {
  user: UserDetails;
  methods: UserMethods;
  /** The accounts at upstreams; an org-api of the release before does not say them. */
  identities?: Identity[];
  /** The members that users change themselves. */
  mayChange: ProfileField[];
  passwordMinLength: number;
  /** The change of the address that waits. */
  emailChange?: WaitingEmailChange;
  /** By or about the user, the newest first; absent where they were not asked for. */
  events?: ListedEvent[];
}

/** `account` is absent where there is no such user. */
export interface AccountQueryResult {
  account?: AccountData;
}

/** A user who changes the own profile. A member is the new value, or null where the record can do without. */
export const ProfileChange = Type.Object(
  {
    ...provenUser,
    changes: Type.Object({}, { additionalProperties: true }),
    delete: Type.Optional(Type.Literal(true, { description: 'Deletes the account; then there are no changes' })),
  },
  { additionalProperties: false },
);
export type ProfileChange = Omit<Static<typeof ProfileChange>, 'changes'> & { changes: Record<string, unknown> };

export const ProfileChangeResult = Type.Union([
  Type.Object({ outcome: Type.Literal('done'), user: DirectoryUser }),
  Type.Object({
    outcome: Type.Literal('refused'),
    fields: Type.Array(Type.String(), {
      description: 'The members whose values are no good, or that no user may change',
    }),
  }),
  Type.Object({ outcome: Type.Literal('changed') }),
  Type.Object({ outcome: Type.Literal('deleted') }),
  Type.Object({ outcome: Type.Literal('last_administrator') }),
]);
export type ProfileChangeResult = Static<typeof ProfileChangeResult>;
