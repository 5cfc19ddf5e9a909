import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@gatehouse/service-kit';
import { afterEach, describe, expect, it } from '@jest/globals';
import { bitsOf, buildEntityTag } from '../../src/status-lists/entity-tag.ts';
import { createStatusListWatch, type StatusListReader } from '../../src/status-lists/watch-status-lists.ts';
import { buildUnsignedList as listOf } from '../support/status.ts';
import { silentLog } from '../support/stores.ts';

/** What its entity tag says of the list `a`. */
const bitsOfA = bitsOf(buildEntityTag(listOf('a')));

describe('the reading of status lists that are waited for', () => {
  const warnings: unknown[] = [];
  const log = { ...silentLog, warn: (...warning: unknown[]) => warnings.push(warning) } as unknown as Logger;
  let isAway = false;
  let takes = 0;
  let current = listOf('a');
  let readings: number[] = [];
  const statusLists = {
    async refresh(listIds: ReadonlySet<number>) {
      readings.push(performance.now());
      if (isAway) throw new Error('no database');
      if (takes > 0) await sleep(takes);
      return new Map([...listIds].map((listId) => [listId, current]));
    },
  };
  const readers: StatusListReader[] = [];
  const told: string[] = [];
  const watch = createStatusListWatch({ statusLists, log });
  const add = (name: string, bits: string[]) => {
    const reader: StatusListReader = {
      listId: 1,
      bits,
      changed: () => end(`${name} changed`),
      unread: () => end(`${name} unread`),
    };
    const end = (what: string) => {
      told.push(what);
      watch.remove(reader);
    };
    readers.push(reader);
    watch.add(reader);
  };
  const untilTold = async (count: number) => {
    const deadline = performance.now() + 5_000;
    while (told.length < count && performance.now() < deadline) await sleep(5);
  };

  afterEach(async () => {
    for (const reader of readers.splice(0)) watch.remove(reader);
    [isAway, takes, current] = [false, 0, listOf('a')];
    // The watch ends with the pause in which it finds nobody.
    await sleep(1_200);
    told.length = 0;
    warnings.length = 0;
    readings = [];
  });

  it('logs an outage once, tries once a second, keeps those who were there and tells those who come', async () => {
    add('early', [bitsOfA]);
    await sleep(250);
    expect(told).toEqual([]);
    isAway = true;
    readings = [];
    await sleep(300);
    add('late', [bitsOfA]);
    await untilTold(1);
    await sleep(1_500);
    expect(told).toEqual(['late unread']);
    expect(warnings).toEqual([[{ err: new Error('no database') }, expect.any(String)]]);
    expect(readings.length).toBeLessThanOrEqual(4);
    [isAway, current] = [false, listOf('b')];
    await untilTold(2);
    expect(told).toEqual(['late unread', 'early changed']);
  });

  it('is followed by a pause as long as it took', async () => {
    takes = 300;
    add('one', [bitsOfA]);
    await sleep(2_000);
    const pauses = readings.slice(1).map((at, index) => at - (readings[index] ?? 0) - takes);
    expect(pauses.length).toBeGreaterThan(1);
    expect(Math.min(...pauses)).toBeGreaterThan(270);
  });

  it('tells a reader nothing that went away meanwhile', async () => {
    takes = 400;
    current = listOf('b');
    add('leaving', [bitsOfA]);
    add('staying', [bitsOfA]);
    await sleep(50);
    watch.remove(readers[0] as StatusListReader);
    await untilTold(1);
    expect(told).toEqual(['staying changed']);
  });

  it('is compared only with readers that came before it began', async () => {
    takes = 200;
    current = listOf('b');
    add('before', [bitsOfA]);
    await sleep(50);
    add('meanwhile', [bitsOfA]);
    await untilTold(1);
    expect(told).toEqual(['before changed']);
    await untilTold(2);
    expect(told).toEqual(['before changed', 'meanwhile changed']);
  });
});
