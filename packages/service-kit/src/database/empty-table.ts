import type { Database } from './database.ts';

/** Few enough rows that a statement ends well before its deadline. */
const batchSize = 1_000;

/**
 * Deletes every row of `table`, and says how many. On MySQL in batches: one statement over millions of rows would outlast its
 * deadline. Where it is cut off, the next call goes on.
 */
export async function emptyTable(database: Pick<Database, 'dialect' | 'execute'>, table: string): Promise<number> {
  if (database.dialect === 'sqlite') return database.execute(`DELETE FROM ${table}`);
  let deleted = 0;
  for (;;) {
    const rows = await database.execute(`DELETE FROM ${table} LIMIT ${batchSize}`);
    if (rows === 0) return deleted;
    deleted += rows;
  }
}

/** Empties one table after the other, and gives the deleted rows by table. */
export async function emptyTables(database: Database, tables: readonly string[]): Promise<Record<string, number>> {
  const deleted: Record<string, number> = {};
  for (const table of tables) deleted[table] = await emptyTable(database, table);
  return deleted;
}
