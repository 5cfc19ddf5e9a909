import { ConfigError } from '../config-error.ts';
import type { DatabaseUrl } from './database-url.ts';
import { loadSqliteDriver } from './sqlite-connection.ts';
import { protectSqliteFile } from './sqlite-file.ts';

/** A fault that keeps a path from being a database, now and later. Any other may pass: the file may be locked. */
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

/**
 * Throws a {@link ConfigError} where SQLite's driver does not load, or the file can never be a database. A MySQL server may be
 * started later, so it is not asked.
 */
export function checkDatabase(url: DatabaseUrl): void {
  if (url.dialect === 'sqlite') checkSqlite(url.path);
}

function checkSqlite(path: string): void {
  const Driver = loadSqliteDriver();
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
