import { findIdBytes, idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { type Database, insertRow } from '@gatehouse/service-kit/database';
import { mostExamined, type Total, totalOf } from '@gatehouse/service-kit/terms';
import { formatCeiling, parseCeiling } from '../clients/client-row.ts';
import type { RegistrationLimits } from '../clients/dynamic-registration.ts';
import type { InitialToken } from './initial-token.ts';
import type { InitialTokenRow } from './initial-token-table.ts';

export interface InitialTokenPageRequest {
  /** The id of the last token of the page before. */
  after: string | undefined;
  limit: number;
  /** Whether only those count that have a use left. */
  usable: boolean;
}

export interface InitialTokenStore {
  insert(token: InitialToken): Promise<void>;
  findByHash(tokenHash: Buffer): Promise<InitialToken | undefined>;
  /** Counts those that {@link InitialTokenStore.list} gives on all pages. */
  count(request: Pick<InitialTokenPageRequest, 'usable'>, now: number): Promise<Total>;
  /** Those that have not expired, in the order of their creation. */
  list(page: InitialTokenPageRequest, now: number): Promise<InitialToken[]>;
  /** Takes one use: true for exactly as many callers as there are uses left, and for none once it has expired. */
  take(id: string, now: number): Promise<boolean>;
  /** Gives back a use that was taken. */
  giveBack(id: string): Promise<void>;
  /** False where it is gone. Any text may stand for the id. */
  delete(id: string): Promise<boolean>;
}

export function createInitialTokenStore(database: Database): InitialTokenStore {
  return {
    insert: (token) => insertRow(database, 'initial_access_tokens', rowFromToken(token)),
    async findByHash(tokenHash) {
      const sql = 'SELECT * FROM initial_access_tokens WHERE token_hash = ?';
      const [row] = await database.query<InitialTokenRow>(sql, [tokenHash]);
      return row && tokenFromRow(row);
    },
    async count({ usable }, now) {
      const some = `SELECT id FROM initial_access_tokens WHERE ${isListed(usable)} LIMIT ${mostExamined + 1}`;
      const [row] = await database.query<{ found: number }>(`SELECT COUNT(*) AS found FROM (${some}) t`, [now]);
      return totalOf(Number(row?.found));
    },
    async list({ after, limit, usable }, now) {
      const start = after === undefined ? undefined : findIdBytes(after);
      const where = start === undefined ? '' : 'AND id > ?';
      const sql = `SELECT * FROM initial_access_tokens WHERE ${isListed(usable)} ${where} ORDER BY id LIMIT ?`;
      const values = [now, ...(start === undefined ? [] : [start]), limit];
      return (await database.query<InitialTokenRow>(sql, values)).map(tokenFromRow);
    },
    async take(id, now) {
      const sql = `UPDATE initial_access_tokens SET uses_left = uses_left - 1
        WHERE id = ? AND uses_left > 0 AND expires_at > ?`;
      return (await database.execute(sql, [idToBytes(id), now])) === 1;
    },
    async giveBack(id) {
      const sql = 'UPDATE initial_access_tokens SET uses_left = uses_left + 1 WHERE id = ? AND uses_left < uses';
      await database.execute(sql, [idToBytes(id)]);
    },
    async delete(id) {
      const bytes = findIdBytes(id);
      if (bytes === undefined) return false;
      return (await database.execute('DELETE FROM initial_access_tokens WHERE id = ?', [bytes])) === 1;
    },
  };
}

function isListed(usable: boolean): string {
  return `expires_at > ?${usable ? ' AND uses_left > 0' : ''}`;
}

function tokenFromRow(row: InitialTokenRow): InitialToken {
  return {
    id: idFromBytes(row.id),
    tokenHash: row.token_hash,
    uses: row.uses,
    usesLeft: row.uses_left,
    limits: JSON.parse(row.limits) as RegistrationLimits,
    ceiling: parseCeiling(row.ceiling),
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
  };
}

function rowFromToken(token: InitialToken): InitialTokenRow {
  return {
    id: idToBytes(token.id),
    token_hash: token.tokenHash,
    uses: token.uses,
    uses_left: token.usesLeft,
    limits: JSON.stringify(token.limits),
    ceiling: formatCeiling(token.ceiling),
    created_at: token.createdAt,
    expires_at: token.expiresAt,
  };
}
