import { createRequire } from 'node:module';
import { ConfigError } from '../config-error.ts';
import type { DatabaseUrl } from './database-url.ts';
import { protectSqliteFile } from './sqlite-file.ts';

/** better-sqlite3 13 needs this version of Node-API. On an older one it ends the process without a word. */
const nodeApiOfSqlite13 = 10;

/** What keeps a path from being a database, now and later. Any other fault may pass: the file may be locked. */
const lastingFaults: Readonly<Record<string, string>> = {
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its path is a circle of links',
  EEXIST: 'a part of its path is not a folder',
  ENOENT: 'its folder cannot be made',
  SQLITE_CANTOPEN: 'SQLite cannot open it',
  SQLITE_READONLY: 'this user may not write there',
  SQLITE_NOTADB: 'it is not an SQLite database',
};

/** The members used of better-sqlite3, which has no types of its own. */
type Sqlite = new (path: string) => { pragma(text: string): unknown; close(): void };

/**
 * Throws a {@link ConfigError} where SQLite's driver does not load, or the file can never be a database. A MySQL server may be
 * started later, so it is not asked.
 */
export function checkDatabase(url: DatabaseUrl): void {
  if (url.dialect === 'sqlite') checkSqlite(url.path);
}

function checkSqlite(path: string): void {
  const Driver = loadDriver();
  try {
    protectSqliteFile(path);
    const database = new Driver(path);
    try {
      database.pragma('schema_version');
    } finally {
      database.close();
    }
  } catch (error) {
    const fault = lastingFaults[String((error as NodeJS.ErrnoException).code)];
    if (fault !== undefined) throw new ConfigError(`DATABASE_URL: ${path} cannot be opened: ${fault}`);
  }
}

function loadDriver(): Sqlite {
  const require = createRequire(import.meta.url);
  const isOld = Number(process.versions.napi) < nodeApiOfSqlite13;
  try {
    const { version } = require('better-sqlite3/package.json') as { version: string };
    if (isOld && Number.parseInt(version, 10) >= 13) throw new Error('the driver was installed by a later Node.js');
    const Driver = require('better-sqlite3') as Sqlite;
    new Driver(':memory:').close();
    return Driver;
  } catch (error) {
    throw new ConfigError(
      `DATABASE_URL: SQLite's driver (better-sqlite3) does not load on Node.js ${process.versions.node}: run npm ci with this Node.js`,
      { cause: error },
    );
  }
}
