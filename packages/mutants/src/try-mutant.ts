import type { ChosenTests } from './choose-tests.ts';
import type { Result } from './result.ts';
import type { WorkerProcess } from './worker-process.ts';

interface Attempt extends Pick<Result, 'source' | 'mutant'> {
  chosen: readonly ChosenTests[];
  /** Milliseconds of tests. */
  budget: number;
}

/** A file that takes longer than so many times its time, and these milliseconds more, runs without end. */
const patience = { times: 4, milliseconds: 20_000 };

/** Runs the chosen files in their order until one notices the mutant, or those that ran took `budget` milliseconds. */
export async function tryMutant(
  { chosen, budget, ...mutant }: Attempt,
  worker: WorkerProcess,
): Promise<Pick<Result, 'outcome' | 'reaching' | 'ran'>> {
  const reaching = chosen.length;
  let spent = 0;
  let ran = 0;
  for (const tests of chosen) {
    if (spent > budget) break;
    ran += 1;
    spent += tests.milliseconds;
    // A test may fail by chance on a busy machine. With the mutant as the reason it fails twice.
    const killed = (await fails(mutant, tests, worker)) && (await fails(mutant, tests, worker));
    if (killed) return { outcome: 'killed', reaching, ran };
  }
  return { outcome: reaching === 0 ? 'not reached' : 'survived', reaching, ran };
}

async function fails(
  { source, mutant }: Pick<Result, 'source' | 'mutant'>,
  { file, tests, milliseconds }: ChosenTests,
  worker: WorkerProcess,
): Promise<boolean> {
  const task = { kind: 'try', file, source, id: mutant.id, tests } as const;
  const answer = await worker.run(task, milliseconds * patience.times + patience.milliseconds);
  return answer === undefined || (answer.failed ?? false);
}
