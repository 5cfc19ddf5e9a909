import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigError } from '../config-error.ts';
import type { DatabaseUrl } from './database-url.ts';

const inMemory = ':memory:';
/** The rights of users who are neither the owner nor in the file's group. */
const rightsOfOthers = 0o007;

/**
 * Keeps a SQLite database from other users of the machine. A new file has mode 0600 and a new folder 0700, whatever the
 * umask. An existing file loses the rights of others and keeps those of its group. SQLite gives `-wal` and `-shm` the
 * mode of the database.
 */
export function protectSqliteFile(path: string): void {
  if (path === inMemory) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
  for (const file of [path, `${path}-wal`, `${path}-shm`]) takeRightsOfOthers(file);
}

/** Throws a {@link ConfigError} where a SQLite database has no file yet. A command for a service's database makes none. */
export function checkSqliteFile(url: DatabaseUrl): void {
  if (url.dialect !== 'sqlite' || existsSync(url.path)) return;
  const path = resolve(url.path);
  throw new ConfigError(`DATABASE_URL names ${path}, which does not exist: set it to the database of the service`);
}

/** Only the owner of a file can change its mode. */
function takeRightsOfOthers(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined || found.uid !== process.getuid?.()) return;
  if ((found.mode & rightsOfOthers) !== 0) chmodSync(file, found.mode & 0o777 & ~rightsOfOthers);
}
