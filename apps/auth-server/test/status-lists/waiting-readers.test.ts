import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from '@gatehouse/service-kit';
import { createMetrics, type Metrics } from '@gatehouse/service-kit/metrics';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { bitsOf, buildEntityTag } from '../../src/status-lists/entity-tag.ts';
import { meterWaits } from '../../src/status-lists/meter-waits.ts';
import { createStatusListWaits, type StatusListWaits } from '../../src/status-lists/wait-for-change.ts';
import { createStatusListWatch, type StatusListReader } from '../../src/status-lists/watch-status-lists.ts';
import { buildUnsignedList as listOf } from '../support/status.ts';
import { silentLog } from '../support/stores.ts';

describe('those who wait for a status list', () => {
  let readers: Set<StatusListReader>;
  let metrics: Metrics;
  let waits: StatusListWaits;
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'performance', 'setImmediate'] });
    readers = new Set();
    metrics = createMetrics();
    const watch = {
      add: (reader: StatusListReader) => void readers.add(reader),
      remove: (reader: StatusListReader) => void readers.delete(reader),
    };
    waits = createStatusListWaits({ watch, meter: meterWaits(metrics) });
  });
  afterEach(() => void jest.useRealTimers());

  const begin = (name = 'one', by: 'client' | 'network' = 'network') => {
    let leave = () => {};
    const whenGone = (end: () => void) => {
      leave = end;
    };
    const outcome = waits.wait({ listId: 7, tags: ['W/"1-a"', '"2-b"'], seconds: 30, caller: { by, name }, whenGone });
    return { outcome, leave: () => leave() };
  };
  const beginMany = (count: number, nameOf: (turn: number) => string, by?: 'client' | 'network') =>
    Array.from({ length: count }, (_, turn) => begin(nameOf(turn), by));
  /** What a wait came to until now. */
  const stateOf = ({ outcome }: ReturnType<typeof begin>) => Promise.race([outcome, Promise.resolve('waiting')]);
  const figuresOf = async () => {
    const lines = (await metrics.print()).split('\n').filter((line) => !line.startsWith('#'));
    return Object.fromEntries(
      lines.flatMap((line) => {
        const [, name, value] = /status_list_(?:refused_waits_total{reason=")?(\w+)(?:"})? (\d+)$/.exec(line) ?? [];
        return name === undefined ? [] : [[name, Number(value)]];
      }),
    );
  };

  it('wait for what their lists do not say, in whatever hour those were signed', () => {
    begin();
    const bits = ['W/"2-a"', 'W/"1-b"'].map(bitsOf);
    const [changed, unread] = [expect.any(Function), expect.any(Function)];
    expect([...readers]).toEqual([{ listId: 7, bits, changed, unread }]);
  });

  it.each<[string, (wait: ReturnType<typeof begin>) => void]>([
    ['changed', () => [...readers][0]?.changed()],
    ['unread', () => [...readers][0]?.unread()],
    ['gone', (wait) => wait.leave()],
    ['over', () => jest.advanceTimersByTime(30_000)],
    ['stopped', () => waits.stop()],
  ])('end once, and leave nothing: %s', async (outcome, end) => {
    const wait = begin();
    const [reader] = readers;
    jest.advanceTimersByTime(29_999);
    expect([await stateOf(wait), await figuresOf()]).toEqual([
      'waiting',
      expect.objectContaining({ waiting_readers: 1 }),
    ]);
    end(wait);
    expect(await stateOf(wait)).toBe(outcome);
    wait.leave();
    reader?.changed();
    expect([readers.size, jest.getTimerCount()]).toEqual([0, 0]);
    expect(await figuresOf()).toEqual({ waiting_readers: 0, process: 0, network: 0, client: 0, stopping: 0 });
  });

  it('are a hundred of a network, and one more for each that ends', async () => {
    const here = beginMany(100, () => 'one');
    expect(begin().outcome).toBeUndefined();
    expect(await stateOf(begin('other'))).toBe('waiting');
    here[3]?.leave();
    expect(await stateOf(begin())).toBe('waiting');
    expect(begin().outcome).toBeUndefined();
    expect(await figuresOf()).toEqual({ waiting_readers: 101, process: 0, network: 2, client: 0, stopping: 0 });
  });

  it('are a thousand in all, and one more for each that ends', async () => {
    const clients = beginMany(500, (turn) => `client ${turn >> 3}`, 'client');
    const strangers = beginMany(500, (turn) => `network ${turn >> 1}`);
    for (const [all, by] of [
      [strangers, 'network'],
      [clients, 'client'],
    ] as const) {
      expect(begin('one', by).outcome).toBeUndefined();
      all[3]?.leave();
      expect(await stateOf(begin('one', by))).toBe('waiting');
      expect(begin('one', by).outcome).toBeUndefined();
    }
    expect(await figuresOf()).toEqual({ waiting_readers: 1_000, process: 4, network: 0, client: 0, stopping: 0 });
  });

  it('are five hundred that did not authenticate, and a hundred of a client', async () => {
    beginMany(500, (turn) => `network ${turn >> 1}`);
    expect(begin().outcome).toBeUndefined();
    beginMany(100, () => 'one', 'client');
    expect(begin('one', 'client').outcome).toBeUndefined();
    expect(await stateOf(begin('two', 'client'))).toBe('waiting');
    expect(await figuresOf()).toEqual({ waiting_readers: 601, process: 1, network: 0, client: 1, stopping: 0 });
  });

  it('are let go all at once where the process stops, and none comes after them', async () => {
    const all = beginMany(3, () => 'one');
    waits.stop();
    expect(await Promise.all(all.map(stateOf))).toEqual(['stopped', 'stopped', 'stopped']);
    expect(begin().outcome).toBeUndefined();
    expect(await figuresOf()).toEqual({ waiting_readers: 0, process: 0, network: 0, client: 0, stopping: 1 });
  });
});

