import { findIdBytes, idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { createBatchedLookup, type Database, insertUnlessTaken } from '@gatehouse/service-kit/database';
import { foldUsername, type Role, roles as rolesInOrder, type UserChanges, type UserType } from '@gatehouse/shared';
import type { User } from '../../users/user.ts';
import type { UserPageRequest, UserStore } from '../../users/user-store.ts';
import type { UserRow } from './tables.ts';

/** UTF-16 units of 255 characters at most. A longer username does not exist, so it is not looked up. */
const longestKey = 510;

export function createUserStore(database: Database): UserStore {
  const findRows = async (column: 'id' | 'username_key', values: readonly (Buffer | string)[]): Promise<UserRow[]> => {
    if (values.length === 0) return [];
    const marks = values.map(() => '?').join(', ');
    return database.query<UserRow>(`SELECT * FROM users WHERE ${column} IN (${marks})`, values);
  };
  const readUserById = createBatchedLookup<() => User>(async (ids) => {
    const keys = ids.map((id) => Buffer.from(id, 'hex'));
    return new Map((await findRows('id', keys)).map((row) => [row.id.toString('hex'), readOnce(row)]));
  });
  // Compares the stored key: MySQL's `=` ignores spaces at the end, but a username with one more space is another username.
  const readUserByKey = createBatchedLookup<() => User>(
    async (keys) => new Map((await findRows('username_key', keys)).map((row) => [row.username_key, readOnce(row)])),
  );

  const findById = async (id: string): Promise<User | undefined> => {
    const bytes = findIdBytes(id);
    const read = bytes && (await readUserById(bytes.toString('hex')));
    return read?.();
  };
  const findByUsername = async (username: string): Promise<User | undefined> => {
    const key = foldUsername(username);
    const read = key.length > longestKey ? undefined : await readUserByKey(key);
    return read?.();
  };
  const findAll = async (found: readonly Promise<User | undefined>[]): Promise<User[]> =>
    (await Promise.all(found)).filter((user) => user !== undefined);

  /** Changes a row by one statement. Where `expectedHash` is given, a row with another hash is not changed. */
  const change = async (id: string, columns: Partial<UserRow>, expectedHash?: string): Promise<boolean> => {
    const assignments = Object.keys(columns).map((column) => `${column} = ?`);
    const where = expectedHash === undefined ? 'id = ?' : 'id = ? AND password_hash = ?';
    const parameters = [
      ...Object.values(columns),
      idToBytes(id),
      ...(expectedHash === undefined ? [] : [expectedHash]),
    ];
    return (await database.execute(`UPDATE users SET ${assignments.join(', ')} WHERE ${where}`, parameters)) === 1;
  };

  return {
    insert: (user) => insertUnlessTaken(database, 'users', rowFromUser(user)),
    findById,
    findByUsername,
    findByIds: (ids) => findAll([...new Set(ids)].map(findById)),
    findByUsernames: (usernames) => findAll([...new Set(usernames.map(foldUsername))].map(findByUsername)),
    async list(page) {
      const { sql, parameters } = buildListQuery(page);
      return (await database.query<UserRow>(sql, parameters)).map(userFromRow);
    },
    update: async (id, changes, now) => change(id, { ...changedColumns(changes), updated_at: now }),
    replacePassword: (id, { newHash, expectedHash, now }) =>
      change(id, { password_hash: newHash, password_changed_at: now, updated_at: now }, expectedHash),
    async delete(id) {
      return (await database.execute('DELETE FROM users WHERE id = ?', [idToBytes(id)])) === 1;
    },
    async hasSystemAdministrator() {
      const found = await database.query("SELECT 1 FROM users WHERE roles LIKE 'SystemAdministrator%' LIMIT 1");
      return found.length > 0;
    },
  };
}

/** Lists users after a given id whose username, e-mail address or name starts with the search text. */
function buildListQuery({ search, after, limit }: UserPageRequest): { sql: string; parameters: unknown[] } {
  const conditions: string[] = [];
  const parameters: unknown[] = [];
  if (search !== undefined && search !== '') {
    const starts = ['email', 'first_name', 'last_name'].map((column) => `LOWER(${column}) LIKE LOWER(?) ESCAPE '!'`);
    conditions.push(`(username_key LIKE ? ESCAPE '!' OR ${starts.join(' OR ')})`);
    parameters.push(`${escapeLike(foldUsername(search))}%`, ...starts.map(() => `${escapeLike(search)}%`));
  }
  if (after !== undefined) {
    conditions.push('id > ?');
    parameters.push(findIdBytes(after) ?? Buffer.alloc(16));
  }
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  return { sql: `SELECT * FROM users ${where} ORDER BY id LIMIT ?`, parameters: [...parameters, limit] };
}

/** Escapes wildcards, so that they match themselves. */
function escapeLike(text: string): string {
  return text.replace(/[!%_]/g, '!$&');
}

/** Reads a row once for all callers of the same moment. A row that cannot be read fails these callers alone. */
function readOnce(row: UserRow): () => User {
  let user: User | undefined;
  return () => {
    user ??= userFromRow(row);
    return user;
  };
}

function userFromRow(row: UserRow): User {
  return {
    id: idFromBytes(row.id),
    username: row.username,
    userType: row.user_type as UserType,
    passwordHash: row.password_hash ?? undefined,
    passwordChangedAt: Number(row.password_changed_at),
    firstName: row.first_name,
    lastName: row.last_name,
    email: row.email,
    enabled: Boolean(row.enabled),
    roles: parseRoles(row.roles),
    organization: row.organization,
    locale: row.locale,
    timezone: row.timezone,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
}

function rowFromUser(user: User): UserRow {
  return {
    id: idToBytes(user.id),
    username: user.username,
    username_key: foldUsername(user.username),
    user_type: user.userType,
    password_hash: user.passwordHash ?? null,
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
  };
}

function changedColumns(changes: UserChanges): Partial<UserRow> {
  const columns: Partial<UserRow> = {};
  if (changes.firstName !== undefined) columns.first_name = changes.firstName;
  if (changes.lastName !== undefined) columns.last_name = changes.lastName;
  if (changes.email !== undefined) columns.email = changes.email;
  if (changes.enabled !== undefined) columns.enabled = Number(changes.enabled);
  if (changes.roles !== undefined) columns.roles = formatRoles(changes.roles);
  if (changes.organization !== undefined) columns.organization = changes.organization;
  if (changes.locale !== undefined) columns.locale = changes.locale;
  if (changes.timezone !== undefined) columns.timezone = changes.timezone;
  return columns;
}

function formatRoles(held: readonly Role[]): string {
  return rolesInOrder.filter((role) => held.includes(role)).join(' ');
}

function parseRoles(text: string): Role[] {
  return text === '' ? [] : (text.split(' ') as Role[]);
}
