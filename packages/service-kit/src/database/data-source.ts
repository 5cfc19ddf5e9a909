import mysql2, { type Pool, type PoolOptions } from 'mysql2';
import { createConnection, type SslOptions } from 'mysql2/promise';
import { DataSource, type DataSourceOptions, type EntitySchema, type MixedList } from 'typeorm';
import { type DatabaseServer, identifyServer } from './database-server.ts';
import type { DatabaseUrl, Dialect, MysqlUrl } from './database-url.ts';
import { dialInOrder, isFaultOfHost } from './dial-in-order.ts';
import { createHosts, type HostAddress, type Hosts } from './hosts.ts';
import { protectSqliteFile } from './sqlite-file.ts';
import { createStatementErrorLogger } from './statement-errors.ts';

/** The tables of a service and their migrations. */
export interface DatabaseSchema {
  /** Entities, mapped to the column types of the dialect. */
  entities(dialect: Dialect): EntitySchema[];
  // biome-ignore lint/complexity/noBannedTypes: TypeORM's own type for migration classes
  migrations: MixedList<Function>;
}

/** The address of a database, and the most connections to it. */
export interface DatabaseAddress {
  url: DatabaseUrl;
  /** Only on MySQL; 10 if left out. */
  poolSize?: number;
}

/** Statements that may wait for a connection. The database could not answer more of them in time. */
const queueLimit = 1_000;

interface ConnectionOptions extends DatabaseAddress, DatabaseSchema {
  onStatementError?(error: unknown): void;
}

/** A connected database. */
export interface ConnectedDatabase {
  dataSource: DataSource;
  /** Undefined with SQLite, which has none. */
  server: DatabaseServer | undefined;
  /** Undefined where `DATABASE_URL` names one host, or none. */
  hosts: Hosts | undefined;
  /** Opens a second pool with the settings of the data source's own. */
  openPool(): Pool;
}

/** Connects; rejects where the server is out of reach. */
export async function connectDataSource(options: ConnectionOptions): Promise<DataSource> {
  return (await connectDatabase(options)).dataSource;
}

/** Connects, and identifies the server. */
export async function connectDatabase(options: ConnectionOptions): Promise<ConnectedDatabase> {
  let openPool: ConnectedDatabase['openPool'] = () => {
    throw new Error('this database has no pool');
  };
  const hosts = findHosts(options.url);
  const createPool = (poolOptions: PoolOptions) => {
    openPool = () => {
      const pool = mysql2.createPool(poolOptions);
      if (hosts !== undefined) dialInOrder(pool, hosts);
      return pool;
    };
    return openPool();
  };
  const server = options.url.dialect === 'mysql' ? await askFirstServer(options.url, hosts) : undefined;
  const dataSource = await new DataSource(dataSourceOptions(options, server, createPool)).initialize();
  return { dataSource, server, hosts, openPool };
}

/** The dialect of a connection. MariaDB speaks MySQL's. */
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
    // By default TypeORM loads mysql2 by name and finds another copy than the one in the bundle.
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
    connectTimeout: connectTimeoutOf(url),
    ...tlsOptions(url),
    poolSize,
    extra: { queueLimit },
  };
}

/** Gives one object for all connections of a pool, because the driver reads the certificates once for each object. */
function tlsOptions({ tls }: MysqlUrl): { ssl?: SslOptions } {
  return tls === undefined ? {} : { ssl: { ...tls, rejectUnauthorized: true, verifyIdentity: true } };
}

function findHosts(url: DatabaseUrl): Hosts | undefined {
  if (url.dialect === 'sqlite' || url.otherHosts === undefined) return undefined;
  return createHosts([{ host: url.host, port: url.port }, ...url.otherHosts]);
}

/** A statement waits 5 s for a connection. Within that time the pool must also be able to try the next host. */
function connectTimeoutOf({ otherHosts }: MysqlUrl): number {
  return otherHosts === undefined ? 5_000 : 2_000;
}

async function askFirstServer(url: MysqlUrl, hosts: Hosts | undefined): Promise<DatabaseServer> {
  const ask = async ([address = url, ...others]: HostAddress[]): Promise<DatabaseServer> => {
    try {
      return await askServer({ ...url, ...address });
    } catch (error) {
      if (others.length === 0 || !isFaultOfHost(error)) throw error;
      hosts?.passOver(address);
      return ask(others);
    }
  };
  return ask(hosts?.list() ?? []);
}

async function askServer(url: MysqlUrl): Promise<DatabaseServer> {
  const { host, port, user, password, database } = url;
  const connectTimeout = connectTimeoutOf(url);
  const server = { host, port, user, password, database, connectTimeout, ...tlsOptions(url) };
  const connection = await createConnection(server);
  try {
    return await identifyServer(connection);
  } finally {
    await connection.end();
  }
}

/** Replaces SQLite's LOWER, which handles ASCII only. MySQL's handles every letter. */
function lowerAllOfUnicode(connection: SqliteConnection): void {
  connection.function('lower', { deterministic: true }, (text) =>
    typeof text === 'string' ? text.toLowerCase() : text,
  );
}

/** The members used of better-sqlite3's connection, which has no types of its own. */
interface SqliteConnection {
  function(name: string, options: { deterministic: boolean }, work: (value: unknown) => unknown): void;
}
