import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Dialect, parseDatabaseUrl } from '@gatehouse/service-kit/database';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { cheapHashCost } from './cheap-hash-cost.ts';
import { makePasswordsCheap } from './cheap-passwords.ts';
import { findFreePort } from './free-port.ts';
import { repositoryRoot, type ServiceName, startServiceProcess } from './service-process.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

/** The key that signing keys are encrypted with in each copy, and so in all of them. */
export const keyEncryptionKey = Buffer.alloc(32, 'tests').toString('base64');
/** The key that the secrets of code apps are encrypted with. */
export const credentialsKey = Buffer.alloc(32, 'codes').toString('base64');

/** The settings of a service at the start that makes the rows. */
const firstSettings: Record<ServiceName, Record<string, string>> = {
  'auth-server': { KEY_ENCRYPTION_KEY: keyEncryptionKey },
  'org-api': { DEMO_DATA: 'true', CREDENTIALS_KEY: credentialsKey },
};

/**
 * A database as a service of this build leaves it at its first start: its tables with signing keys, of which one for RSA takes long
 * to make, or with the demo users, whose passwords cost little to check (cheap-passwords.ts). The first test of a build makes it by
 * the service itself; others copy it.
 */
export async function createServiceDatabase(
  name: ServiceName,
  dialect: Dialect,
  server?: string,
): Promise<TestDatabase> {
  const database = await createTestDatabase(dialect, server);
  if (dialect === 'sqlite') await copyFile(await findSqliteFile(name), pathOf(database));
  else await withConnection(database, async (connection) => connection.query(await findDump(name, connection, server)));
  return database;
}

async function findSqliteFile(name: ServiceName): Promise<string> {
  return findTemplate(`${name}-${hashBuild(name)}.sqlite`, async (place) => {
    const database = await createTestDatabase('sqlite');
    await fill(name, database);
    await copyFile(pathOf(database), place);
    await database.drop();
  });
}

/** Statements that make the tables and rows, by the server's own words for them. */
async function findDump(name: ServiceName, connection: Connection, server?: string): Promise<string> {
  const [[version]] = await connection.query<RowDataPacket[]>('SELECT VERSION() AS version');
  const kind = createHash('sha256').update(String(version?.version)).digest('hex').slice(0, 8);
  const place = await findTemplate(`${name}-${hashBuild(name)}-${kind}.sql`, async (path) => {
    const database = await createTestDatabase('mysql', server);
    await fill(name, database);
    await writeFile(path, await withConnection(database, dump));
    await database.drop();
  });
  return readFile(place, 'utf8');
}

async function fill(name: ServiceName, { url }: TestDatabase): Promise<void> {
  const env = { DATABASE_URL: url, MIGRATE_ON_START: 'true', ...firstSettings[name] };
  const service = await startServiceProcess({ name, port: await findFreePort(), env });
  await service.stop();
  if (name === 'org-api') await makePasswordsCheap(url);
}

async function dump(connection: Connection): Promise<string> {
  const [tables] = await connection.query<RowDataPacket[]>('SHOW TABLES');
  const statements: string[] = [];
  for (const table of tables.map((row) => String(Object.values(row)[0]))) {
    const [[created]] = await connection.query<RowDataPacket[]>('SHOW CREATE TABLE ??', [table]);
    const [rows] = await connection.query<RowDataPacket[][]>({
      sql: 'SELECT * FROM ??',
      values: [table],
      rowsAsArray: true,
    });
    statements.push(String(created?.['Create Table']));
    if (rows.length > 0) statements.push(connection.format('INSERT INTO ?? VALUES ?', [table, rows]));
  }
  return statements.join(';\n');
}

async function withConnection<T>({ url }: TestDatabase, work: (connection: Connection) => Promise<T>): Promise<T> {
  const parsed = parseDatabaseUrl(url);
  if (parsed.dialect !== 'mysql') throw new Error(`${url} is not of MySQL`);
  const { host, port, user, password, database } = parsed;
  // Rows are written as they are read: no value becomes an object or loses digits on the way.
  const asText = { dateStrings: true, jsonStrings: true, supportBigNumbers: true, bigNumberStrings: true };
  const place = { host, port, user, password, database };
  const connection = await createConnection({ ...place, ...asText, multipleStatements: true });
  try {
    return await work(connection);
  } finally {
    await connection.end();
  }
}

/** A file of all runs of tests on this machine. Where two make it at the same moment one replaces the other. */
async function findTemplate(name: string, make: (path: string) => Promise<void>): Promise<string> {
  const place = join(tmpdir(), `gatehouse-template-${process.getuid?.()}-${name}`);
  if (existsSync(place)) return place;
  const path = `${place}-${process.pid}`;
  await make(path);
  await rename(path, place);
  return place;
}

/** Changes with the code of a service, as the names of the files that a bundle imports do, and with what tests choose of its rows. */
function hashBuild(name: ServiceName): string {
  const main = readFileSync(join(repositoryRoot, `apps/${name}/dist/main.js`));
  return createHash('sha256')
    .update(main)
    .update(JSON.stringify([firstSettings, cheapHashCost]))
    .digest('hex')
    .slice(0, 16);
}

function pathOf({ url }: TestDatabase): string {
  return url.slice('sqlite:'.length);
}
