import type { Watch } from './watch.ts';

/** The mutant of that number in a source file. */
export interface MutantName {
  source: string;
  id: number;
}

/** Mutants that are on while one test runs. */
export interface Turn {
  test: string;
  mutants: readonly MutantName[];
  /** Milliseconds after which the test fails. */
  timeout: number;
}

export interface Sweep extends Watch {
  /** Names of the tests that failed. */
  failures(): string[];
}

/** Runs tests of one file, each with mutants of its own. `withOthers`: the other tests too, without any. */
export function createSweep(
  turns: readonly Turn[],
  withOthers: boolean,
  onRunning: (test: string | null) => void,
): Sweep {
  const byTest = new Map(turns.map((turn) => [turn.test, turn]));
  const failures: string[] = [];
  let present: Turn['mutants'] = [];
  return {
    ask: (source) => (id) => present.some((mutant) => mutant.id === id && mutant.source === source),
    isWanted: (test) => withOthers || byTest.has(test),
    timeoutOf: (test) => byTest.get(test)?.timeout,
    onTestStart(test) {
      onRunning(test);
      present = byTest.get(test)?.mutants ?? [];
    },
    onTestDone(test, _milliseconds, failed) {
      present = [];
      onRunning(null);
      if (failed) failures.push(test);
    },
    failures: () => failures,
  };
}
