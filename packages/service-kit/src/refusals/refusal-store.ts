import { foldUsername } from '@gatehouse/shared';
import type { Database } from '../database/database.ts';
import { findIdBytes, idFromBytes, idToBytes, lowestIdAt } from '../time-ordered-id.ts';
import type { Refusal } from './refusal.ts';
import { type RefusalRow, refusalTable } from './refusal-table.ts';

/** Which refusals to read, newest first. An absent member filters nothing. */
export interface RefusalQuery {
  requestId?: string | undefined;
  clientId?: string | undefined;
  /** Without regard to case. */
  username?: string | undefined;
  status?: number | undefined;
  code?: string | undefined;
  /** Milliseconds, inclusive. */
  from?: number | undefined;
  /** Milliseconds, exclusive. */
  to?: number | undefined;
  /** The id of the last refusal of the page before. */
  after?: string | undefined;
  limit: number;
}

export interface RefusalStore {
  /** Inserts all of them by one statement. Those that are stored already stay as they are. */
  insert(refusals: readonly Refusal[]): Promise<void>;
  list(query: RefusalQuery): Promise<Refusal[]>;
  /** The oldest of a request id. */
  listOfRequest(requestId: string, limit: number): Promise<Refusal[]>;
}

/** Milliseconds that a row stays. */
const keptFor = 24 * 3_600_000;

export function createRefusalStore(database: Database): RefusalStore {
  // Vitess spreads rows by the id, and takes no statement that assigns it.
  const ignoreKnown =
    database.dialect === 'mysql' ? 'ON DUPLICATE KEY UPDATE occurred_at = occurred_at' : 'ON CONFLICT (id) DO NOTHING';
  const select = async (where: string, values: unknown[], order: string) => {
    const sql = `SELECT * FROM ${refusalTable}${where} ORDER BY id ${order}`;
    return (await database.query<RefusalRow>(sql, values)).map(refusalFromRow);
  };
  return {
    async insert(refusals) {
      const rows = refusals.map(rowFromRefusal);
      const columns = Object.keys(rows[0] ?? {});
      if (columns.length === 0) return;
      const marks = `(${columns.map(() => '?').join(', ')})`;
      const sql = `INSERT INTO ${refusalTable} (${columns.join(', ')}) VALUES ${rows.map(() => marks).join(', ')}`;
      await database.execute(`${sql} ${ignoreKnown}`, rows.flatMap(Object.values));
    },
    list(query) {
      const conditions = listConditions(query);
      const where = conditions.map(([condition]) => condition).join(' AND ');
      const values = conditions.map(([, value]) => value);
      return select(where === '' ? '' : ` WHERE ${where}`, values, `DESC LIMIT ${query.limit}`);
    },
    listOfRequest: (requestId, limit) => select(' WHERE request_id = ?', [requestId], `LIMIT ${limit}`),
  };
}

/** Time is a range of ids, so that the index that filters is the one that sorts. */
function listConditions(query: RefusalQuery): [string, unknown][] {
  const { requestId, clientId, username, status, code, from, to, after } = query;
  const conditions: [string, unknown][] = [
    ['request_id = ?', requestId],
    ['client_id = ?', clientId],
    ['username = ?', username && foldUsername(username)],
    ['status = ?', status],
    ['code = ?', code],
    ['id >= ?', from === undefined ? undefined : lowestIdAt(from)],
    ['id < ?', to === undefined ? undefined : lowestIdAt(to)],
    ['id < ?', after === undefined ? undefined : (findIdBytes(after) ?? Buffer.alloc(16))],
  ];
  return conditions.filter(([, value]) => value !== undefined);
}

function rowFromRefusal(refusal: Refusal): RefusalRow {
  const { id, occurredAt, requestId, operation, status, code, reason, clientId, username, network } = refusal;
  return {
    id: idToBytes(id),
    occurred_at: occurredAt,
    request_id: requestId,
    operation,
    status,
    code,
    reason,
    client_id: clientId ?? null,
    username: username ?? null,
    network,
    expires_at: occurredAt + keptFor,
  };
}

function refusalFromRow(row: RefusalRow): Refusal {
  return {
    id: idFromBytes(row.id),
    occurredAt: Number(row.occurred_at),
    requestId: row.request_id,
    operation: row.operation,
    status: row.status,
    code: row.code,
    reason: row.reason,
    clientId: row.client_id ?? undefined,
    username: row.username ?? undefined,
    network: row.network,
  };
}
