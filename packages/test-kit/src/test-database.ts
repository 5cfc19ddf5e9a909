import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DatabaseUrl, type Dialect, parseDatabaseUrl } from '@gatehouse/service-kit/database';
import { createConnection } from 'mysql2/promise';

/** An empty database for one test file. */
export interface TestDatabase {
  /** As `DATABASE_URL` takes it. */
  url: string;
  drop(): Promise<void>;
}

/** Replicas of each service that tests run against: 1, or 2 where `E2E_REPLICAS` says so. */
export const testReplicas = process.env.E2E_REPLICAS === '2' ? 2 : 1;

/**
 * The databases tests run on: SQLite always, MySQL or MariaDB where `TEST_MYSQL_URL` names a server. Replicas share a
 * database server, which SQLite is not.
 */
export const testDialects: readonly Dialect[] = chooseDialects();

/** The database of tests that are alike on every database and so run on one. */
export const quickestDialect = testDialects[0] as Dialect;

function chooseDialects(): Dialect[] {
  if (testReplicas > 1) return ['mysql'];
  return process.env.TEST_MYSQL_URL ? ['sqlite', 'mysql'] : ['sqlite'];
}

/** On the server of `TEST_MYSQL_URL` unless told otherwise. */
export function createTestDatabase(dialect: Dialect, server = process.env.TEST_MYSQL_URL): Promise<TestDatabase> {
  return dialect === 'sqlite' ? createSqliteFile() : createMysqlDatabase(server);
}

async function createSqliteFile(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-'));
  return {
    url: `sqlite:${join(folder, 'test.sqlite')}`,
    drop: () => rm(folder, { recursive: true, force: true }),
  };
}

async function createMysqlDatabase(url: string | undefined): Promise<TestDatabase> {
  const server = parseMysqlServer(url);
  const name = `gatehouse_test_${randomBytes(6).toString('hex')}`;
  await runOnServer(server, `CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
  const credentials = `${encodeURIComponent(server.user)}:${encodeURIComponent(server.password)}`;
  return {
    url: `mysql://${credentials}@${server.host}:${server.port}/${name}`,
    drop: () => runOnServer(server, `DROP DATABASE IF EXISTS ${name}`),
  };
}

type MysqlServer = DatabaseUrl & { dialect: 'mysql' };

function parseMysqlServer(text = ''): MysqlServer {
  const url = parseDatabaseUrl(text);
  if (url.dialect !== 'mysql') throw new Error('TEST_MYSQL_URL must be mysql://user:password@host:port/name');
  return url;
}

async function runOnServer({ host, port, user, password }: MysqlServer, sql: string): Promise<void> {
  const connection = await createConnection({ host, port, user, password });
  try {
    await connection.query(sql);
  } finally {
    await connection.end();
  }
}
