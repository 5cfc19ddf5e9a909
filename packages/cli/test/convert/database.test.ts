import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { StepError, UsageError } from '../../src/failures.ts';
import { runConvert } from '../support/convert.ts';

const address = 'mysql://uaa@127.0.0.1:3306/uaadb';

describe('the address of a database', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-database-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const convert = (...args: string[]) => runConvert('convert', ...args, '--out', join(folder, 'bundle.jsonl'));

  test.each([
    ['postgres://uaa@localhost/uaadb', '--database-url is mysql://USER@HOST:PORT/NAME'],
    ['mysql://uaa@localhost', '--database-url is mysql://USER@HOST:PORT/NAME'],
    ['uaadb', '--database-url is mysql://USER@HOST:PORT/NAME'],
    ['mysql://uaa:word@localhost/uaadb', 'GATEHOUSE_DATABASE_PASSWORD'],
  ])('%s is wrong usage', async (given, text) => {
    const wrong = convert('uaa', '--database-url', given);
    await expect(wrong).rejects.toThrow(UsageError);
    await expect(wrong).rejects.toThrow(text);
    await expect(wrong).rejects.not.toThrow('word@');
  });

  test.each([
    ['spring', '--users'],
    ['uaa', '--members'],
  ])('of %s comes without files', async (source, option) => {
    const both = convert(source, '--database-url', address, option, 'table.tsv');
    await expect(both).rejects.toThrow(`--database-url comes without ${option}`);
  });

  test('needs a program that reads it', async () => {
    const without = convert('spring', '--database-url', address);
    await expect(without).rejects.toThrow(StepError);
    await expect(without).rejects.toThrow('neither mariadb nor mysql is installed');
  });
});
