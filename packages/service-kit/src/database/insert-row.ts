import type { Database } from './database.ts';
import { isDuplicateKey } from './database-errors.ts';

/** Inserts a row, given by the names of its columns. */
export async function insertRow(database: Database, table: string, row: object): Promise<void> {
  await database.execute(buildInsert(table, row), Object.values(row));
}

/** Inserts a row; false where its key is taken. Of several with one key at the same moment exactly one is inserted. */
export async function insertUnlessTaken(database: Database, table: string, row: object): Promise<boolean> {
  try {
    await insertRow(database, table, row);
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
  await database.execute(`${buildInsert(table, row)} ${replace}`, Object.values(row));
}

function buildInsert(table: string, row: object): string {
  const columns = Object.keys(row);
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
}
