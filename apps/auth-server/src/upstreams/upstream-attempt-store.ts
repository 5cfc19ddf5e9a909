import { findIdBytes, idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { type Database, insertRow, optionalNumber } from '@gatehouse/service-kit/database';
import type { AttemptStatus, UpstreamAccount, UpstreamAttempt } from './upstream-attempt.ts';
import type { UpstreamAttemptRow } from './upstream-attempt-table.ts';

export interface UpstreamAttemptStore {
  insert(attempt: UpstreamAttempt): Promise<void>;
  /** Attempts that are not over at `now`, of all browsers. */
  count(now: number): Promise<number>;
  /** Takes an open attempt that is not over for its one use: undefined for all but one of several at the same moment. */
  use(stateHash: Buffer, browserHash: Buffer, now: number): Promise<UpstreamAttempt | undefined>;
  /** Keeps the account that a used attempt came to. */
  finish(stateHash: Buffer, account: UpstreamAccount): Promise<void>;
  /** The attempt of this id, if it is of this browser and is not over. Any text may stand for the id. */
  find(id: string, browserHash: Buffer, now: number): Promise<UpstreamAttempt | undefined>;
  /** Those of a browser that wait for a sign-in. */
  listAsked(browserHash: Buffer, now: number): Promise<UpstreamAttempt[]>;
  /** False where another caller moved it on, or ended it. */
  move(id: string, from: AttemptStatus, to: AttemptStatus): Promise<boolean>;
  /** False where another caller ended it, or moved it on. */
  end(id: string, from: AttemptStatus): Promise<boolean>;
}

export function createUpstreamAttemptStore(database: Database): UpstreamAttemptStore {
  return {
    async insert(attempt) {
      await insertRow(database, 'upstream_attempts', rowFromAttempt(attempt));
    },
    async count(now) {
      const sql = 'SELECT COUNT(*) AS found FROM upstream_attempts WHERE expires_at > ?';
      const [row] = await database.query<{ found: number }>(sql, [now]);
      return Number(row?.found ?? 0);
    },
    async use(stateHash, browserHash, now) {
      const set = `UPDATE upstream_attempts SET status = 'used'
        WHERE state_hash = ? AND browser_hash = ? AND status = 'open' AND expires_at > ?`;
      if ((await database.execute(set, [stateHash, browserHash, now])) !== 1) return undefined;
      const sql = 'SELECT * FROM upstream_attempts WHERE state_hash = ?';
      const [row] = await database.query<UpstreamAttemptRow>(sql, [stateHash]);
      return row && attemptFromRow(row);
    },
    async finish(stateHash, account) {
      const sql = `UPDATE upstream_attempts SET status = 'done', account = ?
        WHERE state_hash = ? AND status = 'used'`;
      await database.execute(sql, [JSON.stringify(account), stateHash]);
    },
    async find(id, browserHash, now) {
      const bytes = findIdBytes(id);
      if (bytes === undefined) return undefined;
      const sql = `SELECT * FROM upstream_attempts
        WHERE id = ? AND browser_hash = ? AND expires_at > ?`;
      const [row] = await database.query<UpstreamAttemptRow>(sql, [bytes, browserHash, now]);
      return row && attemptFromRow(row);
    },
    async listAsked(browserHash, now) {
      const sql = `SELECT * FROM upstream_attempts
        WHERE browser_hash = ? AND status = 'asked' AND expires_at > ? ORDER BY id`;
      return (await database.query<UpstreamAttemptRow>(sql, [browserHash, now])).map(attemptFromRow);
    },
    async move(id, from, to) {
      const sql = 'UPDATE upstream_attempts SET status = ? WHERE id = ? AND status = ?';
      return (await database.execute(sql, [to, idToBytes(id), from])) === 1;
    },
    async end(id, from) {
      const sql = 'DELETE FROM upstream_attempts WHERE id = ? AND status = ?';
      return (await database.execute(sql, [idToBytes(id), from])) === 1;
    },
  };
}

function attemptFromRow(row: UpstreamAttemptRow): UpstreamAttempt {
  return {
    id: idFromBytes(row.id),
    stateHash: row.state_hash,
    upstreamId: idFromBytes(row.upstream_id),
    browserHash: row.browser_hash,
    place: row.place,
    carried: row.carried,
    clientId: row.client_id ?? undefined,
    status: row.status as AttemptStatus,
    account: row.account === null ? undefined : (JSON.parse(row.account) as UpstreamAccount),
    maxAge: optionalNumber(row.max_age),
    isNew: Boolean(row.is_new),
    beganAt: Number(row.began_at),
    expiresAt: Number(row.expires_at),
  };
}

function rowFromAttempt(attempt: UpstreamAttempt): UpstreamAttemptRow {
  const { account } = attempt;
  return {
    state_hash: attempt.stateHash,
    id: idToBytes(attempt.id),
    upstream_id: idToBytes(attempt.upstreamId),
    browser_hash: attempt.browserHash,
    place: attempt.place,
    carried: attempt.carried,
    client_id: attempt.clientId ?? null,
    status: attempt.status,
    account: account === undefined ? null : JSON.stringify(account),
    max_age: attempt.maxAge ?? null,
    is_new: attempt.isNew ? 1 : 0,
    began_at: attempt.beganAt,
    expires_at: attempt.expiresAt,
  };
}
