import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readTable } from '../../src/convert/read-table.ts';

describe('a table', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-table-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const read = (text: string | Buffer) => {
    const path = join(folder, 'table');
    writeFileSync(path, text);
    return [...readTable(path, ['a', 'b'])].map((row) => [row('A'), row('b')]);
  };

  test.each([
    ['quotes, commas and ends of lines in a field', 'a,b\r\n"x, ""y""\r\nz",2\r\n', [['x, "y"\r\nz', '2']]],
    [
      'no value, and the text NULL in quotes',
      'a,b\n,NULL\n"NULL",\\N\n',
      [
        [undefined, undefined],
        ['NULL', undefined],
      ],
    ],
    [
      'no end of the last line, and a mark of bytes at the start',
      '\uFEFFa,b\n1,2\n3,',
      [
        ['1', '2'],
        ['3', undefined],
      ],
    ],
    ['columns in another order, and others', 'c,B,A\n1,2,3\n', [['3', '2']]],
    ['empty lines', 'a,b\n\n1,2\n\n', [['1', '2']]],
    ['tabs, as mysql --batch writes them', 'a\tb\nx\\ty\\nz\\\\n\tNULL\n', [['x\ty\nz\\n', undefined]]],
    ['its first line alone', 'a,b', []],
  ])('may have %s', (_what, text, rows) => {
    expect(read(text)).toEqual(rows);
  });

  test.each([
    ['a,b\n1,"2', 'table:2 is no CSV'],
    ['a,b\n1,2"3\n', 'table:2 is no CSV'],
    ['a,c\n1,2\n', 'has no column b'],
    ['', 'has no column a'],
  ])('may not be %j', (text, problem) => {
    expect(() => read(text)).toThrow(problem);
  });

  test('may not be of another encoding than UTF-8, which would change names', () => {
    expect(() => read(Buffer.from('a,b\nJürgen,2\n', 'latin1'))).toThrow('table is not UTF-8');
    expect(read(Buffer.from('a,b\nJürgen,2\n'))).toEqual([['Jürgen', '2']]);
  });

  test('of long fields is read in time that grows with its length', () => {
    const long = 'x""'.repeat(1_000_000);
    expect(read(`a,b\n"${long}",2\n`)[0]?.[0]).toHaveLength(2_000_000);
  });
});
