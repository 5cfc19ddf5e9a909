import mysql2 from 'mysql2';
import type { MysqlUrl } from './database-url.ts';
import { mustMigrate } from './migrations-done.ts';
import { buildPoolOptions, findServer } from './mysql-server.ts';
import { openStatements } from './open-statements.ts';
import type { OpenedDatabase, OpeningOptions } from './opened-database.ts';

/** A migration has connections of its own, which end with it: its statements take as long as they take. */
export async function openMysqlWithSchema(url: MysqlUrl, options: OpeningOptions): Promise<OpenedDatabase> {
  const { server, hosts, migrationsDone } = await findServer(url);
  if (mustMigrate(options, migrationsDone)) {
    const { migrateDatabase } = await import('./schema/index.ts');
    await migrateDatabase({ ...options, url });
  }
  const openPool = () => mysql2.createPool(buildPoolOptions(url, options.poolSize ?? 10));
  return { statements: openStatements({ server, hosts, openPool }, options), isMultiPrimary: server.isMultiPrimary };
}
