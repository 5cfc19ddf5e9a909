import { createBatchedWrite, type Write } from './batched-write.ts';
import type { Database } from './database.ts';
import { isDuplicateKey } from './database-errors.ts';

/** Inserts a row, given by the names of its columns. */
export async function insertRow(database: Database, table: string, row: object): Promise<void> {
  await database.execute(buildInsert(table, [row]), Object.values(row));
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
