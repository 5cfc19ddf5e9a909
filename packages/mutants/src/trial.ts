import type { Watch } from './watch.ts';

/** A mutant that is on, and the tests of one file that may notice; undefined: all. */
export interface TrialTask {
  source: string;
  id: number;
  tests: readonly string[] | undefined;
}

export interface Trial extends Watch {
  /** The first test that failed. */
  killer(): string | undefined;
}

/** Runs the tests that come by the mutant, until one fails. */
export function createTrial({ source, id, tests }: TrialTask): Trial {
  const wanted = tests && new Set(tests);
  let killer: string | undefined;
  return {
    ask: (asking) => (asking === source ? (asked) => asked === id : () => false),
    isWanted: (test) => killer === undefined && (wanted?.has(test) ?? true),
    onTestDone: (test, _milliseconds, failed) => {
      if (failed) killer ??= test;
    },
    killer: () => killer,
  };
}
