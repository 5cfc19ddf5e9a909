import type { Connection, RowDataPacket } from 'mysql2/promise';
import { codeOf, DatabaseUnavailableError } from './database-errors.ts';
import type { Migration } from './database-schema.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/** The table in which TypeORM lists the migrations that were done. */
export const migrationTable = 'schema_migrations';

const namesSql = `SELECT name FROM ${migrationTable}`;

/** Whether a migration is due; throws a {@link DatabaseUnavailableError} where one is that may not be done here. */
export function mustMigrate(
  { migrations, migrateOnStart }: { migrations: readonly Migration[]; migrateOnStart: boolean },
  done: readonly string[],
): boolean {
  if (migrations.every((Migration) => done.includes(new Migration().name))) return false;
  if (!migrateOnStart) throw new DatabaseUnavailableError('the schema is older than the code; run migrate.js');
  return true;
}

/** The names of the migrations that were done; none where there is no table yet. */
export async function listMysqlMigrations(connection: Connection): Promise<string[]> {
  try {
    const [rows] = await connection.query<RowDataPacket[]>(namesSql);
    return rows.map(({ name }) => String(name));
  } catch (error) {
    if (codeOf(error) === 'ER_NO_SUCH_TABLE') return [];
    throw error;
  }
}

/** The names of the migrations that were done; none where there is no table yet. */
export function listSqliteMigrations(connection: SqliteConnection): string[] {
  const tables = connection.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?");
  if (tables.all(migrationTable).length === 0) return [];
  return (connection.prepare(namesSql).all() as { name: string }[]).map(({ name }) => name);
}
