import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArguments } from './arguments.ts';
import { createCache } from './cache.ts';
import { parseExplained } from './explained.ts';
import { recordTests } from './record-tests.ts';
import { describeResults, describeSurvivor, shareOfKilled } from './report.ts';
import { isAlive, type Result } from './result.ts';
import { listSources, root } from './sources.ts';
import { listTestFiles } from './test-files.ts';
import { tryMutants } from './try-mutants.ts';
import { createWorkerPool } from './worker-pool.ts';

const print = (text: string) => process.stdout.write(`${text}\n`);
const note = (text: string) => process.stderr.write(`${text}\n`);

/** Tries mutants of the sources on the tests that run in process, prints those that survive, and how many do. */
async function main(): Promise<number> {
  const { paths, workers, budget, tests, sample, atLeast, fresh } = parseArguments(process.argv.slice(2));
  const sources = listSources(paths.map((path) => resolve(path)));
  if (sources.length === 0) throw new Error(`no source file is at ${paths.join(', ')}`);
  const explained = parseExplained(readFileSync(join(root, 'docs/mutants.md'), 'utf8'));
  const cache = createCache();
  if (fresh) cache.clear();
  const files = listTestFiles(sources).filter((file) => tests?.test(file) ?? true);
  await bundleMutants();
  const pool = createWorkerPool(workers);
  const onResult = (result: Result) => {
    if (isAlive(result) && !explained.has(result)) print(describeSurvivor(result));
  };
  try {
    const recordings = await recordTests(files, { cache, pool, note });
    const results = await tryMutants(sources, { cache, pool, recordings, budget, sample, onResult });
    print(`\n${sample < 100 ? `a sample of ${sample} %\n` : ''}${describeResults(results, explained)}`);
    return shareOfKilled(results, explained) >= atLeast ? 0 : 1;
  } finally {
    pool.close();
  }
}

/** Before any worker starts: all of them take the same script. The bundler is no part of what TypeScript compiles here. */
async function bundleMutants(): Promise<void> {
  const bundler = (await import(pathToFileURL(join(root, 'packages/mutants/jest/bundle.mjs')).href)) as {
    bundleMutants(): Promise<void>;
  };
  await bundler.bundleMutants();
}

try {
  process.exitCode = await main();
} catch (error) {
  note(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
