import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cache } from './cache.ts';
import { chooseTests } from './choose-tests.ts';
import { createTestOrder, type TestOrder, type TestRun } from './order-tests.ts';
import type { Recordings } from './record-tests.ts';
import { isAlive, type Named, type Result } from './result.ts';
import { isInSample } from './sample.ts';
import { root } from './sources.ts';
import { sweepMutants } from './sweep-mutants.ts';
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
  /** Percent of the mutants that are tried. */
  sample: number;
  onResult: (result: Result) => void;
}

const list = 'results';

/**
 * Tries the mutants of the source files: many at a time first, then one by one those that are left. Killed ones of a file that
 * did not change are killed; survivors, where nothing changed, survive.
 */
export async function tryMutants(sources: readonly string[], trials: Trials): Promise<Result[]> {
  const { pool, onResult } = trials;
  const memory = createMemory(trials);
  const results: Result[] = [];
  const add = (result: Result) => {
    results.push(result);
    onResult(result);
  };
  const all = listMutants(sources).filter((named) => isInSample(keyOf(named), trials.sample));
  const unknown = all.filter((named) => memory.find(named) === undefined);
  const order = createTestOrder(memory.listKillers());
  await sweepMutants(unknown, {
    ...trials,
    order,
    onKilled: (named, by) => memory.keep({ ...named, hash: '', outcome: 'killed', reaching: 1, ran: 1, ...by }),
  });
  const attempt = createAttempt(trials, order);
  await pool.forEach(all, async (named, worker) => {
    add(memory.find(named) ?? memory.keep(await attempt(named.source, named.mutant, worker)));
  });
  return results;
}

/** What is known of mutants, from earlier runs too: that one survives, until a source or a test that comes by it changes. */
function createMemory({ cache, recordings, budget }: Trials) {
  const sources = hashSources();
  const kept = new Map<string, Result[]>();
  const add = (result: Result) => kept.set(keyOf(result), [...(kept.get(keyOf(result)) ?? []), result]);
  for (const result of cache.readList<Result>(list)) add(result);
  const hashOf = ({ source, mutant, outcome }: Named & Pick<Result, 'outcome'>) => {
    const own = hashFiles([source]);
    if (!isAlive({ outcome })) return own;
    const files = chooseTests(source, mutant, recordings).map(({ file }) => file);
    return `${own} ${sources} ${hashFiles(files)} ${budget}`;
  };
  return {
    find: (named: Named): Result | undefined =>
      kept.get(keyOf(named))?.find((result) => result.hash === hashOf(result)),
    /** The test file of each kill that is known, once for each mutant. */
    listKillers: () =>
      [...kept.values()].flatMap((results) => {
        const { source, mutant, killer } = results.at(-1) as Result;
        return killer === undefined ? [] : [{ source, atLoad: mutant.atLoad, file: killer }];
      }),
    keep(result: Result): Result {
      const stored = { ...result, hash: hashOf(result) };
      add(stored);
      cache.append(list, stored);
      return stored;
    },
  };
}

function createAttempt({ recordings, budget }: Trials, order: TestOrder) {
  return async (source: string, mutant: Mutant, worker: Parameters<typeof tryMutant>[1]): Promise<Result> => {
    const startedAt = performance.now();
    const sorted = { source, atLoad: mutant.atLoad };
    const chosen = order.sort(sorted, chooseTests(source, mutant, recordings));
    const onRun = (run: TestRun) => order.onRun(sorted, run);
    const verdict = await tryMutant({ source, mutant, chosen, budget, onRun }, worker);
    return { source, hash: '', mutant, ...verdict, milliseconds: Math.round(performance.now() - startedAt) };
  };
}

function listMutants(sources: readonly string[]): Named[] {
  return sources.flatMap((source) => {
    const { mutants } = buildInstrumented(readFileSync(join(root, source), 'utf8'), source);
    return mutants.map((mutant) => ({ source, mutant }));
  });
}

function keyOf({ source, mutant }: Named): string {
  return `${source} ${mutant.id} ${mutant.original} ${mutant.replacement}`;
}
