import { hash } from 'node:crypto';
import { createId, idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { causally, type Database, insertUnlessTaken, isDuplicateKey } from '@gatehouse/service-kit/database';
import type { LinkFault } from '@gatehouse/shared';
import { chooseFreeNumbers } from '../groups/free-numbers.ts';
import { type Identity, mostIdentities, type StoredIdentity, type UpstreamAccount } from './identity.ts';
import { type IdentityRow, identityTable } from './identity-table.ts';

/** Milliseconds for which a tombstone is kept, which is longer than a sign-in at an upstream takes. */
const tombstoneLifetime = 3_600_000;

/** SQL that must hold in the same statement. */
export interface Condition {
  condition: string;
  parameters: readonly unknown[];
}

const always: Condition = { condition: '1 = 1', parameters: [] };

/** An account that is to be linked. Instants are milliseconds since the epoch. */
export interface NewIdentity extends UpstreamAccount, Pick<Identity, 'upstream' | 'upstreamName' | 'shown'> {
  /** The user, who must still have the password of then. */
  userId: string;
  passwordChangedAt: number;
  /** When the sign-in at the upstream began. */
  beganAt: number;
  now: number;
}

export type LinkOutcome =
  /** `known`: it is linked to this user already. */
  | { outcome: 'linked' | 'known' }
  | { outcome: 'refused'; fault: LinkFault }
  /** The user is not as then any more. */
  | { outcome: 'changed' };

export type IdentityStore = ReturnType<typeof createIdentityStore>;

/** The accounts at upstreams by which users sign in. */
export function createIdentityStore(database: Database) {
  const find = async (account: UpstreamAccount): Promise<StoredIdentity | undefined> => {
    const sql = `SELECT * FROM ${identityTable} WHERE account_hash = ?`;
    const [row] = await database.query<IdentityRow>(sql, [hashAccount(account)]);
    return row && identityFromRow(row);
  };
  const listOfUser = async (userId: string): Promise<Identity[]> => {
    const sql = `SELECT * FROM ${identityTable} WHERE user_id = ? ORDER BY id`;
    return (await database.query<IdentityRow>(sql, [idToBytes(userId)])).map(identityFromRow);
  };
  const listOfUsers = async (userIds: readonly string[]): Promise<StoredIdentity[]> => {
    if (userIds.length === 0) return [];
    const sql = `SELECT * FROM ${identityTable} WHERE user_id IN (${userIds.map(() => '?').join(', ')}) ORDER BY id`;
    return (await database.query<IdentityRow>(sql, userIds.map(idToBytes))).map(identityFromRow);
  };
  /** Undefined where a row with one of its keys came first. */
  const tryToWrite = async (sql: string, values: readonly unknown[]): Promise<boolean | undefined> => {
    try {
      return (await database.execute(sql, values, causally)) === 1;
    } catch (error) {
      if (isDuplicateKey(error)) return undefined;
      throw error;
    }
  };
  const insert = (row: object, { condition, parameters }: Condition) => {
    const columns = Object.keys(row);
    const sql = `INSERT INTO ${identityTable} (${columns.join(', ')})
      SELECT ${columns.map(() => '?').join(', ')} FROM users WHERE ${condition}`;
    return tryToWrite(sql, [...Object.values(row), ...parameters]);
  };
  const takeOver = (
    row: object,
    { beganAt, ...account }: UpstreamAccount & Pick<NewIdentity, 'beganAt'>,
    { condition, parameters }: Condition,
  ) => {
    const columns = Object.keys(row);
    const sql = `UPDATE ${identityTable} SET ${columns.map((column) => `${column} = ?`).join(', ')}
      WHERE account_hash = ? AND user_id IS NULL AND unlinked_at < ? AND ${condition}`;
    return tryToWrite(sql, [...Object.values(row), hashAccount(account), beganAt, ...parameters]);
  };
  /** Undefined where another one took a place of it at the same moment: there is something else to see then. */
  const tryToLink = async (identity: NewIdentity, gate: Condition): Promise<LinkOutcome | undefined> => {
    const [known, own] = await Promise.all([find(identity), listOfUser(identity.userId)]);
    const chosen = findPlace(identity, known, own);
    if (chosen === 'known') return { outcome: chosen };
    if (typeof chosen === 'string') return { outcome: 'refused', fault: chosen };
    const row = newRow(identity, chosen);
    const owner = describeOwner(identity, gate);
    const isWritten = await (known === undefined
      ? insert({ account_hash: hashAccount(identity), ...row }, owner)
      : takeOver(row, identity, { ...owner, condition: `EXISTS (SELECT 1 FROM users WHERE ${owner.condition})` }));
    return isWritten === undefined ? undefined : { outcome: isWritten ? 'linked' : 'changed' };
  };
  return {
    /** A tombstone too. */
    find,
    /** In the order in which they were linked. */
    listOfUser,
    listOfUsers,
    /** The ids of the identities of users, by the ids of those who have one. */
    async findIds(userIds: readonly Buffer[]): Promise<Map<string, string[]>> {
      const found = new Map<string, string[]>();
      if (userIds.length === 0) return found;
      const sql = `SELECT user_id, id FROM ${identityTable} WHERE user_id IN (${userIds.map(() => '?').join(', ')}) ORDER BY id`;
      for (const row of await database.query<{ user_id: Buffer; id: Buffer }>(sql, userIds)) {
        const userId = idFromBytes(row.user_id);
        found.set(userId, [...(found.get(userId) ?? []), idFromBytes(row.id)]);
      }
      return found;
    },
    /** Stores that it was used. False where it is unlinked meanwhile. */
    async use(account: UpstreamAccount, { id, now }: { id: string; now: number }): Promise<boolean> {
      const sql = `UPDATE ${identityTable} SET last_used_at = ? WHERE account_hash = ? AND id = ? AND user_id IS NOT NULL`;
      return (await database.execute(sql, [now, hashAccount(account), idToBytes(id)])) === 1;
    },
    /**
     * Links an account that is no other user's, and was not unlinked since the sign-in there began. Of several at the same moment, for
     * one account, one issuer or the last free place of a user, one is linked. `gate`: what must hold of the row of the user, too.
     */
    async link(identity: NewIdentity, gate = always): Promise<LinkOutcome> {
      for (;;) {
        const outcome = await tryToLink(identity, gate);
        if (outcome !== undefined) return outcome;
      }
    },
    /**
     * Keeps an account for a user who is made next, under the id of that user. Of several at the same moment one is kept. An account
     * that was unlinked since the sign-in there began is not.
     */
    async reserve(identity: Omit<NewIdentity, 'passwordChangedAt'>): Promise<void> {
      const row = newRow(identity, 1);
      const isNew = await insertUnlessTaken(database, identityTable, { account_hash: hashAccount(identity), ...row });
      if (!isNew) await takeOver(row, identity, always);
    },
    /** Makes way where the user who had an account is gone, or was never made. */
    async clear(account: UpstreamAccount): Promise<void> {
      const sql = `DELETE FROM ${identityTable} WHERE account_hash = ? AND user_id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM users WHERE users.id = ${identityTable}.user_id)`;
      await database.execute(sql, [hashAccount(account)], causally);
    },
    /** Leaves a tombstone. False where the user has no such identity, or the condition of the caller does not hold. */
    async unlink(userId: string, { id, now }: { id: string; now: number }, gate: Condition): Promise<boolean> {
      const sql = `UPDATE ${identityTable} SET user_id = NULL, unlinked_at = ?, expires_at = ?
        WHERE user_id = ? AND id = ? AND ${gate.condition}`;
      const values = [now, now + tombstoneLifetime, idToBytes(userId), idToBytes(id)];
      return (await database.execute(sql, [...values, ...gate.parameters])) === 1;
    },
    async deleteOfUser(userId: string): Promise<void> {
      await database.execute(`DELETE FROM ${identityTable} WHERE user_id = ?`, [idToBytes(userId)]);
    },
  };
}

/** SQL: whether the row is of the user, as it was when it signed in here. */
const isAsThen = `users.id = ? AND users.password_changed_at = ? AND users.enabled = 1 AND users.user_type = 'Person'`;

function describeOwner({ userId, passwordChangedAt }: NewIdentity, gate: Condition): Condition {
  const parameters = [idToBytes(userId), passwordChangedAt, ...gate.parameters];
  return { condition: `${isAsThen} AND ${gate.condition}`, parameters };
}

/** The number that it can have, or why it cannot be linked. */
function findPlace(
  { userId, issuer, beganAt }: NewIdentity,
  known: StoredIdentity | undefined,
  own: readonly Identity[],
): number | 'known' | LinkFault {
  if (known?.userId !== undefined) return known.userId === userId ? 'known' : 'other_user';
  if (known !== undefined && known.unlinkedAt >= beganAt) return 'unlinked';
  if (own.some((one) => one.issuer === issuer)) return 'same_issuer';
  const taken = new Set(own.map(({ number }) => number));
  return chooseFreeNumbers(taken, 1, mostIdentities)?.[0] ?? 'too_many';
}

/** The row of an account that is linked to a user who is made next. */
export function identityRow(identity: Omit<NewIdentity, 'passwordChangedAt' | 'beganAt'>, number: number): IdentityRow {
  return { account_hash: hashAccount(identity), ...newRow(identity, number) };
}

/** All columns but the key. */
function newRow(
  identity: Omit<NewIdentity, 'passwordChangedAt' | 'beganAt'>,
  number: number,
): Omit<IdentityRow, 'account_hash'> {
  const { userId, issuer, subject, upstream, upstreamName, shown, now } = identity;
  return {
    id: idToBytes(createId()),
    user_id: idToBytes(userId),
    issuer_hash: hash('sha256', issuer, 'buffer'),
    number,
    issuer,
    subject,
    upstream,
    upstream_name: upstreamName,
    shown,
    linked_at: now,
    last_used_at: null,
    unlinked_at: null,
    expires_at: null,
  };
}

function hashAccount({ issuer, subject }: UpstreamAccount): Buffer {
  return hash('sha256', JSON.stringify([issuer, subject]), 'buffer');
}

function identityFromRow(row: IdentityRow): StoredIdentity {
  const identity: Identity = {
    id: idFromBytes(row.id),
    number: Number(row.number),
    issuer: row.issuer,
    subject: row.subject,
    upstream: row.upstream,
    upstreamName: row.upstream_name,
    shown: row.shown,
    linkedAt: Number(row.linked_at),
    lastUsedAt: row.last_used_at === null ? undefined : Number(row.last_used_at),
  };
  return row.user_id === null
    ? { ...identity, userId: undefined, unlinkedAt: Number(row.unlinked_at) }
    : { ...identity, userId: idFromBytes(row.user_id) };
}
