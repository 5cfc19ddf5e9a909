import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from '@jest/globals';

const packageFolder = fileURLToPath(new URL('..', import.meta.url));
const name = `smoke-${process.pid}`;
const resultPath = (extension: string) => `${packageFolder}results/${name}.${extension}`;

async function runBench(...args: string[]) {
  const child = spawn(process.execPath, [`${packageFolder}dist/main.js`, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output: chunks.join('') };
}

afterAll(() => Promise.all(['json', 'md', 'svg'].map((extension) => rm(resultPath(extension), { force: true }))));

it('measures cases on SQLite, prints their tables and writes them down', async () => {
  const args = ['--quick', '--database', 'sqlite', '--cases', 'refresh_token,start', '--name', name];
  const { code, output } = await runBench(...args);
  expect({ code, output }).toMatchObject({ code: 0 });
  expect(output).toContain('SQLite 3');
  expect(output).toMatch(/\| Gatehouse +\| +[\d,]+ \|/);
  expect(output).toMatch(/\| Gatehouse, org-api +\| +[\d,]+ \|/);

  const { cases } = JSON.parse(await readFile(resultPath('json'), 'utf8'));
  const [{ measured }] = cases;
  expect(measured.medians.map(({ variant }: { variant: string }) => variant)).toContain('Gatehouse');
  expect(measured.rows[0].samples[0]).toMatchObject({ failures: 0, requests: expect.any(Number) });
  const markdown = await readFile(resultPath('md'), 'utf8');
  expect(markdown).toContain('| Gatehouse ');
  // A second of work says nothing about a goal.
  for (const text of [output, markdown]) {
    expect(text).toContain('judges no goal');
    expect(text).not.toMatch(/^- (met|MISSED|not known)/m);
  }
  expect(await readFile(resultPath('svg'), 'utf8')).toContain('</svg>');
}, 240_000);

it('lists its cases, and refuses one that there is not', async () => {
  const { code, output } = await runBench('--list');
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('authorization_code') });
  expect(await runBench('--cases', 'teapot')).toEqual({
    code: 1,
    output: expect.stringMatching(/^no case teapot: .*\n$/),
  });
});
