import type { Clock } from '../clock.ts';
import { createBatchedLookup } from '../database/batched-lookup.ts';
import { createBatchedWrite } from '../database/batched-write.ts';
import type { Database } from '../database/database.ts';
import { createInsert } from '../database/insert-row.ts';
import { createId, idToBytes } from '../time-ordered-id.ts';
import { type FailedAttemptRow, failedAttemptTable } from './failed-attempt-table.ts';

/** The hashes that a guess is counted by: of a name at a place, of a network, of a name everywhere. */
export interface CountedBy {
  subject: Buffer;
  network: Buffer;
}

/** The guesses that count now. They are in the database, so they count for all replicas together. */
export interface GuessCounts {
  /** Counts one guess for `lifetime` milliseconds. The result can take the count back. */
  add(guesses: readonly (CountedBy & { lifetime: number })[]): Promise<CountedGuess>;
  /** How many guesses count for a subject, or for a network. */
  count(by: 'subject' | 'network', hash: Buffer): Promise<number>;
  /** Milliseconds since the epoch at which fewer than `limit` count; undefined where fewer do now. */
  findEnd(by: 'subject' | 'network', hash: Buffer, limit: number): Promise<number | undefined>;
}

export interface CountedGuess {
  takeBack(): Promise<void>;
}

const columns = { subject: 'subject_hash', network: 'address_hash' } as const;

export function createGuessCounts({ database, clock }: { database: Database; clock: Clock }): GuessCounts {
  const insert = createInsert<FailedAttemptRow>(database, failedAttemptTable);
  const remove = createBatchedWrite<Buffer>(async (ids) => {
    await database.execute(`DELETE FROM ${failedAttemptTable} WHERE id IN (${ids.map(() => '?').join(', ')})`, ids);
  });
  /** A key is the first letter of the kind, then the hash in hexadecimal. */
  const findCount = createBatchedLookup<number>(async (keys) => {
    const parts = (['subject', 'network'] as const)
      .map((by) => ({
        by,
        hashes: keys.filter((key) => key[0] === by[0]).map((key) => Buffer.from(key.slice(1), 'hex')),
      }))
      .filter(({ hashes }) => hashes.length > 0);
    const sql = parts.map(({ by, hashes }) => countSql(by, hashes.length)).join(' UNION ALL ');
    const values = parts.flatMap(({ hashes }) => [...hashes, clock()]);
    const rows = await database.query<{ kind: string; hash: Buffer; guesses: number }>(sql, values);
    return new Map(rows.map(({ kind, hash, guesses }) => [kind + hash.toString('hex'), Number(guesses)]));
  });

  return {
    async add(guesses) {
      const rows = guesses.map(({ subject, network, lifetime }) => ({
        id: idToBytes(createId()),
        subject_hash: subject,
        address_hash: network,
        expires_at: clock() + lifetime,
      }));
      await Promise.all(rows.map(insert));
      return { takeBack: async () => void (await Promise.all(rows.map(({ id }) => remove(id)))) };
    },
    count: async (by, hash) => (await findCount(by[0] + hash.toString('hex'))) ?? 0,
    async findEnd(by, hash, limit) {
      const sql = `SELECT expires_at FROM ${failedAttemptTable} WHERE ${columns[by]} = ? AND expires_at > ?
        ORDER BY expires_at DESC LIMIT 1 OFFSET ${limit - 1}`;
      const [row] = await database.query<Pick<FailedAttemptRow, 'expires_at'>>(sql, [hash, clock()]);
      return row && Number(row.expires_at);
    },
  };
}

function countSql(by: 'subject' | 'network', hashes: number): string {
  const column = columns[by];
  return `SELECT '${by[0]}' AS kind, ${column} AS hash, COUNT(*) AS guesses FROM ${failedAttemptTable}
    WHERE ${column} IN (${Array(hashes).fill('?').join(', ')}) AND expires_at > ? GROUP BY ${column}`;
}
