import { expect, it } from '@jest/globals';
import { tryMutant } from '../src/try-mutant.ts';
import type { WorkerTask } from '../src/worker-task.ts';

const mutant = { id: 1, line: 1, original: 'a', replacement: 'b', atLoad: false };
const chosen = [{ file: 'a.test.ts', tests: ['first', 'second'], milliseconds: 10, focus: 1 }];

/** Tries a mutant of which each run says which test failed; gives the verdict and which tests each run had. */
async function attempt(...failures: (string | undefined)[]) {
  const runs: unknown[] = [];
  const worker = {
    async run(task: WorkerTask) {
      const test = failures[runs.length];
      runs.push((task as WorkerTask & { kind: 'try' }).tests);
      return { failed: test !== undefined, ...(test !== undefined && { test }), memory: 0 };
    },
    close() {},
  };
  const { outcome, test } = await tryMutant({ source: 'a.ts', mutant, chosen, budget: 100, onRun: () => {} }, worker);
  return { outcome, test, runs };
}

it('a mutant is killed where a test fails twice, each time after those before it', async () => {
  const runs = [chosen[0]?.tests, chosen[0]?.tests];
  expect(await attempt('second', 'second')).toEqual({ outcome: 'killed', test: 'second', runs });
  expect(await attempt('second', undefined)).toEqual({ outcome: 'survived', test: undefined, runs });
  expect(await attempt(undefined)).toEqual({ outcome: 'survived', test: undefined, runs: runs.slice(1) });
});
