import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cache } from './cache.ts';
import { chooseTests } from './choose-tests.ts';
import { createTestOrder, type TestOrder, type TestRun } from './order-tests.ts';
import type { Recordings } from './record-tests.ts';
import { isAlive, type Result } from './result.ts';
import { root } from './sources.ts';
import { buildInstrumented } from './syntax/instrument.ts';
import type { Mutant } from './syntax/mutant.ts';
import { hashFiles, hashSources } from './test-files.ts';
import { tryMutant } from './try-mutant.ts';
import type { WorkerPool } from './worker-pool.ts';

/** What the trials are made with. */
export interface Trials {
  cache: Cache;
  pool: WorkerPool;
  recordings: Recordings;
  /** Milliseconds of tests for one mutant. */
  budget: number;
  onResult: (result: Result) => void;
}

const list = 'results';

/** Tries all mutants of the source files. Killed ones of a file that did not change are killed; survivors, where nothing changed, survive. */
export async function tryMutants(sources: readonly string[], trials: Trials): Promise<Result[]> {
  const everything = hashSources() + hashFiles([...trials.recordings.keys()]) + trials.budget;
  const kept = new Map(trials.cache.readList<Result>(list).map((result) => [keyOf(result), result]));
  const results: Result[] = [];
  const order = createTestOrder();
  const attempt = createAttempt(trials, order);
  await trials.pool.forEach(listMutants(sources), async ({ source, mutant }, worker) => {
    const own = hashFiles([source]);
    const key = { source, mutant };
    const known = [own, own + everything].map((hash) => kept.get(keyOf({ ...key, hash }))).find(Boolean);
    const result = known ?? (await attempt(source, mutant, worker));
    const hash = isAlive(result) ? own + everything : own;
    if (known === undefined) trials.cache.append(list, { ...result, hash });
    results.push(result);
    trials.onResult(result);
  });
  return results;
}

function createAttempt({ recordings, budget }: Trials, order: TestOrder) {
  return async (source: string, mutant: Mutant, worker: Parameters<typeof tryMutant>[1]): Promise<Result> => {
    const startedAt = performance.now();
    const chosen = order.sort(source, chooseTests(source, mutant, recordings));
    const onRun = (run: TestRun) => order.onRun(source, run);
    const verdict = await tryMutant({ source, mutant, chosen, budget, onRun }, worker);
    return { source, hash: '', mutant, ...verdict, milliseconds: Math.round(performance.now() - startedAt) };
  };
}

function listMutants(sources: readonly string[]): { source: string; mutant: Mutant }[] {
  return sources.flatMap((source) => {
    const { mutants } = buildInstrumented(readFileSync(join(root, source), 'utf8'), source);
    return mutants.map((mutant) => ({ source, mutant }));
  });
}

function keyOf({ source, hash, mutant }: Pick<Result, 'source' | 'hash' | 'mutant'>): string {
  return `${source} ${hash} ${mutant.id} ${mutant.original} ${mutant.replacement}`;
}
