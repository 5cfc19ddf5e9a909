import type { ChosenTests } from './choose-tests.ts';
import type { TestRun } from './order-tests.ts';
import type { Result } from './result.ts';
import type { Mutant } from './syntax/mutant.ts';
import type { WorkerProcess } from './worker-process.ts';

/** How a mutant ended. */
type Verdict = Pick<Result, 'outcome' | 'killer' | 'test' | 'reaching' | 'ran'>;
type Kill = Pick<Verdict, 'outcome' | 'killer' | 'test'>;

interface Trial {
  source: string;
  mutant: Mutant;
}

/** What a mutant is tried on. */
interface Attempt extends Trial {
  chosen: readonly ChosenTests[];
  /** Milliseconds of tests. */
  budget: number;
  onRun: (run: TestRun) => void;
}

/** A file that takes longer than so many times its time, and this beside, runs without end. */
const patience = { times: 4, milliseconds: 20_000 };

/** Runs the chosen files in their order until one notices the mutant, or those that ran took `budget` milliseconds. */
export async function tryMutant(
  { chosen, budget, onRun, ...attempt }: Attempt,
  worker: WorkerProcess,
): Promise<Verdict> {
  const reaching = chosen.length;
  let spent = 0;
  let ran = 0;
  for (const tests of chosen) {
    if (spent > budget) break;
    ran += 1;
    spent += tests.milliseconds;
    const startedAt = performance.now();
    const killed = await runTwice(attempt, tests, worker);
    onRun({ file: tests.file, milliseconds: performance.now() - startedAt, killed: killed !== undefined });
    if (killed !== undefined) return { ...killed, reaching, ran };
  }
  return { outcome: reaching === 0 ? 'not reached' : 'survived', reaching, ran };
}

/** A test may fail by chance, on a busy machine: it fails twice where the mutant is why, after the tests before it as well. */
async function runTwice(attempt: Trial, chosen: ChosenTests, worker: WorkerProcess): Promise<Kill | undefined> {
  const first = await run(attempt, chosen, worker);
  return first?.outcome === 'killed' ? run(attempt, chosen, worker) : first;
}

async function run(
  { source, mutant }: Trial,
  { file, tests, milliseconds }: ChosenTests,
  worker: WorkerProcess,
): Promise<Kill | undefined> {
  const task = { kind: 'try', file, source, id: mutant.id, tests } as const;
  const answer = await worker.run(task, milliseconds * patience.times + patience.milliseconds);
  if ('reason' in answer) return { outcome: answer.reason === 'timeout' ? 'timeout' : 'killed', killer: file };
  if (!answer.failed) return undefined;
  return { outcome: 'killed', killer: file, ...(answer.test !== undefined && { test: answer.test }) };
}
