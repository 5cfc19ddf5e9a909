import mysql2 from 'mysql2';
import { createConnection, type SslOptions } from 'mysql2/promise';
import { DataSource, type DataSourceOptions, type EntitySchema, type MixedList } from 'typeorm';
import { type DatabaseServer, identifyServer } from './database-server.ts';
import type { DatabaseUrl, Dialect, MysqlUrl, SqliteUrl } from './database-url.ts';
import { checkServerWritable, isFaultOfHost } from './dial-in-order.ts';
import { createHosts, type HostAddress, type Hosts } from './hosts.ts';
import type { MysqlServer } from './open-statements.ts';
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
  /** For the schema; with SQLite, for statements as well. */
  dataSource: DataSource;
  /** Undefined with SQLite. */
  mysql: MysqlServer | undefined;
}

/** Connects; rejects where the server is out of reach. */
export async function connectDataSource(options: ConnectionOptions): Promise<DataSource> {
  return (await connectDatabase(options)).dataSource;
}

/** Connects, and identifies the server. */
export async function connectDatabase(options: ConnectionOptions): Promise<ConnectedDatabase> {
  const { url, poolSize = 10 } = options;
  if (url.dialect === 'sqlite')
    return { dataSource: await openDataSource(sqliteOptions(options, url)), mysql: undefined };
  const hosts = findHosts(url);
  const { server, address } = await askFirstServer(url, hosts);
  const dataSource = await openDataSource(mysqlOptions(options, { ...url, ...address }, server));
  return { dataSource, mysql: { server, hosts, openPool: () => mysql2.createPool(poolOptions(url, poolSize)) } };
}

function openDataSource(options: DataSourceOptions): Promise<DataSource> {
  return new DataSource(options).initialize();
}

/** The dialect of a connection. MariaDB speaks MySQL's. */
export function dialectOf({ options }: DataSource): Dialect {
  return options.type === 'better-sqlite3' ? 'sqlite' : 'mysql';
}

function commonOptions({ url, entities, migrations, onStatementError }: ConnectionOptions) {
  return {
    entities: entities(url.dialect),
    migrations,
    migrationsTableName: 'schema_migrations',
    logging: false,
    ...(onStatementError === undefined ? {} : { logger: createStatementErrorLogger(onStatementError) }),
  };
}

function sqliteOptions(options: ConnectionOptions, { path }: SqliteUrl): DataSourceOptions {
  protectSqliteFile(path);
  return {
    ...commonOptions(options),
    type: 'better-sqlite3',
    database: path,
    enableWAL: path !== ':memory:',
    timeout: 5_000,
    prepareDatabase: lowerAllOfUnicode,
  };
}

/** For the schema alone: a migration holds its lock by one connection, and works by another. */
function mysqlOptions(options: ConnectionOptions, url: MysqlUrl, { type }: DatabaseServer): DataSourceOptions {
  const { user, connectionLimit, queueLimit, ...connection } = poolOptions(url, 2);
  return {
    ...commonOptions(options),
    ...connection,
    type,
    // Left to itself TypeORM asks for mysql2 by name, and finds a second one beside the one in the bundle.
    driver: { createPool: mysql2.createPool },
    username: user,
    poolSize: connectionLimit,
    extra: { queueLimit },
  };
}

function poolOptions(url: MysqlUrl, poolSize: number) {
  return {
    host: url.host,
    port: url.port,
    user: url.user,
    password: url.password,
    database: url.database,
    charset: 'utf8mb4',
    timezone: 'Z',
    supportBigNumbers: true,
    bigNumberStrings: false,
    // No object is written into a statement as SQL; `check-parameters.ts` lets none come as far as that.
    stringifyObjects: true,
    connectTimeout: connectTimeoutOf(url),
    ...tlsOptions(url),
    connectionLimit: poolSize,
    queueLimit,
  };
}

/** Gives one object for all connections of a pool, because the driver reads the certificates once for each object. */
function tlsOptions({ tls }: MysqlUrl): { ssl?: SslOptions } {
  return tls === undefined ? {} : { ssl: { ...tls, rejectUnauthorized: true, verifyIdentity: true } };
}

function findHosts(url: MysqlUrl): Hosts | undefined {
  if (url.otherHosts === undefined) return undefined;
  return createHosts([{ host: url.host, port: url.port }, ...url.otherHosts]);
}

/** A statement waits 5 s for a connection. Within that time the pool must also be able to try the next host. */
function connectTimeoutOf({ otherHosts }: MysqlUrl): number {
  return otherHosts === undefined ? 5_000 : 2_000;
}

/** The first server that answers, and takes writes where there are several. */
async function askFirstServer(url: MysqlUrl, hosts: Hosts | undefined): Promise<AskedServer> {
  const ask = async ([address = url, ...others]: HostAddress[]): Promise<AskedServer> => {
    try {
      return { server: await askServer({ ...url, ...address }, hosts !== undefined), address };
    } catch (error) {
      if (others.length === 0 || !isFaultOfHost(error)) throw error;
      hosts?.passOver(address);
      return ask(others);
    }
  };
  return ask(hosts?.list() ?? []);
}

interface AskedServer {
  server: DatabaseServer;
  address: HostAddress;
}

async function askServer(url: MysqlUrl, mustTakeWrites: boolean): Promise<DatabaseServer> {
  const { host, port, user, password, database } = url;
  const connectTimeout = connectTimeoutOf(url);
  const server = { host, port, user, password, database, connectTimeout, ...tlsOptions(url) };
  const connection = await createConnection(server);
  try {
    if (mustTakeWrites) await checkServerWritable(connection);
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
