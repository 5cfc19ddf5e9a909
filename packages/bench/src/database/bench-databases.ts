import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { type Dialect, parseDatabaseUrl } from '@gatehouse/service-kit/database';
import { connectDataSource } from '@gatehouse/service-kit/database/schema';
import { createConnection } from 'mysql2/promise';

/** Databases that this run creates and drops. */
export interface BenchDatabases {
  dialect: Dialect;
  /** Name and version of the server. The report shows it. */
  description: string;
  /** Creates an empty database and gives its URL, as `DATABASE_URL` takes it. */
  create(purpose: string): Promise<string>;
  dropAll(): Promise<void>;
  /** The process of a MySQL or MariaDB server on this machine. */
  pid: number | undefined;
}

/** `url`: `sqlite`, for files in `folder`, or a MySQL or MariaDB server whose user may create databases. */
export async function openBenchDatabases(url: string, folder: string): Promise<BenchDatabases> {
  if (url === 'sqlite') return openSqliteFiles(folder);
  const server = parseDatabaseUrl(url);
  if (server.dialect !== 'mysql') throw new Error('--database must be sqlite or mysql://user:password@host:port/name');
  const { host, port, user, password } = server;
  const run = async (sql: string) => {
    const connection = await createConnection({ host, port, user, password });
    try {
      const [rows] = await connection.query(sql);
      return rows as Record<string, unknown>[];
    } finally {
      await connection.end();
    }
  };
  const [facts = {}] = await run(
    'SELECT VERSION() AS version, @@hostname AS hostname, @@datadir AS folder, @@pid_file AS pidFile',
  );
  // MariaDB and MySQL each know one of the last two.
  const settings = await run(
    `SHOW GLOBAL VARIABLES WHERE Variable_name IN ('innodb_flush_log_at_trx_commit', 'innodb_buffer_pool_size',
      'innodb_log_file_size', 'innodb_redo_log_capacity')`,
  );
  const names: string[] = [];
  return {
    dialect: 'mysql',
    description: [facts.version, ...settings.map((row) => `${row.Variable_name}=${row.Value}`)].join(', '),
    pid: facts.hostname === hostname() ? readPid(resolve(String(facts.folder), String(facts.pidFile))) : undefined,
    async create(purpose) {
      const name = `gatehouse_bench_${randomBytes(4).toString('hex')}_${purpose}`;
      await run(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
      names.push(name);
      return `mysql://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}:${port}/${name}`;
    },
    async dropAll() {
      for (const name of names.splice(0)) await run(`DROP DATABASE IF EXISTS ${name}`);
    },
  };
}

/** Undefined where this user may not read it. */
function readPid(path: string): number | undefined {
  try {
    return Number(readFileSync(path, 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}

async function openSqliteFiles(folder: string): Promise<BenchDatabases> {
  let files = 0;
  return {
    dialect: 'sqlite',
    description: `SQLite ${await readSqliteVersion()}`,
    pid: undefined,
    async create(purpose) {
      files += 1;
      return `sqlite:${resolve(folder, `${purpose}-${files}.sqlite`)}`;
    },
    // The run deletes the folder, so there is nothing to drop.
    dropAll: async () => {},
  };
}

async function readSqliteVersion(): Promise<string> {
  const dataSource = await connectDataSource({
    url: { dialect: 'sqlite', path: ':memory:' },
    entities: () => [],
    migrations: [],
  });
  const [row] = (await dataSource.query('SELECT sqlite_version() AS version')) as { version: string }[];
  await dataSource.destroy();
  return row?.version ?? '';
}
