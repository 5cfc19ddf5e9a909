import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openBundle } from '../src/bundle/open-bundle.ts';
import { beginning, type Line, type Place, readLines } from '../src/bundle/read-lines.ts';
import type { ItemKind } from '../src/import/item.ts';
import { type Batch, readBatches } from '../src/import/read-batches.ts';

const head = '{"kind":"bundle","version":1,"source":{"product":"keycloak"},"createdAt":"2026-01-31T12:00:00Z"}';

async function collect<Each>(all: AsyncIterable<Each>): Promise<Each[]> {
  const found: Each[] = [];
  for await (const each of all) found.push(each);
  return found;
}

describe.each(['bundle.jsonl', 'bundle.jsonl.gz'])('a file %s', (name) => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-bundle-'));
    path = join(folder, name);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (content: string | Buffer) =>
    writeFileSync(path, name.endsWith('.gz') ? gzipSync(content) : Buffer.from(content));
  const textsFrom = async (from?: Place) => (await collect<Line>(readLines(path, from))).map(({ text }) => text);

  it('is read line by line, from each place on', async () => {
    const texts = [
      'ä',
      '',
      ...Array.from({ length: 4000 }, (_, index) => `${index} ${'é'.repeat(index % 60)}`),
      'last',
    ];
    write(texts.join('\n'));
    const lines = await collect<Line>(readLines(path));
    expect(lines.map(({ text }) => text)).toEqual(texts);
    expect(lines[0]?.end).toEqual({ offset: 3, line: 1 });
    expect(lines.at(-1)?.end).toEqual({ offset: Buffer.byteLength(texts.join('\n')), line: texts.length });
    for (const index of [0, 1, 2500, texts.length - 1]) {
      const { end } = lines[index] as Line;
      expect(await textsFrom(end)).toEqual(texts.slice(index + 1));
      expect((await collect<Line>(readLines(path, end)))[0]?.end).toEqual(lines[index + 1]?.end);
    }
  });

  it('has lines of at most 64 KiB, in UTF-8; others leave the rest as it is', async () => {
    const longest = 'x'.repeat(64 * 1024);
    write(
      Buffer.concat([
        Buffer.from(`${longest}\n${longest}x\n${longest.repeat(40)}\n`),
        Buffer.of(0xc3, 10),
        Buffer.from('y\n'),
      ]),
    );
    const lines = await collect<Line>(readLines(path));
    expect(lines.map(({ text, fault }) => fault ?? text?.length)).toEqual([
      ...[64 * 1024, 'must have at most 65536 bytes', 'must have at most 65536 bytes', 'must be UTF-8', 1],
    ]);
    const { size } = { size: 64 * 1024 * 42 + 1 + 3 + 2 + 2 };
    expect(lines.at(-1)?.end).toEqual({ offset: size, line: 5 });
  });

  it('is told from others by its first line and its size', async () => {
    write(`${head}\n{"kind":"group","name":"a"}\n`);
    const { digest } = await openBundle(path);
    expect(await openBundle(path)).toEqual({ path, digest });
    const { size } = statSync(path);
    write(`${head}\n{"kind":"group","name":"a longer name"}\n`);
    expect(statSync(path).size).not.toBe(size);
    expect((await openBundle(path)).digest).not.toBe(digest);
  });

  it.each([
    ['', /: .* is empty$/],
    ['{"kind":"user"}\n', /:1: is no bundle, which begins with \{"kind":"bundle","version":1$/],
    [`\n${head}`, /:1: is no bundle/],
    ['no JSON', /:1: is no bundle/],
    ['{"kind":"bundle","version":2}\n', /:1: is a bundle of version 2; this tool reads version 1$/],
    ['{"kind":"bundle"}', /:1: is a bundle of version none/],
  ])('that begins with %j is no bundle', async (content, message) => {
    write(content);
    await expect(openBundle(path)).rejects.toThrow(message);
  });

  it('that cannot be read is an error of the bundle', async () => {
    await expect(openBundle(path)).rejects.toThrow(`bundle: ${path} cannot be read (ENOENT)`);
    if (!name.endsWith('.gz')) return;
    writeFileSync(path, 'no gzip');
    await expect(openBundle(path)).rejects.toThrow(`bundle: ${path} cannot be read (Z_DATA_ERROR)`);
    writeFileSync(path, gzipSync(`${head}\n${head}`).subarray(0, -10));
    await expect(textsFrom()).rejects.toThrow(`bundle: ${path} cannot be read (Z_BUF_ERROR)`);
  });

  describe('in batches', () => {
    const readAll = (kind: ItemKind, more: { tellsOthers?: boolean; from?: Place; mostLines?: number } = {}) =>
      collect<Batch>(readBatches(path, { kind, tellsOthers: false, from: beginning, mostLines: 500, ...more }));

    it('gives the lines of one kind, and once those of none', async () => {
      const lines = [
        ...[head, '{"kind":"user","username":"a"}', '{"name":"g","kind":"group"}', '', 'no JSON', '[1]', '"text"'],
        ...['{"kind":"note","about":"client spa","problem":"redirect_uri_wildcard","value":"http://localhost/*"}'],
        ...['{"kind":"robot"}', '{"username":"b","kind":"user"}', '{"kind":"user",', head, `"${'x'.repeat(70_000)}"`],
      ];
      write(lines.join('\n'));
      const [users, ...more] = await readAll('user', { tellsOthers: true });
      expect(more).toEqual([]);
      expect(users?.items.map(({ line, members }) => [line, members.username])).toEqual([
        [2, 'a'],
        [10, 'b'],
      ]);
      expect(users?.told.map(({ line, result, about, problems: [problem] }) => [line, result, about, problem])).toEqual(
        [
          [5, 'refused', 'line', { field: 'line', detail: 'must be a JSON object' }],
          [6, 'refused', 'line', { field: 'line', detail: 'must be a JSON object' }],
          [7, 'refused', 'line', { field: 'line', detail: 'must be a JSON object' }],
          [8, 'note', 'client spa', { field: 'redirect_uri_wildcard', detail: 'http://localhost/*' }],
          [9, 'refused', 'line', { field: 'kind', detail: 'must be one of resource, group, user, client, note' }],
          [11, 'refused', 'user', { field: 'line', detail: 'must be JSON' }],
          [12, 'refused', 'line', { field: 'kind', detail: 'must be one of resource, group, user, client, note' }],
          [13, 'refused', 'line', { field: 'line', detail: 'must have at most 65536 bytes' }],
        ],
      );
      const [groups, ...others] = await readAll('group');
      expect([groups?.items.map(({ line }) => line), groups?.told, others]).toEqual([[3], [], []]);
      expect(await readAll('client')).toEqual([]);
    });

    it('has as many lines and bytes as a request takes, and goes on from the end of each', async () => {
      const lineOf = (index: number, padding = '') => `{"kind":"user","username":"${index}${padding}"}`;
      const short = Array.from({ length: 1001 }, (_, index) => lineOf(index));
      const long = Array.from({ length: 30 }, (_, index) => lineOf(index, 'x'.repeat(60_000)));
      write([head, ...short, ...long].join('\n'));
      const batches = await readAll('user');
      expect(batches.map(({ items }) => items.length)).toEqual([500, 500, 17, 14]);
      for (const { items } of batches) {
        const bytes = items.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 1, 0);
        expect(bytes).toBeLessThanOrEqual(960 * 1024);
      }
      for (const [index, { end }] of batches.entries()) {
        expect(await readAll('user', { from: end })).toEqual(batches.slice(index + 1));
      }
    });
  });
});
