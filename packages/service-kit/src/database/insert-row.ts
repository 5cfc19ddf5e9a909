import { createBatchedWrite, type Write } from './batched-write.ts';
import type { Database } from './database.ts';
import { isDuplicateKey } from './database-errors.ts';

/** Inserts a row, given by the names of its columns. */
export async function insertRow(database: Database, table: string, row: object): Promise<void> {
  await database.execute(buildInsert(table, [row]), Object.values(row));
}

/** Rows of one statement, which has a placeholder for each value. */
const largestInsert = 100;

/**
 * Inserts rows that name the same columns in the same order, many by one statement. Gives those whose key is taken, which are
 * passed over.
 */
export async function insertUntaken<Row extends object>(
  database: Database,
  table: string,
  rows: readonly Row[],
): Promise<Row[]> {
  const taken: Row[] = [];
  for (let start = 0; start < rows.length; start += largestInsert) {
    const some = rows.slice(start, start + largestInsert);
    const values = some.flatMap((row) => Object.values(row));
    if (await isInserted(database.execute(buildInsert(table, some), values))) continue;
    // One of them is taken: the statement inserted none.
    for (const row of some) if (!(await insertUnlessTaken(database, table, row))) taken.push(row);
  }
  return taken;
}

/** Inserts rows that name the same columns in the same order: those of one turn of the event loop by one statement. */
export function createInsert<Row extends object>(database: Database, table: string): Write<Row> {
  return createBatchedWrite<Row>(async (rows) => {
    await database.execute(
      buildInsert(table, rows),
      rows.flatMap((row) => Object.values(row)),
    );
  });
}

/** Inserts a row; false where its key is taken. Of several with one key at the same moment exactly one is inserted. */
export function insertUnlessTaken(database: Database, table: string, row: object): Promise<boolean> {
  return isInserted(insertRow(database, table, row));
}

/** Waits for an insert; false where it failed because the key is taken. */
export async function isInserted(insert: Promise<unknown>): Promise<boolean> {
  try {
    await insert;
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** Inserts a row, or replaces the row with the same primary key. `key` names the columns of that key. */
export async function putRow(database: Database, table: string, row: object, key: readonly string[]): Promise<void> {
  const others = Object.keys(row).filter((column) => !key.includes(column));
  const replace =
    database.dialect === 'mysql'
      ? `ON DUPLICATE KEY UPDATE ${others.map((column) => `${column} = VALUES(${column})`).join(', ')}`
      : `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${others.map((column) => `${column} = excluded.${column}`).join(', ')}`;
  await database.execute(`${buildInsert(table, [row])} ${replace}`, Object.values(row));
}

function buildInsert(table: string, rows: readonly object[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const marks = `(${columns.map(() => '?').join(', ')})`;
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${rows.map(() => marks).join(', ')}`;
}
