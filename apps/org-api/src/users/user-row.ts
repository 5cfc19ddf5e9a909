import { idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { nameReadColumns } from '@gatehouse/service-kit/database';
import { buildDecoyOf, parseImportedHash } from '@gatehouse/service-kit/imported-hash';
import {
  foldUsername,
  personalDataNames,
  type Role,
  roles as rolesInOrder,
  type UserChanges,
  type UserType,
} from '@gatehouse/shared';
import type { StoredPersonalData } from './personal-data.ts';
import type { User } from './user.ts';
import { type UserRow, userEntity } from './user-table.ts';

/** The columns that a user has of its row: what terms, groups and identities say of it they write themselves. */
type WrittenUserRow = Omit<UserRow, 'terms_at' | 'in_groups' | 'has_identities'>;

/** The columns that no user is made of. */
const unread = ['email_key', 'terms_at', 'imported_form'] as const;
export type ReadUserRow = Omit<UserRow, (typeof unread)[number]>;
export const readColumns = nameReadColumns(userEntity('sqlite').columns, unread);

/** A user of the organization as its row says. */
export function userFromRow(row: Omit<ReadUserRow, 'in_groups' | 'has_identities'>): User {
  const { verifiedEmail, ...personalData } = parsePersonalData(row.personal_data);
  return {
    id: idFromBytes(row.id),
    username: row.username,
    userType: row.user_type as UserType,
    // A replica of the release before may have written a password next to the guarded one: the newer one counts.
    // The guarded one is empty where the user has no password.
    passwordHash: row.password_hash ?? (row.guarded_hash || row.imported_hash || undefined),
    isPasswordImported: row.password_hash === null && !row.guarded_hash && row.imported_hash !== null,
    secondStep: row.guarded_hash !== null,
    isUnguarded: row.password_hash !== null,
    methodsVersion: Number(row.methods_version),
    passwordChangedAt: Number(row.password_changed_at),
    firstName: row.first_name,
    lastName: row.last_name,
    email: row.email,
    emailVerified: verifiedEmail === row.email,
    enabled: Boolean(row.enabled),
    roles: parseRoles(row.roles),
    organization: row.organization,
    locale: row.locale,
    timezone: row.timezone,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    externalId: row.external_id ?? undefined,
    ...personalData,
  };
}

/** The row of a new user. */
export function rowFromUser(user: User): WrittenUserRow {
  return {
    id: idToBytes(user.id),
    username: user.username,
    username_key: foldUsername(user.username),
    user_type: user.userType,
    password_hash: user.isPasswordImported ? null : (user.passwordHash ?? null),
    password_changed_at: user.passwordChangedAt,
    first_name: user.firstName,
    last_name: user.lastName,
    email: user.email,
    // SQLite has no booleans.
    enabled: Number(user.enabled),
    roles: formatRoles(user.roles),
    organization: user.organization,
    locale: user.locale,
    timezone: user.timezone,
    created_at: user.createdAt,
    updated_at: user.updatedAt,
    personal_data: formatPersonalData(personalDataOf(user)),
    guarded_hash: null,
    methods_version: user.methodsVersion,
    email_key: emailKeyOf(user.email),
    ...importedColumns(user),
    external_id: user.externalId ?? null,
  };
}

function importedColumns({ isPasswordImported, passwordHash }: User): Pick<UserRow, 'imported_hash' | 'imported_form'> {
  const imported = isPasswordImported && passwordHash !== undefined ? passwordHash : null;
  const parsed = imported === null ? undefined : parseImportedHash(imported);
  return { imported_hash: imported, imported_form: parsed === undefined ? null : buildDecoyOf(parsed) };
}

/** Some letters become longer when they are folded. An address whose folded form is too long is not found by it. */
function emailKeyOf(email: string): string | null {
  const key = foldUsername(email);
  return [...key].length <= 255 ? key : null;
}

/** The columns that a change names, but for the personal data. */
export function changedColumns(changes: UserChanges): Partial<WrittenUserRow> {
  const columns: Partial<WrittenUserRow> = {};
  if (changes.firstName !== undefined) columns.first_name = changes.firstName;
  if (changes.lastName !== undefined) columns.last_name = changes.lastName;
  if (changes.email !== undefined) {
    columns.email = changes.email;
    columns.email_key = emailKeyOf(changes.email);
  }
  if (changes.enabled !== undefined) columns.enabled = Number(changes.enabled);
  if (changes.roles !== undefined) columns.roles = formatRoles(changes.roles);
  if (changes.organization !== undefined) columns.organization = changes.organization;
  if (changes.locale !== undefined) columns.locale = changes.locale;
  if (changes.timezone !== undefined) columns.timezone = changes.timezone;
  if (changes.externalId !== undefined) columns.external_id = changes.externalId;
  return columns;
}

function formatRoles(held: readonly Role[]): string {
  return rolesInOrder.filter((role) => held.includes(role)).join(' ');
}

function parseRoles(text: string): Role[] {
  return text === '' ? [] : (text.split(' ') as Role[]);
}

/** The personal data of a row; nothing where the row has none. */
export function parsePersonalData(text: string | null): StoredPersonalData {
  return text === null ? {} : (JSON.parse(text) as StoredPersonalData);
}

/** The column for personal data; null where there is none. */
export function formatPersonalData(personalData: StoredPersonalData): string | null {
  const text = JSON.stringify(personalData);
  return text === '{}' ? null : text;
}

function personalDataOf(user: User): StoredPersonalData {
  const members = Object.fromEntries(personalDataNames.map((name) => [name, user[name]]));
  return { ...members, verifiedEmail: user.emailVerified ? user.email : undefined };
}
