import { createRequire } from 'node:module';
import { ConfigError } from '../config-error.ts';
import { protectSqliteFile } from './sqlite-file.ts';

/** better-sqlite3 13 needs this version of Node-API. On an older one it ends the process without a word. */
const nodeApiOfSqlite13 = 10;

/** Milliseconds that a statement waits for another process which writes. */
const busyTimeout = 5_000;

/** The members used of a connection of better-sqlite3, which has no types of its own. */
export interface SqliteConnection {
  prepare(sql: string): SqliteStatement;
  pragma(text: string): unknown;
  function(name: string, options: { deterministic: boolean }, work: (value: unknown) => unknown): void;
  close(): void;
}

export interface SqliteStatement {
  all(...parameters: unknown[]): unknown[];
  run(...parameters: unknown[]): { changes: number };
}

type Driver = new (path: string, options?: { timeout: number }) => SqliteConnection;

/** Opens a database, and makes its file where there is none. */
export function openSqlite(path: string): SqliteConnection {
  const Driver = loadSqliteDriver();
  protectSqliteFile(path);
  const connection = new Driver(path, { timeout: busyTimeout });
  try {
    lowerAllOfUnicode(connection);
    connection.pragma('journal_mode = WAL');
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Throws a {@link ConfigError} where the driver does not load. */
export function loadSqliteDriver(): Driver {
  const require = createRequire(import.meta.url);
  const isOld = Number(process.versions.napi) < nodeApiOfSqlite13;
  try {
    const { version } = require('better-sqlite3/package.json') as { version: string };
    if (isOld && Number.parseInt(version, 10) >= 13) throw new Error('the driver was installed by a later Node.js');
    const Driver = require('better-sqlite3') as Driver;
    new Driver(':memory:').close();
    return Driver;
  } catch (error) {
    throw new ConfigError(
      `DATABASE_URL: SQLite's driver (better-sqlite3) does not load on Node.js ${process.versions.node}: run npm ci with this Node.js`,
      { cause: error },
    );
  }
}

/** Replaces SQLite's LOWER, which handles ASCII only. MySQL's handles every letter. */
function lowerAllOfUnicode(connection: SqliteConnection): void {
  connection.function('lower', { deterministic: true }, (text) =>
    typeof text === 'string' ? text.toLowerCase() : text,
  );
}
