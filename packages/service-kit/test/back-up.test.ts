import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConfigError } from '../src/config-error.ts';
import { backUp } from '../src/database/back-up.ts';
import { parseDatabaseUrl } from '../src/database/database-url.ts';
import { openSqlite, type SqliteConnection } from '../src/database/sqlite-connection.ts';

describe('a backup of a SQLite database', () => {
  let folder: string;
  let source: SqliteConnection;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
    source = openSqlite(pathOf('source.sqlite'));
    source.prepare('CREATE TABLE numbers (number INTEGER)').run();
    source.prepare('INSERT INTO numbers VALUES (1), (2), (3)').run();
  });
  afterEach(() => {
    source.close();
    rmSync(folder, { recursive: true });
  });

  const pathOf = (name: string) => join(folder, name);
  const run = (args: string[], name = 'source.sqlite') => backUp(parseDatabaseUrl(`sqlite:${pathOf(name)}`), args);

  it('has every row, those too that stand in the -wal file alone, and is for its owner alone', async () => {
    expect(statSync(pathOf('source.sqlite-wal')).size).toBeGreaterThan(0);
    await run([pathOf('copy.sqlite')]);
    expect(statSync(pathOf('copy.sqlite')).mode & 0o777).toBe(0o600);
    const copy = openSqlite(pathOf('copy.sqlite'));
    expect(copy.prepare('SELECT number FROM numbers').all()).toHaveLength(3);
    expect(copy.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    copy.close();
    source.prepare('INSERT INTO numbers VALUES (4)').run();
  });

  it('replaces no file', async () => {
    writeFileSync(pathOf('of-yesterday'), 'a backup');
    await expect(run([pathOf('of-yesterday')])).rejects.toMatchObject({
      exitCode: 1,
      message: `${pathOf('of-yesterday')} is there already, and a backup replaces no file`,
    });
    expect(readFileSync(pathOf('of-yesterday'), 'utf8')).toBe('a backup');
  });

  it('of two into one file is made once', async () => {
    const outcomes = await Promise.allSettled([run([pathOf('copy.sqlite')]), run([pathOf('copy.sqlite')])]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('leaves no file where it fails, or where its folder is not there', async () => {
    writeFileSync(
      pathOf('broken.sqlite'),
      'no database at all, but as long as a header of one is, and longer'.repeat(20),
    );
    await expect(run([pathOf('copy.sqlite')], 'broken.sqlite')).rejects.toThrow('no backup was made: file is not a');
    expect(existsSync(pathOf('copy.sqlite'))).toBe(false);
    await expect(run([pathOf('nowhere/copy.sqlite')])).rejects.toThrow('cannot be made');
    await expect(run([pathOf('copy.sqlite')], 'missing.sqlite')).rejects.toBeInstanceOf(ConfigError);
    expect(existsSync(pathOf('missing.sqlite'))).toBe(false);
    expect(existsSync(pathOf('copy.sqlite'))).toBe(false);
  });

  it.each([[[]], [['--force']], [['one', 'two']]])('takes one file: %j is wrong usage', async (args) => {
    await expect(run(args)).rejects.toMatchObject({ exitCode: 64, message: 'usage: backup FILE' });
  });
});

it('a backup of MySQL is the work of its own tools, and one line names the page', async () => {
  const fault = backUp(parseDatabaseUrl('mysql://user:hush@db.example.com/auth'), ['copy.sqlite']);
  await expect(fault).rejects.toBeInstanceOf(ConfigError);
  await expect(fault).rejects.toThrow(/^[^\n]*docs\/operations\/backup\.md[^\n]*$/);
  await expect(fault).rejects.not.toThrow('hush');
  expect(existsSync('copy.sqlite')).toBe(false);
});
