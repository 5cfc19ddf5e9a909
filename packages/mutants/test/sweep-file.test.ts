import { describe, expect, it } from '@jest/globals';
import type { Recording } from '../src/recorder.ts';
import { sweepFile } from '../src/sweep-file.ts';
import type { WorkerAnswer, WorkerEnd, WorkerTask } from '../src/worker-task.ts';

type SweepTask = WorkerTask & { kind: 'sweep' };
/** The mutants of each test of a run. */
type Given = Record<string, number[]>;
const tests = ['one', 'two', 'three', 'four'];

/** Each test comes by mutants of its own: `one` by 0 to 9, `two` by 10 to 19. */
function buildRecording(size: number): Recording {
  const mutantsOf = (place: number) => Array.from({ length: size }, (_, id) => place * 10 + id);
  return {
    milliseconds: 1_000,
    outside: {},
    tests: tests.map((name, place) => ({ name, milliseconds: 1, reach: { a: mutantsOf(place) } })),
  };
}

/** Sweeps a file of which `run` says which tests fail with which mutants; gives what killed. */
async function sweep(
  run: (given: Given, task: SweepTask) => string[] | WorkerEnd,
  { size = 1, onSetAside = () => {} }: { size?: number; onSetAside?: (id: number) => void } = {},
): Promise<string[]> {
  const done = new Set<number>();
  const killed: string[] = [];
  const worker = {
    async run(task: WorkerTask): Promise<WorkerAnswer | WorkerEnd> {
      const { turns } = task as SweepTask;
      const given = Object.fromEntries(turns.map(({ test, mutants }) => [test, mutants.map(({ id }) => id)]));
      const failures = run(given, task as SweepTask);
      return 'reason' in failures ? failures : { failures, memory: 0 };
    },
    close() {},
  };
  await sweepFile({
    file: 'a.test.ts',
    recording: buildRecording(size),
    worker,
    isPending: ({ id }) => !done.has(id),
    onKilled: ({ test, id }) => {
      done.add(id);
      killed.push(`${test} ${id}`);
    },
    onSetAside: ({ id }) => {
      done.add(id);
      onSetAside(id);
    },
  });
  return killed.sort();
}

const failWith = (given: Given, ids: readonly number[]) =>
  tests.filter((test) => given[test]?.some((id) => ids.includes(id)));

describe('the sweep of a test file', () => {
  it('counts a mutant as killed where its test fails twice', async () => {
    let runs = 0;
    const killed = await sweep((given) => {
      runs += 1;
      return failWith(given, runs === 1 ? [0, 10, 20] : [0, 10]);
    });
    expect(killed).toEqual(['one 0', 'two 10']);
  });

  it('finds those that kill among several of a test', async () => {
    const noticed = [0, 3, 6, 9, 11, 14, 17, 25, 30, 33, 38, 39];
    const killed = await sweep((given) => failWith(given, noticed), { size: 10 });
    expect(killed.map((kill) => Number(kill.split(' ')[1])).sort((a, b) => a - b)).toEqual(noticed);
  });

  it('needs fewer runs than a test has mutants, where few are noticed', async () => {
    let runs = 0;
    const run = (given: Given) => {
      runs += 1;
      return failWith(given, [3, 15]);
    };
    expect(await sweep(run, { size: 10 })).toEqual(['one 3', 'two 15']);
    expect(runs).toBeLessThan(10);
  });

  it('runs half of the tests without a mutant where a kill is seen again', async () => {
    const shares: number[] = [];
    await sweep((given, { withOthers }) => {
      if (withOthers) shares.push(Object.keys(given).length);
      return failWith(given, [0, 10, 20, 30]);
    });
    expect(shares).toEqual([2, 2]);
  });

  it('blames no mutant for what another one left behind, and leaves that one to be tried alone', async () => {
    const setAside: number[] = [];
    const run = (given: Given, { withOthers }: SweepTask) => {
      const own = failWith(given, [0, 30]);
      // The mutant of the first test breaks what the second needs, whether that has a mutant or none.
      return given.one !== undefined && (withOthers || given.two !== undefined) ? [...own, 'two'] : own;
    };
    expect(await sweep(run, { onSetAside: (id) => void setAside.push(id) })).toEqual(['four 30']);
    expect(setAside).toEqual([0]);
  });

  it('counts nothing where all tests fail, as on a machine that is too busy', async () => {
    expect(await sweep((given, { withOthers }) => (withOthers ? tests : Object.keys(given)))).toEqual([]);
  });

  it('finds the others where one stops the whole file', async () => {
    const killed = await sweep((given) => (given.four !== undefined ? { reason: 'timeout' } : failWith(given, [10])));
    expect(killed).toEqual(['two 10']);
  });

  it('goes on without the one whose test never ends', async () => {
    const runs: string[][] = [];
    const setAside: number[] = [];
    const run = (given: Given) => {
      runs.push(Object.keys(given));
      if (given.three !== undefined) return { reason: 'timeout', test: 'three' } as const;
      return failWith(given, [10]);
    };
    expect(await sweep(run, { onSetAside: (id) => void setAside.push(id) })).toEqual(['two 10']);
    expect([runs.slice(0, 2), setAside]).toEqual([[tests, ['one', 'two', 'four']], [20]]);
  });

  it('finds the one of several of a test that never ends', async () => {
    const setAside: number[] = [];
    const run = (given: Given) =>
      given.three?.includes(24) ? ({ reason: 'timeout', test: 'three' } as const) : failWith(given, [1, 2]);
    expect(await sweep(run, { size: 10, onSetAside: (id) => void setAside.push(id) })).toEqual(['one 1', 'one 2']);
    expect(setAside).toEqual([24]);
  });
});
