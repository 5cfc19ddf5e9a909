import { describe, expect, it } from '@jest/globals';
import { chooseTests } from '../src/choose-tests.ts';
import { createRecorder, type Reach, type Recording } from '../src/recorder.ts';
import { createTrial } from '../src/trial.ts';

const mutant = { id: 1, line: 1, original: 'a', replacement: 'b', atLoad: false };

/** A recording of a file whose tests run the given mutants of `a.ts`, for 10 ms each. */
function recordingOf(outside: number[], tests: Record<string, number[]>): Recording {
  const entries = Object.entries(tests);
  const reachOf = (ids: number[]): Reach => (ids.length === 0 ? {} : { 'a.ts': ids });
  return {
    milliseconds: 100 + 10 * entries.length,
    outside: { 'a.ts': outside },
    tests: entries.map(([name, ids]) => ({ name, milliseconds: 10, reach: reachOf(ids) })),
  };
}

describe('tests of a mutant', () => {
  it('are those that come by it', () => {
    const recordings = new Map([
      ['one', recordingOf([], { first: [1, 2], second: [2] })],
      ['two', recordingOf([], { third: [2] })],
    ]);
    expect(chooseTests('a.ts', mutant, recordings)).toMatchObject([
      { file: 'one', tests: ['first'], milliseconds: 110 },
    ]);
    expect(chooseTests('b.ts', mutant, recordings)).toEqual([]);
  });

  it('are all of a file that comes by it outside of its tests', () => {
    const recordings = new Map([['one', recordingOf([1], { first: [], second: [] })]]);
    expect(chooseTests('a.ts', mutant, recordings)).toMatchObject([
      { file: 'one', tests: undefined, milliseconds: 120 },
    ]);
  });

  it('are all of each file that loads the module, for a mutant that runs when it loads', () => {
    const recordings = new Map([['loads', recordingOf([1], { first: [] })]]);
    expect(chooseTests('a.ts', { ...mutant, atLoad: true }, recordings)).toMatchObject([
      { file: 'loads', tests: undefined },
    ]);
  });

  it('begin with those of the same package, the quickest first', () => {
    const source = 'apps/a/src/a.ts';
    const slowed = (tests: Record<string, number[]>) => {
      const { milliseconds, outside: _, ...recording } = recordingOf([], tests);
      const reach = { [source]: [1] };
      return {
        milliseconds: milliseconds * 2,
        outside: {},
        tests: recording.tests.map((test) => ({ ...test, reach })),
      };
    };
    const recordings = new Map([
      ['apps/b/test/quick.test.ts', slowed({ first: [1] })],
      ['apps/a/test/slow.test.ts', slowed({ first: [1], second: [1] })],
      ['apps/a/test/quick.test.ts', slowed({ first: [1] })],
    ]);
    expect(chooseTests(source, mutant, recordings).map(({ file }) => file)).toEqual([
      'apps/a/test/quick.test.ts',
      'apps/a/test/slow.test.ts',
      'apps/b/test/quick.test.ts',
    ]);
  });
});

describe('a recorder', () => {
  it('tells what each test runs from what runs outside of them', () => {
    const recorder = createRecorder();
    const ask = recorder.ask('a.ts');
    expect(ask(1)).toBe(false);
    recorder.isWanted('first');
    ask(2);
    ask(2);
    recorder.onTestDone('first', 5, false);
    ask(3);
    expect(recorder.read(50)).toEqual({
      milliseconds: 50,
      outside: { 'a.ts': [1, 3] },
      tests: [{ name: 'first', milliseconds: 5, reach: { 'a.ts': [2] } }],
    });
  });
});

describe('a trial', () => {
  it('has one mutant on', () => {
    const trial = createTrial({ source: 'a.ts', id: 1, tests: undefined });
    expect([trial.ask('a.ts')(1), trial.ask('a.ts')(2), trial.ask('b.ts')(1)]).toEqual([true, false, false]);
  });

  it('runs the tests that it names, until one fails', () => {
    const trial = createTrial({ source: 'a.ts', id: 1, tests: ['first', 'second'] });
    expect(['first', 'other', 'second'].map(trial.isWanted)).toEqual([true, false, true]);
    trial.onTestDone('first', 5, false);
    expect(trial.isWanted('second')).toBe(true);
    trial.onTestDone('second', 5, true);
    expect(trial.isWanted('first')).toBe(false);
  });
});
