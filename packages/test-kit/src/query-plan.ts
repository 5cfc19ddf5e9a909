import { parseDatabaseUrl } from '@gatehouse/service-kit/database';
import { createConnection } from 'mysql2/promise';

/** How a statement finds its rows: what EXPLAIN says. */
export interface QueryPlan {
  statement: string;
  /** A row for each table. */
  tables: PlanRow[];
  /** Whether every table is read by an index. */
  usesIndexes: boolean;
}

/** A row of EXPLAIN, as MySQL and MariaDB give it. */
export interface PlanRow {
  table: string | null;
  type: string | null;
  /** The index that is used. */
  key: string | null;
  /** How many rows the server expects to read. */
  rows: number | null;
  Extra: string | null;
}

/** Begins a question for a plan in rows. Without the format MySQL 9 answers with a tree, in one column; MariaDB knows the format too. */
export const explainRows = 'EXPLAIN FORMAT=TRADITIONAL';

/** Whether a statement looks for rows at all: an INSERT of values does not. */
export function looksForRows(statement: string): boolean {
  return /^\s*(SELECT|UPDATE|DELETE)\b/i.test(statement) && /\b(FROM|UPDATE)\b/i.test(statement);
}

/** Asks a MySQL or MariaDB database how it would run each statement that looks for rows; runs none of them. */
export async function explain(databaseUrl: string, statements: readonly string[]): Promise<QueryPlan[]> {
  const server = parseDatabaseUrl(databaseUrl);
  if (server.dialect !== 'mysql') throw new Error('only MySQL and MariaDB are asked for plans');
  const { host, port, user, password, database } = server;
  const connection = await createConnection({ host, port, user, password, database });
  try {
    const plans: QueryPlan[] = [];
    for (const statement of statements.filter(looksForRows)) {
      // Any text does for the placeholder of a prepared statement, since keys are read by equality.
      const [rows] = await connection.query(`${explainRows} ${statement.replaceAll('?', "'x'")}`);
      const tables = rows as PlanRow[];
      plans.push({ statement, tables, usesIndexes: tables.every(isReadByIndex) });
    }
    return plans;
  } finally {
    await connection.end();
  }
}

/**
 * That a key is not there is told without a table or an index: the index has been read by then. And values that the
 * statement itself holds are in no table.
 */
const answeredByKey =
  /^(Impossible WHERE noticed after reading const tables|no matching row in const table|No tables used)/i;

/** Of a table that is nearly empty the server reads the whole of an index as soon as a part: that says nothing. */
const nearlyEmpty = 5;

function isReadByIndex({ table, type, key, rows, Extra }: PlanRow): boolean {
  // Tables that the statement itself put together: the tables that it is made of have rows of their own.
  if (table?.startsWith('<derived')) return true;
  // `index`: the whole of an index, row by row.
  const readsAll = key === null || (type === 'index' && (rows ?? 0) > nearlyEmpty);
  return !readsAll || answeredByKey.test(Extra ?? '');
}
