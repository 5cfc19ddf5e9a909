import { expect, it } from '@jest/globals';
import { tryMutant } from '../src/try-mutant.ts';
import type { WorkerTask } from '../src/worker-task.ts';

const mutant = { id: 1, line: 1, original: 'a', replacement: 'b', atLoad: false };
const chosen = [{ file: 'a.test.ts', tests: ['first', 'second'], milliseconds: 10 }];

/** Tries a mutant with runs that fail or not; undefined: the worker ends. Gives the outcome and the tests of each run. */
async function attempt(...failures: (boolean | undefined)[]) {
  const runs: unknown[] = [];
  const worker = {
    async run(task: WorkerTask) {
      const failed = failures[runs.length];
      runs.push((task as WorkerTask & { kind: 'try' }).tests);
      return failed === undefined ? undefined : { failed, memory: 0 };
    },
    close() {},
  };
  const { outcome } = await tryMutant({ source: 'a.ts', mutant, chosen, budget: 100 }, worker);
  return { outcome, runs };
}

it('a mutant is killed where a test file fails twice or does not end twice', async () => {
  const runs = [chosen[0]?.tests, chosen[0]?.tests];
  expect(await attempt(true, true)).toEqual({ outcome: 'killed', runs });
  expect(await attempt(undefined, undefined)).toEqual({ outcome: 'killed', runs });
  expect(await attempt(true, false)).toEqual({ outcome: 'survived', runs });
  expect(await attempt(false)).toEqual({ outcome: 'survived', runs: runs.slice(1) });
});
