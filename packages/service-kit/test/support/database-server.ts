import { type MariaDbServer, startMariaDbServer } from '@gatehouse/test-kit';
import { type Database, type DatabaseOptions, openDatabase } from '../../src/database/database.ts';
import { parseDatabaseUrl } from '../../src/database/database-url.ts';
import { silentLog, testSchema, waitUntilReady } from './test-service.ts';

/** A database of the user who may not write where the server is read-only. */
export function openOn(port: number, onStatementError?: DatabaseOptions['onStatementError']): Database {
  const url = parseDatabaseUrl(`mysql://app:app@127.0.0.1:${port}/gatehouse`);
  const telling = onStatementError === undefined ? {} : { onStatementError };
  return openDatabase({ url, ...testSchema, migrateOnStart: true, log: silentLog, ...telling });
}

/** A server of the test's own, with the schema. */
export async function startDatabaseServer(): Promise<MariaDbServer> {
  const server = await startMariaDbServer();
  const root = await server.connectAsRoot();
  await root.query('CREATE DATABASE gatehouse');
  await root.query("CREATE USER app@'%' IDENTIFIED BY 'app'");
  await root.query("GRANT ALL ON gatehouse.* TO app@'%'");
  const database = openOn(server.port);
  await waitUntilReady(database);
  await database.close();
  return server;
}
