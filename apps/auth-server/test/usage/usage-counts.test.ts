import { DatabaseUnavailableError } from '@gatehouse/service-kit/database';
import { describe, expect, it } from '@jest/globals';
import type { UsageCount } from '../../src/usage/usage-count.ts';
import { createUsageCounts } from '../../src/usage/usage-counts.ts';

const hour = 3_600_000;
const day = 24 * hour;
const start = Date.UTC(2026, 0, 1, 22, 59, 50);

/** Counts of a process, and the rows that its writes left. */
function startCounting() {
  let now = start;
  let isAway = false;
  const rows = new Map<string, number>();
  const writes: number[] = [];
  const warnings: unknown[] = [];
  let tick = () => {};
  const counts = createUsageCounts({
    store: {
      async put(writer, given: readonly UsageCount[]) {
        if (isAway) throw new DatabaseUnavailableError('away');
        if (given.length > 0) writes.push(given.length);
        for (const { step, ledger, startsAt, detail, subject = '', amount } of given) {
          const at = new Date(startsAt).toISOString().slice(0, 13);
          rows.set([step, at, ledger, detail, subject, writer.length].join(' '), amount);
        }
      },
    },
    clock: () => now,
    repeat: (work, interval) => {
      expect(interval).toBe(10_000);
      tick = work;
      return () => {};
    },
    log: { warn: (...line: unknown[]) => void warnings.push(line.at(-1)) } as never,
  });
  return {
    counts,
    rows,
    writes,
    warnings,
    tick: () => tick(),
    advance: (milliseconds: number) => {
      now += milliseconds;
    },
    cut: (away: boolean) => {
      isAway = away;
    },
    amountOf: (step: string, at: string, clientId = '') => rows.get(`${step} ${at} tokens issued x ${clientId} 16`),
  };
}

describe('the counts of a process', () => {
  it('are of each client and of all together, by hour and by day, and are written as what they are so far', async () => {
    const { counts, amountOf, rows } = startCounting();
    counts.count('tokens', 'issued x', 'web');
    counts.count('tokens', 'issued x', undefined);
    expect(rows.size).toBe(0);
    await counts.write();
    expect(amountOf('hour', '2026-01-01T22')).toBe(2);
    expect(amountOf('hour', '2026-01-01T22', 'web')).toBe(1);
    counts.count('tokens', 'issued x', 'web');
    await counts.write();
    expect(amountOf('hour', '2026-01-01T22', 'web')).toBe(2);
    expect(amountOf('day', '2026-01-01T00', 'web')).toBe(2);
    expect(amountOf('day', '2026-01-01T00')).toBe(3);
  });

  it('are written where they changed, and not else', async () => {
    const { counts, writes, tick } = startCounting();
    counts.count('tokens', 'issued x', 'web');
    tick();
    await counts.write();
    await counts.write();
    expect(writes).toEqual([4]);
  });

  it('begin again with an hour and with a day; the hour before keeps all of its own', async () => {
    const { counts, amountOf, advance } = startCounting();
    counts.count('tokens', 'issued x', 'web');
    advance(11_000);
    counts.count('tokens', 'issued x', 'web');
    await counts.write();
    expect([amountOf('hour', '2026-01-01T22'), amountOf('hour', '2026-01-01T23')]).toEqual([1, 1]);
    expect(amountOf('day', '2026-01-01T00', 'web')).toBe(2);
    counts.count('tokens', 'issued x', 'web');
    advance(hour);
    counts.count('tokens', 'issued x', 'web');
    await counts.write();
    expect([amountOf('hour', '2026-01-01T23'), amountOf('hour', '2026-01-02T00')]).toEqual([2, 1]);
    expect([amountOf('day', '2026-01-01T00'), amountOf('day', '2026-01-02T00', 'web')]).toEqual([3, 1]);
    advance(day);
    await counts.write();
    expect(amountOf('hour', '2026-01-03T00')).toBeUndefined();
  });

  it('are written later where the database was away, also those of an hour that is over', async () => {
    const { counts, amountOf, advance, cut, warnings } = startCounting();
    cut(true);
    counts.count('tokens', 'issued x', 'web');
    await counts.write();
    advance(11_000);
    counts.count('tokens', 'issued x', 'web');
    await counts.write();
    cut(false);
    await counts.close();
    expect([amountOf('hour', '2026-01-01T22'), amountOf('hour', '2026-01-01T23')]).toEqual([1, 1]);
    expect(amountOf('day', '2026-01-01T00')).toBe(2);
    expect(warnings).toEqual([]);
  });

  it('of an hour that ends while they cannot be written are not lost', async () => {
    const { counts, amountOf, advance, cut } = startCounting();
    counts.count('tokens', 'issued x', 'web');
    cut(true);
    const writing = counts.write();
    advance(11_000);
    counts.count('tokens', 'issued x', 'web');
    await writing;
    cut(false);
    await counts.close();
    expect([amountOf('hour', '2026-01-01T22'), amountOf('hour', '2026-01-01T23')]).toEqual([1, 1]);
  });

  it('are written of the 1,000 busiest clients, and of all together', async () => {
    const { counts, rows, amountOf } = startCounting();
    for (let client = 0; client < 1_200; client += 1) counts.count('tokens', 'issued x', `c${client}`);
    for (let client = 1_100; client < 1_200; client += 1) counts.count('tokens', 'issued x', `c${client}`);
    await counts.write();
    expect(rows.size).toBe(2_002);
    expect(amountOf('hour', '2026-01-01T22')).toBe(1_300);
    expect(amountOf('hour', '2026-01-01T22', 'c1199')).toBe(2);
    expect(amountOf('hour', '2026-01-01T22', 'c1050')).toBeUndefined();
  });

  it('are of 10,000 clients a day at most', async () => {
    const { counts, amountOf } = startCounting();
    for (let client = 0; client < 10_000; client += 1) counts.count('tokens', 'issued x', `c${client}`);
    for (let sent = 0; sent < 5; sent += 1) counts.count('tokens', 'issued x', 'one-more');
    await counts.write();
    expect(amountOf('day', '2026-01-01T00', 'one-more')).toBeUndefined();
    expect(amountOf('day', '2026-01-01T00')).toBe(10_005);
  });
});
