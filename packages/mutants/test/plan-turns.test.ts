import { describe, expect, it } from '@jest/globals';
import { createTurnPlan } from '../src/plan-turns.ts';
import type { Reach, Recording } from '../src/recorder.ts';
import type { MutantName, Turn } from '../src/sweep.ts';

const buildRecording = (tests: Record<string, Reach>, outside: Reach = {}): Recording => ({
  milliseconds: 1_000,
  outside,
  tests: Object.entries(tests).map(([name, reach]) => ({ name, milliseconds: 10, reach })),
});
const count = (length: number) => Array.from({ length }, (_, id) => id);
const show = (turns: readonly Turn[]) =>
  turns.map(({ test, mutants }) => `${test}: ${mutants.map(({ source, id }) => `${source} ${id}`).sort()}`).sort();
const planOf = (recording: Recording, isPending: (mutant: MutantName) => boolean = () => true) =>
  createTurnPlan(recording, isPending);

describe('the turns of a test file', () => {
  it('give each test some of the mutants that it comes by, until it met all of them', () => {
    const plan = planOf(buildRecording({ one: { a: count(4), b: [0] }, two: { a: [0] } }));
    const runs = [plan.next(), plan.next(), plan.next()];
    expect(runs.map((turns) => turns.map(({ test, mutants }) => [test, mutants.length]))).toEqual([
      [
        ['one', 3],
        ['two', 1],
      ],
      [['one', 2]],
      [],
    ]);
    const met = runs.flat().flatMap(({ test, mutants }) => mutants.map(({ source, id }) => `${test} ${source} ${id}`));
    expect(met.sort()).toEqual(['one a 0', 'one a 1', 'one a 2', 'one a 3', 'one b 0', 'two a 0']);
  });

  it('give a test time: four times its own, and two seconds', () => {
    expect(planOf(buildRecording({ one: { a: [0] } })).next()).toMatchObject([{ timeout: 2_040 }]);
  });

  it('give a test what others of the run do not meet', () => {
    const plan = planOf(buildRecording({ one: { a: count(6) }, two: { a: count(6) } }));
    const met = plan.next().flatMap(({ mutants }) => mutants.map(({ id }) => id));
    expect(met.sort()).toEqual(count(6));
  });

  it('take more mutants at a time where few are noticed, twelve at most', () => {
    const plan = planOf(buildRecording({ one: { a: count(2_000) } }));
    const sizes = count(60).map(() => plan.next()[0]?.mutants.length);
    expect([sizes[0], sizes[9], sizes[59]]).toEqual([3, 8, 12]);
  });

  it('take the mutants of a test that failed one by one, and go on with the others when one is found', () => {
    const plan = planOf(buildRecording({ one: { a: count(5) } }));
    const [group] = plan.next();
    if (group === undefined) throw new Error('no turn');
    plan.onFailed(group);
    const alone = plan.next();
    expect(alone).toEqual([{ ...group, mutants: [group.mutants[0]] }]);
    const [second] = plan.next();
    expect(second?.mutants).toEqual([group.mutants[1]]);
    if (second !== undefined) plan.onFailed(second);
    const left = count(5).filter((id) => !group.mutants.slice(0, 2).some((mutant) => mutant.id === id));
    expect(show([...plan.next(), ...plan.next()])).toEqual([`one: ${left.map((id) => `a ${id}`)}`]);
  });

  it('leave out what is known, and what also runs outside of tests', () => {
    const recording = buildRecording({ one: { a: [0, 1, 2, 3] } }, { a: [3] });
    expect(show(planOf(recording, ({ id }) => id !== 0).next())).toEqual(['one: a 1,a 2']);
    const known = new Set<number>();
    const plan = planOf(recording, ({ id }) => !known.has(id));
    for (const turn of plan.next()) plan.onFailed(turn);
    for (const id of count(4)) known.add(id);
    expect(plan.next()).toEqual([]);
  });

  it('come back to what was not pending for a while', () => {
    let isKnown = true;
    const plan = planOf(buildRecording({ one: { a: [0, 1] } }), ({ id }) => id !== 0 || !isKnown);
    expect(show([...plan.next(), ...plan.next()])).toEqual(['one: a 1']);
    isKnown = false;
    expect(show(plan.next())).toEqual(['one: a 0']);
  });

  it('leave out tests of one name', () => {
    const [test] = buildRecording({ one: { a: [0] } }).tests;
    const tests = [test, test].flatMap((one) => one ?? []);
    expect(planOf({ milliseconds: 1, outside: {}, tests }).next()).toEqual([]);
  });
});
