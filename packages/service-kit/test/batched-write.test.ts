import { describe, expect, it } from '@jest/globals';
import { createBatchedChange } from '../src/database/batched-change.ts';
import { createBatchedWrite } from '../src/database/batched-write.ts';
import { causally, plainly } from '../src/database/cluster-statements.ts';
import { plainlyFirst } from '../src/database/plainly-first.ts';

describe('a batched write', () => {
  it.each([
    [256, [256]],
    [257, [256, 1]],
    [600, [256, 256, 88]],
  ])('of %i things takes statements of 256 at most', async (count, sizes) => {
    const written: number[] = [];
    const write = createBatchedWrite<number>(async (items) => void written.push(items.length));
    await Promise.all(Array.from({ length: count }, (_, item) => write(item)));
    expect(written).toEqual(sizes);
  });
});

describe('a batched change', () => {
  const create = (count: number, changed: readonly string[]) => {
    const done: string[] = [];
    const change = createBatchedChange<string>({
      keyOf: (item) => item,
      async change(items) {
        done.push(`changed ${items.join()}`);
        return count;
      },
      async findChanged(items) {
        done.push(`read ${items.join()}`);
        return items.filter((item) => changed.includes(item));
      },
    });
    return { done, changeAll: (items: string[]) => Promise.all(items.map(change)) };
  };

  it('reads nothing where every row was changed', async () => {
    const { done, changeAll } = create(2, []);
    expect(await changeAll(['a', 'b'])).toEqual([true, true]);
    expect(done).toEqual(['changed a,b']);
  });

  it('reads which rows were changed where some were not', async () => {
    const { done, changeAll } = create(1, ['b']);
    expect(await changeAll(['a', 'b'])).toEqual([false, true]);
    expect(done).toEqual(['changed a,b', 'read a,b']);
  });
});

describe('rows that may be a moment old', () => {
  const find = async (isMultiPrimary: boolean, ofThisServer: string[]) => {
    const asked: unknown[] = [];
    const load = plainlyFirst<string>({ isMultiPrimary: () => isMultiPrimary }, async (keys, reading) => {
      asked.push([keys, reading]);
      const there = reading.causal ? ['a', 'b'] : ofThisServer;
      return new Map(keys.filter((key) => there.includes(key)).map((key) => [key, key.toUpperCase()]));
    });
    const found = await load(['a', 'b', 'c'], undefined);
    return { asked, found: [...found] };
  };
  const [a, b, c] = [
    ['a', 'A'],
    ['b', 'B'],
    ['c', 'C'],
  ];

  it('are asked for once where there is one primary', async () => {
    expect(await find(false, ['a'])).toEqual({ found: [a], asked: [[['a', 'b', 'c'], plainly]] });
  });

  it.each([
    [['a'], [a, b], ['b', 'c']],
    [['a', 'b'], [a, b], ['c']],
  ])(
    'are asked for again, causally, where another primary may have them: all but %j',
    async (there, found, missing) => {
      const asked = [
        [['a', 'b', 'c'], plainly],
        [missing, causally],
      ];
      expect(await find(true, there)).toEqual({ found, asked });
    },
  );

  it('are not asked for again where all were found', async () => {
    expect(await find(true, ['a', 'b', 'c'])).toEqual({ found: [a, b, c], asked: [[['a', 'b', 'c'], plainly]] });
  });
});
