import type { SqliteUrl } from './database-url.ts';
import { listSqliteMigrations, mustMigrate } from './migrations-done.ts';
import type { OpenedDatabase, OpeningOptions } from './opened-database.ts';
import { openSqlite } from './sqlite-connection.ts';
import { createSqliteStatements } from './sqlite-statements.ts';

/** A migration works on the connection that statements use after it. */
export async function openSqliteWithSchema({ path }: SqliteUrl, options: OpeningOptions): Promise<OpenedDatabase> {
  const connection = openSqlite(path);
  try {
    if (mustMigrate(options, listSqliteMigrations(connection))) {
      const { migrate, openSqliteDataSource } = await import('./schema/index.ts');
      await migrate(await openSqliteDataSource(connection, options));
    }
  } catch (error) {
    connection.close();
    throw error;
  }
  return { statements: createSqliteStatements(connection, options.onStatementError), isMultiPrimary: false };
}
