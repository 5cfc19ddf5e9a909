import { createConnection, type SslOptions } from 'mysql2/promise';
import { type DatabaseServer, identifyServer } from './database-server.ts';
import type { MysqlUrl } from './database-url.ts';
import { isFaultOfHost } from './dial-in-order.ts';
import { createHosts, type HostAddress, type Hosts } from './hosts.ts';
import { listMysqlMigrations } from './migrations-done.ts';
import { checkServer, memberQuestion, writableQuestion } from './server-question.ts';

/** Statements that may wait for a connection. The database could not answer more of them in time. */
const queueLimit = 1_000;

/** The server of a database, as its first answer shows it. */
export interface FoundServer extends AskedServer {
  /** Undefined where there is one that needs no question (`server-question.ts`). */
  hosts: Hosts | undefined;
}

interface AskedServer {
  server: DatabaseServer;
  address: HostAddress;
  /** The names of the migrations that were done. */
  migrationsDone: string[];
}

/** Finds the first server that answers, and takes writes where there are several. Rejects where none does. */
export async function findServer(url: MysqlUrl): Promise<FoundServer> {
  const hosts = findHosts(url);
  const ask = async ([address = url, ...others]: HostAddress[]): Promise<AskedServer> => {
    try {
      return { ...(await askServer({ ...url, ...address }, hosts !== undefined)), address };
    } catch (error) {
      if (others.length === 0 || !isFaultOfHost(error)) throw error;
      hosts?.passOver(address);
      return ask(others);
    }
  };
  const found = await ask(hosts?.list() ?? []);
  return { ...found, hosts: hosts ?? (found.server.isOfGroup ? createHosts([ownAddress(url)]) : undefined) };
}

/** For the driver's pool. */
export function buildPoolOptions(url: MysqlUrl, connectionLimit: number) {
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
    connectionLimit,
    queueLimit,
  };
}

/** Gives one object for all connections of a pool, because the driver reads the certificates once for each object. */
function tlsOptions({ tls }: MysqlUrl): { ssl?: SslOptions } {
  return tls === undefined ? {} : { ssl: { ...tls, rejectUnauthorized: true, verifyIdentity: true } };
}

function findHosts(url: MysqlUrl): Hosts | undefined {
  if (url.otherHosts === undefined) return undefined;
  return createHosts([ownAddress(url), ...url.otherHosts]);
}

function ownAddress({ host, port }: MysqlUrl): HostAddress {
  return { host, port };
}

/** A statement waits 5 s for a connection. Within that time the pool must also be able to try the next host. */
function connectTimeoutOf({ otherHosts }: MysqlUrl): number {
  return otherHosts === undefined ? 5_000 : 2_000;
}

async function askServer(url: MysqlUrl, mustTakeWrites: boolean): Promise<Omit<AskedServer, 'address'>> {
  const { host, port, user, password, database } = url;
  const connectTimeout = connectTimeoutOf(url);
  const server = { host, port, user, password, database, connectTimeout, ...tlsOptions(url) };
  const connection = await createConnection(server);
  try {
    if (mustTakeWrites) await checkServer(connection, writableQuestion);
    // It is told to wait for what other servers acknowledged, where there are several; so what it reads after that holds.
    const identified = await identifyServer(connection);
    if (identified.isOfGroup) await checkServer(connection, memberQuestion);
    return { server: identified, migrationsDone: await listMysqlMigrations(connection) };
  } finally {
    await connection.end();
  }
}
