import { describe, expect, it } from '@jest/globals';
import type { Recording } from '../src/recorder.ts';
import type { Turn } from '../src/sweep.ts';
import { sweepFile } from '../src/sweep-file.ts';
import type { WorkerAnswer, WorkerEnd, WorkerTask } from '../src/worker-task.ts';

type SweepTask = WorkerTask & { kind: 'sweep' };
const tests = ['one', 'two', 'three', 'four'];

/** Each test comes by a mutant of its own, of the same number. */
const recording: Recording = {
  milliseconds: 1_000,
  outside: {},
  tests: tests.map((name, id) => ({ name, milliseconds: 1, reach: { a: [id] } })),
};

/** Sweeps a file of which `run` says which tests fail with which mutants; gives the tests that killed. */
async function sweep(
  run: (mutants: number[], task: SweepTask) => string[] | WorkerEnd,
  onSetAside: (turn: Turn) => void = () => {},
): Promise<string[]> {
  const tasks: SweepTask[] = [];
  const worker = {
    async run(task: WorkerTask): Promise<WorkerAnswer | WorkerEnd> {
      tasks.push(task as SweepTask);
      const failures = run(
        (task as SweepTask).turns.map(({ id }) => id),
        task as SweepTask,
      );
      return 'reason' in failures ? failures : { failures, memory: 0 };
    },
    close() {},
  };
  const killed: Turn[] = [];
  const tried = new Set<number>();
  await sweepFile({
    file: 'a.test.ts',
    recording,
    worker,
    wanted: {
      isPending: (_source, id) => !killed.some((turn) => turn.id === id),
      isTried: ({ id }) => tried.has(id),
      onTried: ({ id }) => void tried.add(id),
    },
    onKilled: (turn) => void killed.push(turn),
    onSetAside,
  });
  return killed.map(({ test }) => test).sort();
}

describe('the sweep of a test file', () => {
  it('counts a mutant as killed where its test fails twice', async () => {
    let runs = 0;
    const killed = await sweep((mutants) => {
      runs += 1;
      const failing = runs === 1 ? [0, 1, 2] : [0, 1];
      return mutants.filter((id) => failing.includes(id)).map((id) => tests[id] ?? '');
    });
    expect(killed).toEqual(['one', 'two']);
  });

  it('blames no mutant for what another one left behind, and leaves that one to be tried alone', async () => {
    const setAside: number[] = [];
    const run = (mutants: number[], { withOthers }: SweepTask) => {
      const own = mutants.includes(3) ? ['four'] : [];
      // The first breaks what the second needs, whether that has a mutant or none.
      if (!mutants.includes(0)) return own;
      return withOthers || mutants.includes(1) ? ['one', 'two', ...own] : ['one', ...own];
    };
    expect(await sweep(run, ({ id }) => void setAside.push(id))).toEqual(['four']);
    expect(setAside).toEqual([0]);
  });

  it('counts nothing where all tests fail, as on a machine that is too busy', async () => {
    expect(
      await sweep((_mutants, { withOthers, turns }) => (withOthers ? tests : turns.map(({ test }) => test))),
    ).toEqual([]);
  });

  it('finds the others where one stops the whole file', async () => {
    const killed = await sweep((mutants) => {
      if (mutants.includes(3)) return { reason: 'timeout' };
      return mutants.includes(1) ? ['two'] : [];
    });
    expect(killed).toEqual(['two']);
  });

  it('goes on without the one whose test never ends', async () => {
    const runs: number[][] = [];
    const setAside: number[] = [];
    const run = (mutants: number[]) => {
      runs.push(mutants);
      if (mutants.includes(2)) return { reason: 'timeout', test: 'three' } as const;
      return mutants.includes(1) ? ['two'] : [];
    };
    expect(await sweep(run, ({ id }) => void setAside.push(id))).toEqual(['two']);
    expect([runs.slice(0, 3), setAside]).toEqual([[[0, 1, 2, 3], [0, 1, 3], [1]], [2]]);
  });
});
