import type { WorkerEnd } from './worker-task.ts';

/** Which test of a sweep runs, and which was slow. */
export interface TestTimes {
  /** That a test begins, or that none runs: null. */
  note(running: string | null): void;
  running(): Pick<WorkerEnd, 'test'>;
  /** The first that was slow: with it began what makes the later ones slow. The one that runs where none was. */
  slow(): Pick<WorkerEnd, 'test'>;
}

/** `longest`: milliseconds after which a test is slow. */
export function createTestTimes(longest: number, now: () => number = () => performance.now()): TestTimes {
  let running: Pick<WorkerEnd, 'test'> = {};
  let startedAt = now();
  let slow: Pick<WorkerEnd, 'test'> | undefined;
  return {
    note(test) {
      if (running.test !== undefined && now() - startedAt > longest) slow ??= running;
      running = test === null ? {} : { test };
      startedAt = now();
    },
    running: () => running,
    slow: () => slow ?? running,
  };
}
