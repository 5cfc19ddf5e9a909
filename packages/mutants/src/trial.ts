import type { Watch } from './watch.ts';

/** One mutant, and the tests of a file that may notice it; undefined: all tests. */
export interface TrialTask {
  source: string;
  id: number;
  tests: readonly string[] | undefined;
}

/** Runs the tests that come by the mutant until one fails. */
export function createTrial({ source, id, tests }: TrialTask): Watch {
  const wanted = tests && new Set(tests);
  let isKilled = false;
  return {
    ask: (asking) => (asking === source ? (asked) => asked === id : () => false),
    isWanted: (test) => !isKilled && (wanted?.has(test) ?? true),
    onTestDone: (_test, _milliseconds, failed) => {
      isKilled ||= failed;
    },
  };
}
