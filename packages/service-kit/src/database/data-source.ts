import mysql2, { type Pool, type PoolOptions } from 'mysql2';
import { createConnection, type SslOptions } from 'mysql2/promise';
import { DataSource, type DataSourceOptions, type EntitySchema, type MixedList } from 'typeorm';
import { type DatabaseServer, identifyServer } from './database-server.ts';
import type { DatabaseUrl, Dialect, MysqlUrl } from './database-url.ts';
import { protectSqliteFile } from './sqlite-file.ts';
import { createStatementErrorLogger } from './statement-errors.ts';

/** A service's tables and how they came to be. */
export interface DatabaseSchema {
  /** Entities, mapped to the column types of the dialect. */
  entities(dialect: Dialect): EntitySchema[];
  // biome-ignore lint/complexity/noBannedTypes: TypeORM's own type for migration classes
  migrations: MixedList<Function>;
}

/** Where a database is, and how many connections there may be to it. */
export interface DatabaseAddress {
  url: DatabaseUrl;
  /** Only on MySQL; 10 if left out. */
  poolSize?: number;
}

/** Statements that may wait for a connection; more of them could not be answered in time. */
const queueLimit = 1_000;

interface ConnectionOptions extends DatabaseAddress, DatabaseSchema {
  onStatementError?(error: unknown): void;
}

/** A connected database. */
export interface ConnectedDatabase {
  dataSource: DataSource;
  /** Undefined with SQLite, which has none. */
  server: DatabaseServer | undefined;
  /** A pool of connections beside the one of the data source, and like it. */
  openPool(): Pool;
}

/** Connects; rejects where the server is out of reach. */
export async function connectDataSource(options: ConnectionOptions): Promise<DataSource> {
  return (await connectDatabase(options)).dataSource;
}

/** The same, with what there is to know of the server. */
export async function connectDatabase(options: ConnectionOptions): Promise<ConnectedDatabase> {
  let openPool: ConnectedDatabase['openPool'] = () => {
    throw new Error('this database has no pool');
  };
  const createPool = (poolOptions: PoolOptions) => {
    openPool = () => mysql2.createPool(poolOptions);
    return openPool();
  };
  const server = options.url.dialect === 'mysql' ? await askServer(options.url) : undefined;
  const dataSource = await new DataSource(dataSourceOptions(options, server, createPool)).initialize();
  return { dataSource, server, openPool };
}

/** Which of the two dialects a connection speaks; MariaDB's is MySQL's. */
export function dialectOf({ options }: DataSource): Dialect {
  return options.type === 'better-sqlite3' ? 'sqlite' : 'mysql';
}

function dataSourceOptions(
  { url, poolSize = 10, entities, migrations, onStatementError }: ConnectionOptions,
  server: DatabaseServer | undefined,
  createPool: (options: PoolOptions) => Pool,
): DataSourceOptions {
  const common = {
    entities: entities(url.dialect),
    migrations,
    migrationsTableName: 'schema_migrations',
    logging: false,
    ...(onStatementError === undefined ? {} : { logger: createStatementErrorLogger(onStatementError) }),
  };
  if (url.dialect === 'sqlite') {
    protectSqliteFile(url.path);
    return {
      ...common,
      type: 'better-sqlite3',
      database: url.path,
      enableWAL: url.path !== ':memory:',
      timeout: 5_000,
      prepareDatabase: lowerAllOfUnicode,
    };
  }
  return {
    ...common,
    type: server?.type ?? 'mysql',
    // Left to itself TypeORM asks for mysql2 by name, and finds a second one beside the one in the bundle.
    driver: { createPool },
    host: url.host,
    port: url.port,
    username: url.user,
    password: url.password,
    database: url.database,
    charset: 'utf8mb4',
    timezone: 'Z',
    supportBigNumbers: true,
    bigNumberStrings: false,
    connectTimeout: 5_000,
    ...tlsOptions(url),
    poolSize,
    extra: { queueLimit },
  };
}

/** One object for all connections of a pool: the driver reads the certificates once for each object. */
function tlsOptions({ tls }: MysqlUrl): { ssl?: SslOptions } {
  return tls === undefined ? {} : { ssl: { ...tls, rejectUnauthorized: true, verifyIdentity: true } };
}

async function askServer(url: MysqlUrl): Promise<DatabaseServer> {
  const { host, port, user, password, database } = url;
  const server = { host, port, user, password, database, connectTimeout: 5_000, ...tlsOptions(url) };
  const connection = await createConnection(server);
  try {
    return await identifyServer(connection);
  } finally {
    await connection.end();
  }
}

/** SQLite's own LOWER knows ASCII only; MySQL's knows every letter. */
function lowerAllOfUnicode(connection: SqliteConnection): void {
  connection.function('lower', { deterministic: true }, (text) =>
    typeof text === 'string' ? text.toLowerCase() : text,
  );
}

/** What is needed of better-sqlite3's connection, which has no types of its own. */
interface SqliteConnection {
  function(name: string, options: { deterministic: boolean }, work: (value: unknown) => unknown): void;
}
