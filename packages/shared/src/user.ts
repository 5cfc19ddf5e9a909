import { type Static, Type } from 'typebox';
import { inAddresses, plain, plainLetter, printable } from './character-ranges.ts';
import { createFieldsChecker } from './check-fields.ts';
import { groupNames } from './group.ts';
import {
  changeablePersonalFields,
  emailVerified,
  optionalPersonalFields,
  type PersonalDataChanges,
} from './personal-data.ts';

export const userTypes = ['Person', 'Robot'] as const;
export type UserType = (typeof userTypes)[number];

/** Roles of the organization database, the most powerful first. */
export const roles = ['SystemAdministrator', 'IdpAdministrator', 'DirectoryReader'] as const;
export type Role = (typeof roles)[number];

/** The roles that each role includes in addition to itself. */
const impliedRoles: Record<Role, readonly Role[]> = {
  SystemAdministrator: ['IdpAdministrator', 'DirectoryReader'],
  IdpAdministrator: ['DirectoryReader'],
  DirectoryReader: [],
};

/** The held roles and the roles that they include; the most powerful first. */
export function rolesImpliedBy(held: readonly Role[]): Role[] {
  return roles.filter((role) => held.some((own) => own === role || impliedRoles[own].includes(role)));
}

/** The held roles that are within a ceiling: a client may use no others. */
export function limitRoles(held: readonly Role[], ceiling: readonly Role[]): Role[] {
  return held.filter((role) => ceiling.includes(role));
}

export function isEveryRole(some: readonly Role[]): boolean {
  return roles.every((role) => some.includes(role));
}

/** Whether these roles allow the registration and administration of clients. */
export function mayAdministerClients(held: readonly Role[]): boolean {
  return held.includes('SystemAdministrator') || held.includes('IdpAdministrator');
}

/** Whether these roles allow reading another user's details. */
export function mayReadDirectory(held: readonly Role[]): boolean {
  return held.length > 0;
}

/** E-mail form: one `@`; no colon (RFC 7617 forbids it in a user-id), white space or control characters. */
export const usernamePattern = `^(?:${inAddresses})+@(?:${inAddresses})+$`;

const username = Type.String({
  pattern: usernamePattern,
  maxLength: 255,
  description: 'In e-mail form; compared without regard to case, kept as written',
  expected: 'be in e-mail form, name@host, at most 255 characters, without spaces or colons',
  examples: ['user@example.com'],
});
const name = (description: string) =>
  Type.String({
    maxLength: 255,
    pattern: `^(?:${printable})*$`,
    description,
    expected: 'be a string of at most 255 characters without control characters',
  });
const password = Type.String({
  minLength: 8,
  maxLength: 1024,
  description: 'The password; for a Person only; none of the 10,000 most common ones',
  expected: 'be a string of 8 to 1024 characters',
});
const email = Type.String({
  pattern: usernamePattern,
  maxLength: 255,
  expected: 'be an e-mail address of at most 255 characters',
});
const enabled = Type.Boolean({ expected: 'be true or false' });
const locale = Type.String({
  pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$',
  maxLength: 35,
  description: 'BCP 47 language tag',
  expected: 'be a BCP 47 language tag',
  examples: ['en'],
});
const timezone = Type.String({
  pattern: '^[A-Za-z0-9_+/-]{1,64}$',
  description: 'IANA time zone',
  expected: 'be an IANA time zone name',
  examples: ['UTC'],
});
const userRoles = Type.Array(Type.Enum([...roles]), {
  uniqueItems: true,
  description: 'Roles in the organization',
  expected: `be an array of ${roles.join(', ')}, without repeats`,
});

const externalIdExpected =
  'be a string of 1–255 characters without control or direction characters, and without a space at either end';
/** No space stands at either end: MySQL compares without those at the end. */
const externalId = Type.String({
  pattern: `^(?:${plainLetter})(?:(?:${plain}){0,253}(?:${plainLetter}))?$`,
  description: 'The id of the user in another system; no two users have the same',
  expected: externalIdExpected,
  examples: ['auth0|5f7c8ec7c33c6c004bbafe82'],
});

/** The public members of a user. They never include a password hash. */
export const userFields = {
  id: Type.String({ description: 'UUID, time-ordered (RFC 9562)' }),
  username: Type.String(),
  userType: Type.Enum([...userTypes]),
  firstName: Type.String(),
  lastName: Type.String(),
  email: Type.String(),
  emailVerified,
  enabled: Type.Boolean(),
  roles: Type.Array(Type.Enum([...roles])),
  organization: Type.String(),
  locale: Type.String(),
  timezone: Type.String(),
  createdAt: Type.String({ description: 'RFC 3339, UTC' }),
  updatedAt: Type.String({ description: 'RFC 3339, UTC' }),
  ...optionalPersonalFields,
  externalId: Type.Optional(Type.String({ description: 'The id of the user in another system; unique' })),
  groups: Type.Optional(
    Type.Array(Type.String(), { description: 'Names of the groups that the user is in, sorted; absent without any' }),
  ),
};
const { id: _always, userType: _too, enabled: _also, ...openedFields } = userFields;

