import { chooseTests } from './choose-tests.ts';
import type { TestOrder } from './order-tests.ts';
import type { Recordings } from './record-tests.ts';
import type { Named } from './result.ts';
import type { MutantName } from './sweep.ts';
import { type Kill, sweepFile } from './sweep-file.ts';
import type { WorkerPool } from './worker-pool.ts';

/** Test files in which a mutant is swept. */
const likeliest = 4;

interface Needs {
  recordings: Recordings;
  /** Which test files are likely to notice a mutant. */
  order: Pick<TestOrder, 'sort'>;
  pool: WorkerPool;
  /** `milliseconds`: since the kill before. */
  onKilled: (killed: Named, by: { killer: string; test: string; milliseconds: number }) => void;
}

/**
 * Tries many mutants in each run of a test file, a few in each of its tests. Most are killed so; those that are left, and those of
 * what runs when modules load, are to be tried one by one.
 */
export async function sweepMutants(mutants: readonly Named[], needs: Needs): Promise<void> {
  const { recordings, pool, onKilled } = needs;
  const swept = mutants.filter(({ mutant }) => !mutant.atLoad);
  const pending = new Map(swept.map((named) => [keyOf(nameOf(named)), named]));
  const likely = chooseLikely(swept, needs);
  let before = performance.now();
  await pool.forEach(sortFiles(likely, recordings), async ([file, own], worker) => {
    const recording = recordings.get(file);
    if (recording === undefined) return;
    const isPending = (mutant: MutantName) => own.has(keyOf(mutant)) && pending.has(keyOf(mutant));
    const onMutantKilled = (kill: Kill) => {
      const killed = pending.get(keyOf(kill));
      if (killed === undefined) return;
      pending.delete(keyOf(kill));
      const now = performance.now();
      onKilled(killed, { killer: file, test: kill.test, milliseconds: Math.round(now - before) });
      before = now;
    };
    const onSetAside = (mutant: MutantName) => void pending.delete(keyOf(mutant));
    await sweepFile({ file, recording, isPending, worker, onKilled: onMutantKilled, onSetAside });
  });
}

/** For each test file the mutants of which it is one of the likeliest to notice them. */
function chooseLikely(mutants: readonly Named[], { recordings, order }: Needs): Map<string, Set<string>> {
  const likely = new Map<string, Set<string>>();
  for (const named of mutants) {
    const { source, mutant } = named;
    const sorted = order.sort({ source, atLoad: false }, chooseTests(source, mutant, recordings));
    for (const { file } of sorted.slice(0, likeliest)) {
      const own = likely.get(file) ?? new Set();
      likely.set(file, own.add(keyOf(nameOf(named))));
    }
  }
  return likely;
}

/** Files that may notice many mutants in little time first. */
function sortFiles(likely: ReadonlyMap<string, Set<string>>, recordings: Recordings): [string, Set<string>][] {
  const worthOf = ([file, own]: [string, Set<string>]) => own.size / (recordings.get(file)?.milliseconds ?? 1);
  return [...likely].sort((a, b) => worthOf(b) - worthOf(a));
}

function nameOf({ source, mutant }: Named): MutantName {
  return { source, id: mutant.id };
}

function keyOf({ source, id }: MutantName): string {
  return `${source} ${id}`;
}
