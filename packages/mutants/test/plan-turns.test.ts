import { describe, expect, it } from '@jest/globals';
import { planTurns } from '../src/plan-turns.ts';
import type { Reach, Recording } from '../src/recorder.ts';

const buildRecording = (tests: Record<string, Reach>, outside: Reach = {}): Recording => ({
  milliseconds: 1_000,
  outside,
  tests: Object.entries(tests).map(([name, reach]) => ({ name, milliseconds: 1, reach })),
});
const all = { isPending: () => true, isTried: () => false };
const sortTurns = (turns: ReturnType<typeof planTurns>) =>
  turns.map(({ test, source, id }) => `${test}: ${source} ${id}`).sort();

describe('the turns of a test file', () => {
  it('give each test a mutant that it comes by, those first that fewer tests come by', () => {
    const recording = buildRecording({ one: { a: [0, 1] }, two: { a: [0] }, three: { a: [0, 2], b: [0] } });
    expect(sortTurns(planTurns(recording, all))).toEqual(['one: a 1', 'three: a 2', 'two: a 0']);
  });

  it('prefer the test that comes by fewer mutants', () => {
    const recording = buildRecording({ broad: { a: [0], b: [1, 2, 3] }, narrow: { a: [0] } });
    const onlyA = { ...all, isPending: (source: string) => source === 'a' };
    expect(sortTurns(planTurns(recording, onlyA))).toEqual(['narrow: a 0']);
  });

  it('leave out what is known, what was tried, and what also runs outside of tests', () => {
    const recording = buildRecording({ one: { a: [0, 1, 2, 3] } }, { a: [3] });
    const wanted = {
      isPending: (_source: string, id: number) => id !== 0,
      isTried: ({ id }: { id: number }) => id === 1,
    };
    expect(sortTurns(planTurns(recording, wanted))).toEqual(['one: a 2']);
  });

  it('leave out tests of one name', () => {
    const [test] = buildRecording({ one: { a: [0] } }).tests;
    expect(planTurns({ milliseconds: 1, outside: {}, tests: [test, test].flatMap((one) => one ?? []) }, all)).toEqual(
      [],
    );
  });
});
