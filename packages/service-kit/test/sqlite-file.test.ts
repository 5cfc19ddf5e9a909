import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigError } from '../src/config-error.ts';
import { checkDatabase } from '../src/database/check-database.ts';
import { parseDatabaseUrl } from '../src/database/database-url.ts';
import { openSqlite } from '../src/database/sqlite-connection.ts';
import { protectSqliteFile } from '../src/database/sqlite-file.ts';

describe('the file of a SQLite database', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
  const write = (name: string, mode: number) => {
    const path = join(folder, name);
    writeFileSync(path, 'of before');
    chmodSync(path, mode);
    return path;
  };

  it('is its owner’s alone where it is new, and so are the folders on its way', () => {
    const path = join(folder, 'new', 'deep', 'data.sqlite');
    protectSqliteFile(path);
    expect([path, join(folder, 'new', 'deep'), join(folder, 'new')].map(modeOf)).toEqual(['600', '700', '700']);
  });

  it('loses the rights of others where it was there, as do the files beside it, and keeps what it holds', () => {
    const paths = ['', '-wal', '-shm'].map((end) => write(`old.sqlite${end}`, 0o666));
    const [path = ''] = paths;
    protectSqliteFile(path);
    expect(paths.map(modeOf)).toEqual(['660', '660', '660']);
    expect(statSync(path).size).toBe('of before'.length);
  });

  it('keeps the mode of a file that others have no right to, and of its folder', () => {
    mkdirSync(join(folder, 'open'), { mode: 0o755 });
    const path = write('open/own.sqlite', 0o640);
    protectSqliteFile(path);
    expect([path, join(folder, 'open')].map(modeOf)).toEqual(['640', '755']);
  });

  it('is protected when it is opened', () => {
    const path = join(folder, 'opened', 'data.sqlite');
    openSqlite(path).close();
    expect(modeOf(path)).toBe('600');
  });

  it('is none in memory', () => {
    protectSqliteFile(':memory:');
    expect(statSync(':memory:', { throwIfNoEntry: false })).toBeUndefined();
  });

  it('is checked at the start: what can never be one is named, with the reason', () => {
    const check = (path: string) => () => checkDatabase(parseDatabaseUrl(`sqlite:${path}`));
    const faults: [path: string, reason: string][] = [
      [write('no-database', 0o600), 'it is not an SQLite database'],
      [folder, 'it is a folder'],
      [join(write('no-folder', 0o600), 'data.sqlite'), 'a part of its path is not a folder'],
      [join(folder, 'x'.repeat(300)), 'its name is too long'],
    ];
    writeFileSync(join(folder, 'no-database'), 'x'.repeat(4_096));
    for (const [path, reason] of faults) {
      expect(check(path)).toThrow(new ConfigError(`DATABASE_URL: ${path} cannot be opened: ${reason}`));
    }
    const path = join(folder, 'checked', 'data.sqlite');
    check(path)();
    expect(modeOf(path)).toBe('600');
  });

  it('is left as it was by the check, with nothing beside it', () => {
    const path = join(folder, 'left', 'data.sqlite');
    openSqlite(path).close();
    checkDatabase({ dialect: 'sqlite', path });
    expect(readdirSync(join(folder, 'left'))).toEqual(['data.sqlite']);
  });

  it('is not refused at the start for a fault that may pass, as of a copy that is under way', () => {
    const path = join(folder, 'copied.sqlite');
    const connection = openSqlite(path);
    connection.prepare('CREATE TABLE t (a)').run();
    connection.close();
    truncateSync(path, statSync(path).size / 2);
    expect(() => openSqlite(path)).toThrow('malformed');
    expect(checkDatabase({ dialect: 'sqlite', path })).toBeUndefined();
  });

  it('has a LOWER that knows every letter, and leaves alone what is no text', () => {
    const connection = openSqlite(':memory:');
    const sql = 'SELECT LOWER(?) AS letters, LOWER(?) AS number, LOWER(?) AS none';
    expect(connection.prepare(sql).all('ÄÖÜ Ж', 5, null)).toEqual([{ letters: 'äöü ж', number: 5, none: null }]);
    connection.close();
  });

  it('is waited for, for five seconds, where another process writes it', () => {
    const connection = openSqlite(':memory:');
    expect(connection.pragma('busy_timeout')).toEqual([{ timeout: 5_000 }]);
    connection.close();
  });

  it('is not looked for where the database is on a server, which may be started later', () => {
    expect(checkDatabase(parseDatabaseUrl('mysql://u:p@127.0.0.1:9/name'))).toBeUndefined();
  });
});
