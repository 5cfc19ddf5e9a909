import { findIdBytes, findIdHex, idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { createBatchedLookup, type Database, insertUnlessTaken, isDuplicateKey } from '@gatehouse/service-kit/database';
import { createTermStore } from '@gatehouse/service-kit/terms';
import { foldUsername, type UserChanges } from '@gatehouse/shared';
import { assignColumns } from './assign-columns.ts';
import { changeWhileAnotherStays, isAdministrator, matchRow } from './keep-administrator.ts';
import { changePersonalData, touchesPersonalData } from './personal-data.ts';
import { createReadUsers } from './read-users.ts';
import type { User } from './user.ts';
import { changedColumns, formatPersonalData, parsePersonalData, type ReadUserRow, rowFromUser } from './user-row.ts';
import type { UserRow } from './user-table.ts';
import { termedUser } from './user-terms.ts';
import { userTermTable } from './user-terms-table.ts';

/** UTF-16 units of 255 characters at most. A longer username does not exist, so it is not looked up. */
const longestKey = 510;

/** Each failure means that another change of this user was stored meanwhile. */
const mostTries = 1_000;

/** A new password. Tokens and sessions of before are void unless `voids` is false. */
export interface PasswordReplacement {
  newHash: string;
  /** The one that it replaces; any where it is left out. */
  expectedHash?: string;
  /** The time of the password that it replaces; any where it is left out. */
  expectedChangedAt?: number;
  /** Milliseconds. */
  now: number;
  voids?: boolean;
}

/**
 * SQL: the hash that the password is compared with; the empty text where there is none. A guarded one is empty where there is
 * none.
 */
export const hashInForce = "COALESCE(password_hash, NULLIF(guarded_hash, ''), imported_hash, '')";

/**
 * SQL: sets the hash, which is given twice. MySQL reads the columns as the assignments before left them: neither of the first
 * two changes what the other reads.
 */
const setHash = `password_hash = CASE WHEN guarded_hash IS NULL THEN ? END,
        guarded_hash = CASE WHEN guarded_hash IS NULL THEN NULL ELSE ? END, imported_hash = NULL, imported_form = NULL`;

/** A condition on other rows that must hold in the same statement. */
export interface Gate {
  condition: string;
  parameters: readonly unknown[];
}

/** A user's own change of the e-mail address, which is verified then. */
export interface EmailMove {
  before: string;
  after: string;
  /** Of the password that the user still has. */
  passwordChangedAt: number;
  /** Milliseconds. */
  now: number;
  gate: Gate;
}

/** The change would leave no enabled Person with a password who is SystemAdministrator. */
export class LastAdministratorError extends Error {}

/** The change names the `externalId` of another user. */
export class ExternalIdTakenError extends Error {}

export type UserStore = ReturnType<typeof createUserStore>;

/** The rows of users. */
export function createUserStore(database: Database) {
  const readUsers = createReadUsers(database);
  const findRows = (column: 'id' | 'username_key', values: readonly (Buffer | string)[]): Promise<ReadUserRow[]> =>
    readUsers.readRows(`WHERE ${column} IN (${values.map(() => '?').join(', ')})`, values);
  const readUserById = createBatchedLookup<() => User>(async (ids) => {
    const rows = await findRows(
      'id',
      ids.map((id) => Buffer.from(id, 'hex')),
    );
    const read = await readUsers.complete(rows);
    return new Map(rows.map((row) => [row.id.toString('hex'), readOnce(row, read)]));
  });
  // Compares the stored key: MySQL's `=` ignores spaces at the end, but a username with one more space is another username.
  const readUserByKey = createBatchedLookup<() => User>(async (keys) => {
    const rows = await findRows('username_key', keys);
    const read = await readUsers.complete(rows);
    return new Map(rows.map((row) => [row.username_key, readOnce(row, read)]));
  });

  const findById = async (id: string): Promise<User | undefined> => {
    const hex = findIdHex(id);
    const read = hex && (await readUserById(hex));
    return read ? read() : undefined;
  };
  const findByUsername = async (username: string): Promise<User | undefined> => {
    const key = foldUsername(username);
    const read = key.length > longestKey ? undefined : await readUserByKey(key);
    return read?.();
  };
  const findAll = async (found: readonly Promise<User | undefined>[]): Promise<User[]> =>
    (await Promise.all(found)).filter((user) => user !== undefined);

  const execute = async (sql: string, parameters: readonly unknown[]) =>
    (await database.execute(sql, parameters)) === 1;
  const isLast = async (id: string, expected: Partial<UserRow>): Promise<boolean> => {
    const { where, parameters } = matchRow('users', { id, expected });
    const sql = `SELECT 1 FROM users WHERE ${where} AND ${isAdministrator('users')}`;
    return (await database.query(sql, parameters)).length > 0;
  };

  /**
   * Changes a row by one statement. A row that has other values than the `expected` ones is not changed. Throws where the
   * change would take the last administrator away.
   */
  const change = async (id: string, columns: Partial<UserRow>, expected: Partial<UserRow> = {}): Promise<boolean> => {
    const takesAway = columns.enabled === 0 || columns.roles?.startsWith('SystemAdministrator') === false;
    const { where, parameters } = matchRow('users', { id, expected });
    const condition = takesAway ? `${where} AND NOT ${isAdministrator('users')}` : where;
    const sql = `UPDATE users SET ${assignColumns(database.dialect, columns)} WHERE ${condition}`;
    if (await execute(sql, [...Object.values(columns), ...parameters])) return true;
    if (!takesAway) return false;
    if (await changeWhileAnotherStays(database, { id, columns, expected })) return true;
    if (await isLast(id, expected)) throw new LastAdministratorError();
    return false;
  };

  /**
   * Changes a row with its personal data, which is one document. Of changes at the same moment none is lost: the document
   * is stored only in place of the one that it was made from.
   */
  const changeWithPersonalData = async (
    id: string,
    changes: UserChanges,
    columns: Partial<UserRow>,
    expected: Partial<UserRow>,
  ): Promise<boolean> => {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const [row] = await findRows('id', [idToBytes(id)]);
      if (row === undefined) return false;
      if (expected.updated_at !== undefined && Number(row.updated_at) !== expected.updated_at) return false;
      const { email, personal_data: seen } = row;
      const personalData = changePersonalData(parsePersonalData(seen), email, changes);
      const next = { ...columns, personal_data: formatPersonalData(personalData) };
      if (await change(id, next, { ...expected, email, personal_data: seen })) return true;
    }
    throw new Error(`the personal data of a user changed ${mostTries} times between reading and writing`);
  };

  const terms = createTermStore(database, userTermTable);
  /** The terms of a user come after the row, whose statement made the version. */
  const withTerms = async (id: string, isChanged: boolean): Promise<boolean> => {
    const user = isChanged ? await findById(id) : undefined;
    if (user !== undefined) await terms.writeAfter(termedUser(user));
    return isChanged;
  };
  const remove = async (id: string): Promise<boolean> => {
    const sql = `DELETE FROM users WHERE id = ? AND NOT ${isAdministrator('users')}`;
    if (await execute(sql, [idToBytes(id)])) return true;
    // An administrator is disabled first, which one statement decides.
    return (await change(id, { enabled: 0 })) && execute(sql, [idToBytes(id)]);
  };
  const moveEmail = async (
    id: string,
    { before, after, passwordChangedAt, now, gate }: EmailMove,
  ): Promise<boolean> => {
    const { email, email_key } = changedColumns({ email: after }) as Pick<UserRow, 'email' | 'email_key'>;
    for (let tries = 0; tries < mostTries; tries += 1) {
      const [row] = await findRows('id', [idToBytes(id)]);
      if (row?.email !== before) return false;
      const data = { ...parsePersonalData(row.personal_data), verifiedEmail: after };
      const expected = { email: before, personal_data: row.personal_data, password_changed_at: passwordChangedAt };
      const { where, parameters } = matchRow('users', { id, expected });
      const columns = { email, email_key, personal_data: formatPersonalData(data), updated_at: now };
      const sql = `UPDATE users SET ${assignColumns(database.dialect, columns)}
        WHERE ${where} AND ${gate.condition}`;
      if (await execute(sql, [...Object.values(columns), ...parameters, ...gate.parameters])) return true;
      // Only a change of the personal data meanwhile is a reason to try again.
      const [current] = await findRows('id', [idToBytes(id)]);
      if (current?.personal_data === row.personal_data) return false;
    }
    return false;
  };

  return {
    /** False where the username or the `externalId` is taken. Of several with one at the same moment exactly one is inserted. */
    async insert(user: User): Promise<boolean> {
      const row = { ...rowFromUser(user), ...(user.identities && { has_identities: 1 }) };
      const isNew = await insertUnlessTaken(database, 'users', row);
      if (isNew) await terms.writeAfter(termedUser(user));
      return isNew;
    },
    findById,
    findByUsername,
    async findByExternalId(externalId: string): Promise<User | undefined> {
      const found = await readUsers.read('WHERE external_id = ?', [externalId]);
      return found.find((user) => user.externalId === externalId);
    },
    findByIds: (ids: readonly string[]) => findAll([...new Set(ids)].map(findById)),
    findByUsernames: (usernames: readonly string[]) =>
      findAll([...new Set(usernames.map(foldUsername))].map(findByUsername)),
    /** Users who have a name as username or e-mail address, whatever its case. */
    async listByAddress(name: string, limit: number): Promise<User[]> {
      const key = foldUsername(name);
      if (key.length > longestKey) return [];
      const ofAddress = readUsers.read('WHERE email_key = ? ORDER BY id LIMIT ?', [key, limit]);
      const [byUsername, found] = await Promise.all([findByUsername(name), ofAddress]);
      const byAddress = found.filter(({ email }) => foldUsername(email) === key);
      const others = byAddress.filter(({ id }) => id !== byUsername?.id);
      return (byUsername === undefined ? others : [byUsername, ...others]).slice(0, limit);
    },
    /** False where there is no such user, or its address is another one now. */
    async verifyEmail(id: string, email: string, now: number): Promise<boolean> {
      const [row] = await findRows('id', [idToBytes(id)]);
      if (row?.email !== email) return false;
      const data = { ...parsePersonalData(row.personal_data), verifiedEmail: email };
      const columns = { personal_data: formatPersonalData(data), updated_at: now };
      return withTerms(id, await change(id, columns, { email, personal_data: row.personal_data }));
    },
    /** False where the address or the password is another one meanwhile, or the gate is closed. */
    moveEmail: async (id: string, move: EmailMove): Promise<boolean> => withTerms(id, await moveEmail(id, move)),
    /** Lists users in the order of their ids, which is the order of their creation. `after`: the last one of the page before. */
    async list({ after, limit }: { after: string | undefined; limit: number }): Promise<User[]> {
      const start = after === undefined ? [] : [findIdBytes(after) ?? Buffer.alloc(16)];
      return readUsers.read(`${after === undefined ? '' : 'WHERE id > ?'} ORDER BY id LIMIT ?`, [...start, limit]);
    },
    /**
     * False where there is no such user, or it was changed since `seenUpdatedAt`. Throws a {@link LastAdministratorError} or an
     * {@link ExternalIdTakenError}.
     */
    async update(id: string, changes: UserChanges, now: number, seenUpdatedAt?: number): Promise<boolean> {
      const columns = { ...changedColumns(changes), updated_at: now };
      const expected = seenUpdatedAt === undefined ? {} : { updated_at: seenUpdatedAt };
      const changed = touchesPersonalData(changes)
        ? changeWithPersonalData(id, changes, columns, expected)
        : change(id, columns, expected);
      return withTerms(id, await changed.catch(refuseTaken));
    },
    /**
     * False where there is no such user, or its hash is not `expectedHash` any more (where that is given; the empty text stands for
     * none).
     */
    replacePassword(id: string, replacement: PasswordReplacement): Promise<boolean> {
      const { newHash, expectedHash, expectedChangedAt, now, voids = true } = replacement;
      const sql = `UPDATE users SET ${setHash},
        password_changed_at = COALESCE(?, password_changed_at), ${assignColumns(database.dialect, { updated_at: now })}
        WHERE id = ? AND (? IS NULL OR ${hashInForce} = ?)
        AND (? IS NULL OR password_changed_at = ?)`;
      const [expected, then] = [expectedHash ?? null, expectedChangedAt ?? null];
      const values = [newHash, newHash, voids ? now : null, now, idToBytes(id)];
      return execute(sql, [...values, expected, expected, then, then]);
    },
    /** Puts a hash of ours in the place of an imported one. False where the password is another one meanwhile. */
    async replaceImportedHash({ id, passwordHash: seen }: User, newHash: string): Promise<boolean> {
      const sql = `UPDATE users SET ${setHash} WHERE id = ? AND imported_hash = ? AND ${hashInForce} = imported_hash`;
      return execute(sql, [newHash, newHash, idToBytes(id), seen]);
    },
    /** The versions since then, the oldest first, a thousand at most. */
    async listChangedSince(updatedAt: number): Promise<Pick<User, 'id' | 'updatedAt'>[]> {
      const sql = 'SELECT id, updated_at FROM users WHERE updated_at >= ? ORDER BY updated_at, id LIMIT 1000';
      const rows = await database.query<Pick<UserRow, 'id' | 'updated_at'>>(sql, [updatedAt]);
      return rows.map((row) => ({ id: idFromBytes(row.id), updatedAt: Number(row.updated_at) }));
    },
    /** Makes a new version of users: something of theirs that stands elsewhere changes. */
    async touch(ids: readonly string[], now: number): Promise<void> {
      if (ids.length === 0) return;
      const sql = `UPDATE users SET ${assignColumns(database.dialect, { updated_at: now })} WHERE id IN (${ids.map(() => '?').join(', ')})`;
      await database.execute(sql, [now, ...ids.map(idToBytes)]);
    },
    /** Says of users that they are in groups, before they are put into one. It stays so when they leave. */
    async noteInGroups(ids: readonly string[]): Promise<void> {
      if (ids.length === 0) return;
      const sql = `UPDATE users SET in_groups = 1 WHERE in_groups = 0 AND id IN (${ids.map(() => '?').join(', ')})`;
      await database.execute(sql, ids.map(idToBytes));
    },
    /** Says of a user that it has identities, before one is linked. It stays so when it is unlinked. */
    async noteIdentities(id: string): Promise<void> {
      await database.execute('UPDATE users SET has_identities = 1 WHERE has_identities = 0 AND id = ?', [
        idToBytes(id),
      ]);
    },
    /** False where there is no such user. Throws a {@link LastAdministratorError}. */
    async delete(id: string): Promise<boolean> {
      const isDeleted = await remove(id);
      if (isDeleted) await terms.deleteOfGone(id);
      return isDeleted;
    },
    /** Whether the user is the only administrator left. A change that would take it away throws a {@link LastAdministratorError}. */
    async isLastAdministrator(id: string): Promise<boolean> {
      const other = `SELECT 1 FROM users WHERE id <> ? AND ${isAdministrator('users')} LIMIT 1`;
      return (await isLast(id, {})) && (await database.query(other, [idToBytes(id)])).length === 0;
    },
    /** Whether an enabled Person with a password is SystemAdministrator. */
    async hasSystemAdministrator(): Promise<boolean> {
      return (await database.query(`SELECT 1 FROM users WHERE ${isAdministrator('users')} LIMIT 1`)).length > 0;
    },
  };
}

/** Of the unique columns a change writes `external_id` alone. */
function refuseTaken(error: unknown): never {
  throw isDuplicateKey(error) ? new ExternalIdTakenError() : error;
}

/** Reads a row once for all callers of the same moment. A row that cannot be read fails these callers alone. */
function readOnce(row: ReadUserRow, read: (row: ReadUserRow) => User): () => User {
  let user: User | undefined;
  return () => {
    user ??= read(row);
    return user;
  };
}