/** The record that org-api answers with. */
export const UserDetails = Type.Object(
  {
    // They come first, because the answer has this order.
    ...userFields,
    ...Type.Partial(Type.Object(openedFields)).properties,
  },
  {
    $id: 'UserDetails',
    description:
      'A user of the organization. A third-party client always gets id, userType and enabled; with scopes email, phone, address, roles and groups the members of that name, with scope profile the rest.',
  },
);
export type UserDetails = Static<typeof UserDetails>;

const accountFields = {
  firstName: Type.Optional(name('Given name')),
  lastName: Type.Optional(name('Family name')),
  email: Type.Optional(email),
  roles: Type.Optional(userRoles),
  enabled: Type.Optional(enabled),
  organization: Type.Optional(name('Organization')),
  locale: Type.Optional(locale),
  timezone: Type.Optional(timezone),
  emailVerified: Type.Optional(emailVerified),
  groups: Type.Optional(groupNames),
};

/** How an invitation gets to its user: by mail, or by the administrator, who gets the link. */
export const Delivery = Type.Enum(['mail', 'link'], {
  description: 'Of an invitation: `mail` (where mails are sent), or `link`: the answer has it',
  expected: 'be mail or link',
});
export type Delivery = Static<typeof Delivery>;

/** The body that creates a user. */
export const NewUser = Type.Object(
  {
    username,
    userType: Type.Optional(Type.Enum([...userTypes], { default: 'Person', expected: `be ${userTypes.join(' or ')}` })),
    password: Type.Optional(password),
    invite: Type.Optional(
      Type.Boolean({
        description: 'In place of a password, for a Person: a link by which the user chooses how to sign in',
        expected: 'be true or false',
      }),
    ),
    deliver: Type.Optional(Delivery),
    ...accountFields,
    ...optionalPersonalFields,
    externalId: Type.Optional(externalId),
  },
  {
    additionalProperties: false,
    examples: [
      {
        username: 'ursula@example.com',
        userType: 'Person',
        password: 'a password of Ursula',
        firstName: 'Ursula',
        lastName: 'User',
        emailVerified: true,
        birthdate: '1985-02-28',
        phoneNumber: '+41446681800',
        address: { streetAddress: '1 Example Way', postalCode: '8001', locality: 'Zurich', country: 'Switzerland' },
      },
    ],
  },
);
export type NewUser = Static<typeof NewUser>;

/** The body that changes a user; an absent field stays as it is, null removes an optional one. */
export const UserChanges = Type.Object(
  {
    ...accountFields,
    ...changeablePersonalFields,
    externalId: Type.Optional(Type.Union([externalId, Type.Null()], { expected: `${externalIdExpected}, or null` })),
  },
  {
    additionalProperties: false,
    examples: [{ phoneNumber: '+41446681801', phoneNumberVerified: true, nickname: null }],
  },
);
/** The fields of a change whose values are no good, or that no record has. */
export function findFaultyFields(changes: Readonly<Record<string, unknown>>): string[] {
  const result = checkUserChanges(changes);
  return result.ok ? [] : result.errors.map(({ field }) => field);
}
const checkUserChanges = createFieldsChecker(UserChanges);
const accountChanges = Type.Object(accountFields);
export type UserChanges = Static<typeof accountChanges> & PersonalDataChanges & { externalId?: string | null };

/** The body that sets a password; `oldPassword` where users set their own. */
export const PasswordChange = Type.Object(
  {
    password,
    oldPassword: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'Required where a user sets its own password',
        expected: 'be the current password',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ password: 'a new password of Ursula' }] },
);
export type PasswordChange = Static<typeof PasswordChange>;

/** A user in a list. */
export const ListedUser = Type.Object(
  {
    ...UserDetails.properties,
    secondStep: Type.Optional(
      Type.Boolean({
        description: 'Of a Person, with `withSecondStep=true`: whether there is a code app or a passkey',
      }),
    ),
  },
  { $id: 'ListedUser' },
);
type ListedUser = Static<typeof ListedUser>;

/** A page of users; `nextCursor` is absent on the last one. */
export const UserPage = Type.Object(
  {
    users: Type.Array(Type.Ref('ListedUser')),
    nextCursor: Type.Optional(Type.String()),
    total: Type.Optional(Type.Integer({ description: '10,000 at most' })),
    totalIsExact: Type.Optional(Type.Boolean({ description: 'false: there may be more' })),
  },
  { $id: 'UserPage' },
);
export interface UserPage {
  users: ListedUser[];
  nextCursor?: string;
  total?: number;
  totalIsExact?: boolean;
}
