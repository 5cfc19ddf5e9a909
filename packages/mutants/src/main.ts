import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArguments } from './arguments.ts';
import { createCache } from './cache.ts';
import { chooseTests } from './choose-tests.ts';
import { parseExplained } from './explained.ts';
import { recordTests } from './record-tests.ts';
import { describeCounts, describeSurvivor } from './report.ts';
import { isAlive, type Result } from './result.ts';
import { listChangedSources, listSources, root } from './sources.ts';
import { buildInstrumented } from './syntax/instrument.ts';
import { listTestFiles } from './test-files.ts';
import { tryMutant } from './try-mutant.ts';
import { createWorkerProcess } from './worker-process.ts';

const print = (text: string) => process.stdout.write(`${text}\n`);
const note = (text: string) => process.stderr.write(`${text}\n`);

/** Tries each mutant of the sources on the tests that run in process, and prints each one that survives. */
async function main(): Promise<void> {
  const { paths, since, budget } = parseArguments(process.argv.slice(2));
  const sources = paths.length > 0 ? listSources(paths.map((path) => resolve(path))) : listChangedSources(since);
  if (sources.length === 0) {
    note('no source file with rules changed; name a file or a folder');
    return;
  }
  const explained = parseExplained(readFileSync(join(root, 'packages/mutants/explained.txt'), 'utf8'));
  await bundleMutants();
  const worker = createWorkerProcess();
  const results: Result[] = [];
  try {
    const recordings = await recordTests(listTestFiles(sources), { cache: createCache(), worker, note });
    for (const { source, mutant } of sources.flatMap(listMutants)) {
      const chosen = chooseTests(source, mutant, recordings);
      const result = { source, mutant, ...(await tryMutant({ source, mutant, chosen, budget }, worker)) };
      results.push(result);
      if (isAlive(result) && !explained.has(result)) print(describeSurvivor(result));
    }
  } finally {
    worker.close();
  }
  print(describeCounts(results, explained));
}

function listMutants(source: string) {
  const { mutants } = buildInstrumented(readFileSync(join(root, source), 'utf8'), source);
  return mutants.map((mutant) => ({ source, mutant }));
}

/** The worker loads this script, so it is made first. The bundler is no part of what TypeScript compiles here. */
async function bundleMutants(): Promise<void> {
  const bundler = (await import(pathToFileURL(join(root, 'packages/mutants/jest/bundle.mjs')).href)) as {
    bundleMutants(): Promise<void>;
  };
  await bundler.bundleMutants();
}

try {
  await main();
} catch (error) {
  note(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
