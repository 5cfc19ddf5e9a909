import { describe, expect, it } from '@jest/globals';
import { type ChosenTests, chooseTests } from '../src/choose-tests.ts';
import { createTestOrder } from '../src/order-tests.ts';
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

  it('are all of each file that loads the module, of what runs when it loads', () => {
    const atLoad = { ...mutant, atLoad: true };
    const recordings = new Map([
      ['loads', recordingOf([1], { first: [] })],
      ['runs', recordingOf([1], { second: [2], third: [] })],
    ]);
    const chosen = chooseTests('a.ts', atLoad, recordings);
    expect(chosen).toMatchObject([
      { file: 'loads', tests: undefined, focus: 0 },
      { file: 'runs', tests: undefined, focus: 1 },
    ]);
    // What only loads it comes last, however quick, unless it made many kills of that kind.
    const at = { source: 'a.ts', atLoad: true };
    const sortedBy = (killers: Parameters<typeof createTestOrder>[0]) =>
      createTestOrder(killers)
        .sort(at, chosen)
        .map(({ file }) => file);
    expect(sortedBy([])).toEqual(['runs', 'loads']);
    expect(sortedBy([{ ...at, file: 'loads' }])).toEqual(['loads', 'runs']);
  });

  const mutantOf = (source: string, atLoad = false) => ({ source, atLoad });
  const slow = { file: 'slow', tests: undefined, milliseconds: 300, focus: 0.5 };
  const quick = { file: 'quick', tests: undefined, milliseconds: 200, focus: 0.5 };

  it('begin with the quickest, as it was seen last, and with those that killed others of the source file', () => {
    const order = createTestOrder([
      { ...mutantOf('c.ts'), file: 'slow' },
      { ...mutantOf('d.ts'), file: 'quick' },
    ]);
    expect(order.sort(mutantOf('a.ts'), [slow, quick])).toEqual([quick, slow]);
    expect(order.sort(mutantOf('c.ts'), [slow, quick])).toEqual([slow, quick]);
    order.onRun(mutantOf('a.ts'), { file: 'quick', milliseconds: 200, killed: true });
    order.onRun(mutantOf('a.ts'), { file: 'slow', milliseconds: 300, killed: true });
    order.onRun(mutantOf('a.ts'), { file: 'slow', milliseconds: 300, killed: true });
    expect(order.sort(mutantOf('a.ts'), [slow, quick])).toEqual([slow, quick]);
    expect(order.sort(mutantOf('b.ts'), [slow, quick])).toEqual([quick, slow]);
    order.onRun(mutantOf('b.ts'), { file: 'quick', milliseconds: 400, killed: false });
    expect(order.sort(mutantOf('b.ts'), [slow, quick])).toEqual([slow, quick]);
  });

  it('begin with those that made many of all kills, of what runs when modules load apart from the rest', () => {
    const [whole, rule] = [
      { ...slow, focus: 0.01 },
      { ...quick, focus: 0.1 },
    ];
    const order = createTestOrder([{ ...mutantOf('c.ts', true), file: 'slow' }]);
    expect(order.sort(mutantOf('a.ts', true), [whole, rule])).toEqual([whole, rule]);
    expect(order.sort(mutantOf('a.ts'), [whole, rule])).toEqual([rule, whole]);
  });

  it('begin with those of the same package, where they are not much slower', () => {
    const [own, other] = ['packages/a/test/own', 'apps/b/test/other'].map((file) => ({ ...slow, file }));
    const files = [
      { ...own, milliseconds: 900 },
      { ...other, milliseconds: 100 },
      { ...own, milliseconds: 1_100 },
    ] as ChosenTests[];
    const sorted = createTestOrder([]).sort(mutantOf('packages/a/src/a.ts'), files);
    expect(sorted.map(({ milliseconds }) => milliseconds)).toEqual([900, 100, 1_100]);
  });

  it('begin with those that are called as the source is', () => {
    const source = 'apps/a/src/status-lists/find-list.ts';
    const files = ['apps/a/test/listing.test.ts', 'apps/a/test/lists.test.ts'].map((file) => ({ ...slow, file }));
    const sorted = createTestOrder([]).sort(mutantOf(source), files);
    expect(sorted.map(({ file }) => file)).toEqual(['apps/a/test/lists.test.ts', 'apps/a/test/listing.test.ts']);
  });

  it('begin with a file whose tests run little else than the source of the mutant', () => {
    const rule = recordingOf([], { first: [1, 2], second: [2] });
    const [reaching, other] = [rule.tests[0], { 'b.ts': [1, 2, 3, 4, 5, 6] }];
    const whole = { ...rule, tests: [{ name: 'all', milliseconds: 20, reach: { ...reaching?.reach, ...other } }] };
    const chosen = chooseTests('a.ts', mutant, new Map(Object.entries({ whole, rule })));
    expect(chosen.map(({ file, focus }) => [file, focus])).toEqual([
      ['whole', 0.25],
      ['rule', 1],
    ]);
    const files = createTestOrder([])
      .sort(mutantOf('a.ts'), chosen)
      .map(({ file }) => file);
    expect(files).toEqual(['rule', 'whole']);
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
    expect(trial.killer()).toBe('second');
  });
});
