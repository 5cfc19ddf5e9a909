import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { ConfigError } from '../config-error.ts';
import { StepError } from '../run-service.ts';
import { codeOf } from './database-errors.ts';
import type { DatabaseUrl } from './database-url.ts';
import { openSqlite } from './sqlite-connection.ts';
import { checkSqliteFile } from './sqlite-file.ts';

/** The command `backup FILE`: copies the SQLite database of a service, while the service works, into a new file of mode 0600. */
export async function backUp(url: DatabaseUrl, args: readonly string[]): Promise<void> {
  const [file, ...rest] = args;
  if (file === undefined || file.startsWith('-') || rest.length > 0) throw new StepError('usage: backup FILE', 64);
  if (url.dialect !== 'sqlite') {
    throw new ConfigError('DATABASE_URL is MySQL, which mysqldump backs up: docs/operations/backup.md says how');
  }
  checkSqliteFile(url);
  claimFile(file);
  try {
    copySqlite(url.path, file);
    flush(file);
  } catch (error) {
    rmSync(file, { force: true });
    throw new StepError(`no backup was made: ${(error as Error).message}`);
  }
}

/** SQLite writes into an empty file, and keeps its mode. Of two backups into the same file one claims it. */
function claimFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    const reason = codeOf(error) === 'EEXIST' ? 'is there already, and a backup replaces no file' : 'cannot be made';
    throw new StepError(`${file} ${reason}`);
  }
}

/** `VACUUM INTO` reads one moment of the database, with what stands in its `-wal` file. */
function copySqlite(path: string, file: string): void {
  const connection = openSqlite(path);
  try {
    connection.prepare('VACUUM INTO ?').run(file);
  } finally {
    connection.close();
  }
}

/** A backup counts once it is on the disk. */
function flush(file: string): void {
  const descriptor = openSync(file, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
