import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DatabaseUrl, type Dialect, parseDatabaseUrl } from '@gatehouse/service-kit';
import { createConnection } from 'mysql2/promise';

/** An empty database for one test file. */
export interface TestDatabase {
  /** As `DATABASE_URL` takes it. */
  url: string;
  drop(): Promise<void>;
}

/** The databases tests run on: SQLite always, MySQL or MariaDB where `TEST_MYSQL_URL` names a server. */
export const testDialects: readonly Dialect[] = process.env.TEST_MYSQL_URL ? ['sqlite', 'mysql'] : ['sqlite'];

export function createTestDatabase(dialect: Dialect): Promise<TestDatabase> {
  return dialect === 'sqlite' ? createSqliteFile() : createMysqlDatabase();
}

async function createSqliteFile(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-'));
  return {
    url: `sqlite:${join(folder, 'test.sqlite')}`,
    drop: () => rm(folder, { recursive: true, force: true }),
  };
}

async function createMysqlDatabase(): Promise<TestDatabase> {
  const server = getMysqlServer();
  const name = `gatehouse_test_${randomBytes(6).toString('hex')}`;
  await runOnServer(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
  const credentials = `${encodeURIComponent(server.user)}:${encodeURIComponent(server.password)}`;
  return {
    url: `mysql://${credentials}@${server.host}:${server.port}/${name}`,
    drop: () => runOnServer(`DROP DATABASE IF EXISTS ${name}`),
  };
}

function getMysqlServer(): DatabaseUrl & { dialect: 'mysql' } {
  const url = parseDatabaseUrl(process.env.TEST_MYSQL_URL ?? '');
  if (url.dialect !== 'mysql') throw new Error('TEST_MYSQL_URL must be mysql://user:password@host:port/name');
  return url;
}

async function runOnServer(sql: string): Promise<void> {
  const { host, port, user, password } = getMysqlServer();
  const connection = await createConnection({ host, port, user, password });
  try {
    await connection.query(sql);
  } finally {
    await connection.end();
  }
}
