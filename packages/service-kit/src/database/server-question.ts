import type { PoolConnection } from 'mysql2';
import type { Connection } from 'mysql2/promise';

type Fault = NodeJS.ErrnoException;

/** The question to a server before a connection to it is used. */
export interface ServerQuestion {
  sql: string;
  /** Undefined where the connection may be used. */
  findFault(answer: Record<string, unknown>): Fault | undefined;
}

/** Milliseconds. A server that answers later than this is passed over like one that does not answer. */
const timeout = 2_000;

/** Whether the server takes writes. */
export const writableQuestion: ServerQuestion = {
  sql: 'SELECT @@GLOBAL.read_only AS readOnly',
  findFault: findReadOnlyFault,
};

/**
 * Whether the server takes writes as a member of its group (Group Replication with several primaries). A server that
 * starts outside its group takes writes too: no other server ever has them, and it cannot join again.
 */
export const memberQuestion: ServerQuestion = {
  sql: `${writableQuestion.sql}, (SELECT member_state FROM performance_schema.replication_group_members WHERE member_id = @@server_uuid) AS memberState`,
  findFault: (answer) => findReadOnlyFault(answer) ?? findMemberFault(answer),
};

function findReadOnlyFault({ readOnly }: Record<string, unknown>): Fault | undefined {
  if (['0', 'OFF'].includes(String(readOnly))) return undefined;
  return Object.assign(new Error('the server takes no writes'), { code: 'ER_READ_ONLY_MODE' });
}

function findMemberFault({ memberState }: Record<string, unknown>): Fault | undefined {
  if (memberState === 'ONLINE') return undefined;
  const text = `the server is not ONLINE in its replication group: ${memberState ?? 'no member'}`;
  return Object.assign(new Error(text), { code: 'GROUP_MEMBER_NOT_ONLINE' });
}

/** Tells the error of a connection that gave no answer, or the fault that the server's answer shows. */
export function askConnection(
  connection: PoolConnection,
  { sql, findFault }: ServerQuestion,
  tell: (error: Fault | null, fault?: Fault) => void,
): void {
  connection.query({ sql, timeout }, (error, rows) => (error ? tell(error) : tell(null, findFault(firstOf(rows)))));
}

/** Rejects with the fault of the server. */
export async function checkServer(connection: Connection, { sql, findFault }: ServerQuestion): Promise<void> {
  const [rows] = await connection.query({ sql, timeout });
  const fault = findFault(firstOf(rows));
  if (fault !== undefined) throw fault;
}

function firstOf(rows: unknown): Record<string, unknown> {
  const [row = {}] = rows as Record<string, unknown>[];
  return row;
}
