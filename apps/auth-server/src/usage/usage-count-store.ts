import { createHash } from 'node:crypto';
import type { Database } from '@gatehouse/service-kit/database';
import { type Ledger, partKinds, type Step, steps, type UsageCount } from './usage-count.ts';

/** Which counts to read: of a ledger, of the steps that begin in a range. */
export interface UsageQuery {
  step: Step;
  ledger: Ledger;
  /** Milliseconds, inclusive. */
  from: number;
  /** Milliseconds, exclusive. */
  to: number;
}

/** The sum of all processes. */
export interface UsageSum {
  startsAt: number;
  detail: string;
  amount: number;
}

export interface UsageCountStore {
  /** Writes counts of one process by one statement: each is what the process has counted in the step so far. */
  put(writer: Buffer, counts: readonly UsageCount[]): Promise<void>;
  /** Of one client or other subject, or of all clients together where it is undefined. */
  list(query: UsageQuery, subject: string | undefined): Promise<UsageSum[]>;
  /** The clients with the greatest sums over all steps, the greatest first. `details`: those that begin so. */
  listGreatest(query: UsageQuery, details: readonly string[], limit: number): Promise<string[]>;
}

/** The client_id of the rows of all clients. No client has it. */
const allClients = '';

/** The name of a subject in the column of client_ids. URIs are longer than that: they are hashed. */
function keyOf(ledger: Ledger, subject: string | undefined): string {
  if (subject === undefined) return allClients;
  const isPart = partKinds.some((kind) => kind === ledger);
  return isPart ? createHash('sha256').update(subject).digest('base64url') : subject;
}

export function createUsageCountStore(database: Database): UsageCountStore {
  const columns = 'step, measure, client_id, starts_at, detail, writer, amount, expires_at';
  const onConflict =
    database.dialect === 'mysql'
      ? 'ON DUPLICATE KEY UPDATE amount = VALUES(amount)'
      : `ON CONFLICT (step, measure, client_id, starts_at, detail, writer) DO UPDATE SET amount = excluded.amount`;
  const range = 'step = ? AND measure = ? AND starts_at >= ? AND starts_at < ?';
  const valuesOf = ({ step, ledger, from, to }: UsageQuery) => [step, ledger, from, to];
  return {
    async put(writer, counts) {
      const rows = counts.map(({ step, ledger, subject, startsAt, detail, amount }) => {
        const { length, kept } = steps[step];
        return [step, ledger, keyOf(ledger, subject), startsAt, detail, writer, amount, startsAt + length + kept];
      });
      const marks = rows.map(() => '(?, ?, ?, ?, ?, ?, ?, ?)').join(', ');
      await database.execute(`INSERT INTO usage_counts (${columns}) VALUES ${marks} ${onConflict}`, rows.flat());
    },
    async list(query, subject) {
      const sql = `SELECT starts_at, detail, SUM(amount) AS amount FROM usage_counts
        WHERE ${range} AND client_id = ? GROUP BY starts_at, detail`;
      const rows = await database.query<{ starts_at: number; detail: string; amount: number }>(sql, [
        ...valuesOf(query),
        keyOf(query.ledger, subject),
      ]);
      return rows.map((row) => ({
        startsAt: Number(row.starts_at),
        detail: row.detail,
        amount: Number(row.amount),
      }));
    },
    async listGreatest(query, details, limit) {
      const ofDetails = details.map(() => 'detail LIKE ?').join(' OR ');
      const sql = `SELECT client_id FROM usage_counts WHERE ${range} AND client_id <> ? AND (${ofDetails})
        GROUP BY client_id ORDER BY SUM(amount) DESC, client_id LIMIT ${limit}`;
      const rows = await database.query<{ client_id: string }>(sql, [
        ...valuesOf(query),
        allClients,
        ...details.map((detail) => `${detail}%`),
      ]);
      return rows.map((row) => row.client_id);
    },
  };
}