describe('a reading of the status lists that are waited for', () => {
  const bitsOfList = (bits: string) => bitsOf(buildEntityTag(listOf(bits)));

  let lists: Map<number, string> | undefined;
  let readings: number[][];
  let secondReading: Promise<void>;
  let warnings: unknown[][];
  let told: string[];
  let readers: StatusListReader[];
  let watch: ReturnType<typeof createStatusListWatch>;
  beforeEach(() => {
    lists = new Map([
      [1, listOf('a')],
      [2, listOf('b')],
    ]);
    [readings, warnings, told, readers] = [[], [], [], []];
    const log = { ...silentLog, warn: (...warning: unknown[]) => warnings.push(warning) } as unknown as Logger;
    let read = () => {};
    secondReading = new Promise((resolve) => {
      read = resolve;
    });
    const statusLists = {
      async refresh(listIds: ReadonlySet<number>) {
        readings.push([...listIds]);
        if (readings.length === 2) read();
        if (lists === undefined) throw new Error('no database');
        return lists;
      },
    };
    watch = createStatusListWatch({ statusLists, log });
  });
  afterEach(() => {
    for (const reader of readers) watch.remove(reader);
  });

  const add = (name: string, listId: number, bits: string[]) => {
    const tell = (what: string) => () => {
      told.push(`${name} ${what}`);
      watch.remove(reader);
    };
    const reader = { listId, bits, changed: tell('changed'), unread: tell('unread') };
    readers.push(reader);
    watch.add(reader);
  };

  it('is one for all, after a pause, and tells those whose lists say something else, fifty in one turn', async () => {
    const startedAt = performance.now();
    add('current', 1, [bitsOfList('a')]);
    await nextTurn();
    add('of several', 2, [bitsOfList('a'), bitsOfList('b')]);
    for (let turn = 0; turn < 120; turn += 1) add('former', 1, [bitsOfList('b')]);
    await secondReading;
    expect(performance.now() - startedAt).toBeGreaterThan(90);
    const counts: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      await nextTurn();
      counts.push(told.length);
    }
    expect(counts).toEqual([50, 100, 120, 120]);
    expect(new Set(told)).toEqual(new Set(['former changed']));
    // The first one began when nobody else waited.
    expect(readings).toEqual([[1], [1, 2]]);
  });

  it('tells who waits for a list that says something else, or that is none', async () => {
    add('former', 1, [bitsOfList('b')]);
    await nextTurn();
    expect(told).toEqual(['former changed']);
    add('of none', 3, [bitsOfList('a')]);
    await secondReading;
    await nextTurn();
    expect(told).toEqual(['former changed', 'of none changed']);
  });

  it('that fails is told to the log also where it is the first', async () => {
    lists = undefined;
    add('early', 1, [bitsOfList('a')]);
    await nextTurn();
    expect([told, warnings.length]).toEqual([['early unread'], 1]);
  });

  it('that fails is told to the log, and to those who came for it', async () => {
    add('early', 1, [bitsOfList('a')]);
    await nextTurn();
    lists = undefined;
    add('late', 1, [bitsOfList('a')]);
    await secondReading;
    await nextTurn();
    expect(told).toEqual(['late unread']);
    expect(warnings).toEqual([
      [{ err: new Error('no database') }, 'the status lists that callers wait for cannot be read'],
    ]);
  });
});
