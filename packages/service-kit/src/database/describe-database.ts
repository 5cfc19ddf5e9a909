import type { Database } from './database.ts';
import { migrationTable } from './migrations-done.ts';

/** The database of a service, as administrators see it. */
export interface DatabaseDescription {
  kind: 'sqlite' | 'mysql' | 'mariadb';
  /** As the server, or the library, says it. */
  version: string;
  /** The name of the newest migration that was done; undefined where the table of them says none. */
  schema: string | undefined;
  /** Milliseconds, in whole seconds, by the clock of the server; SQLite has that of the process. */
  time: number;
}

/** Asks the database for its version, its clock and its schema. */
export async function describeDatabase(database: Pick<Database, 'dialect' | 'query'>): Promise<DatabaseDescription> {
  const columns =
    database.dialect === 'sqlite'
      ? "sqlite_version() AS version, unixepoch('now') AS time"
      : 'VERSION() AS version, UNIX_TIMESTAMP() AS time';
  const schemaSql = `SELECT name FROM ${migrationTable} ORDER BY timestamp DESC LIMIT 1`;
  const [[server], [newest]] = await Promise.all([
    database.query<{ version: string; time: number }>(`SELECT ${columns}`),
    database.query<{ name: string }>(schemaSql),
  ]);
  const version = server?.version ?? '';
  const kind = version.includes('MariaDB') ? 'mariadb' : database.dialect;
  return { kind, version, schema: newest?.name, time: Number(server?.time) * 1000 };
}
