import type { Watch } from './watch.ts';

/** A mutant that is on while one test runs. */
export interface Turn {
  test: string;
  source: string;
  id: number;
}

export interface Sweep extends Watch {
  /** Names of the tests that failed. */
  failures(): string[];
}

/** Runs tests of one file, each with a mutant of its own. `withOthers`: the other tests too, without any. */
export function createSweep(
  turns: readonly Turn[],
  withOthers: boolean,
  onRunning: (test: string | null) => void,
): Sweep {
  const byTest = new Map(turns.map((turn) => [turn.test, turn]));
  const failures: string[] = [];
  let present: Turn | undefined;
  return {
    ask: (source) => (id) => present?.id === id && present.source === source,
    isWanted: (test) => withOthers || byTest.has(test),
    onTestStart(test) {
      onRunning(test);
      present = byTest.get(test);
    },
    onTestDone(test, _milliseconds, failed) {
      present = undefined;
      onRunning(null);
      if (failed) failures.push(test);
    },
    failures: () => failures,
  };
}
