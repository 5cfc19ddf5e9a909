import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGuessLimit } from '../src/guess-limit/guess-limit.ts';
import { openTestDatabase } from './support/test-service.ts';

const minutes = 60_000;

describe.each(testDialects)('guess limit on %s', (dialect) => {
  let test: Awaited<ReturnType<typeof openTestDatabase>>;
  let now = 1_700_000_000_000;
  let limit: ReturnType<typeof createGuessLimit>;

  beforeAll(async () => {
    test = await openTestDatabase(dialect);
    limit = createGuessLimit({ database: test.database, clock: () => now });
  });
  afterAll(() => test.close());

  const fail = async (subject: string, address: string, times: number) => {
    const waits: (number | undefined)[] = [];
    for (let i = 0; i < times; i += 1) waits.push(await limit.recordFailure({ subject, address }));
    return waits;
  };

  it('lets ten wrong guesses at one subject from one address pass and refuses the next', async () => {
    const attempt = { subject: 'a@example.com', address: '192.0.2.1' };
    expect(await limit.findRetryAfter(attempt)).toBeUndefined();
    await fail(attempt.subject, attempt.address, 9);
    expect(await limit.findRetryAfter(attempt)).toBeUndefined();
    await fail(attempt.subject, attempt.address, 1);
    expect(await limit.findRetryAfter(attempt)).toBe(300);
  });

  it('leaves other subjects at that address alone, and that subject at other addresses', async () => {
    expect(await limit.findRetryAfter({ subject: 'b@example.com', address: '192.0.2.1' })).toBeUndefined();
    expect(await limit.findRetryAfter({ subject: 'a@example.com', address: '192.0.2.2' })).toBeUndefined();
  });

  it('does not mix up a subject and an address that run together', async () => {
    await fail('x', 'y1', 10);
    expect(await limit.findRetryAfter({ subject: 'xy', address: '1' })).toBeUndefined();
  });

  it('says how long to wait, to the second, and forgets when the window has passed', async () => {
    const attempt = { subject: 'c@example.com', address: '192.0.2.3' };
    await fail(attempt.subject, attempt.address, 5);
    now += 2 * minutes;
    await fail(attempt.subject, attempt.address, 5);
    expect(await limit.findRetryAfter(attempt)).toBe(180);
    now += 3 * minutes - 1;
    expect(await limit.findRetryAfter(attempt)).toBe(1);
    now += 1;
    expect(await limit.findRetryAfter(attempt)).toBeUndefined();
    await fail(attempt.subject, attempt.address, 4);
    expect(await limit.findRetryAfter(attempt)).toBeUndefined();
    await fail(attempt.subject, attempt.address, 1);
    expect(await limit.findRetryAfter(attempt)).toBe(120);
  });

  it('refuses an address after a hundred wrong guesses, whatever the subjects', async () => {
    const address = '192.0.2.4';
    for (let i = 0; i < 99; i += 1) await fail(`user${i}@example.com`, address, 1);
    expect(await limit.findRetryAfter({ subject: 'new@example.com', address })).toBeUndefined();
    expect(await fail('user99@example.com', address, 1)).toEqual([undefined]);
    expect(await limit.findRetryAfter({ subject: 'new@example.com', address })).toBe(300);
    expect(await limit.findRetryAfter({ subject: 'user0@example.com', address: '192.0.2.5' })).toBeUndefined();
    now += 5 * minutes;
    expect(await limit.findRetryAfter({ subject: 'new@example.com', address })).toBeUndefined();
  });

  it('tells no more than ten of many guesses at the same moment that they were wrong', async () => {
    const attempt = { subject: 'd@example.com', address: '192.0.2.6' };
    const waits = await Promise.all(Array.from({ length: 25 }, () => limit.recordFailure(attempt)));
    const told = waits.filter((wait) => wait === undefined).length;
    expect(told).toBeLessThanOrEqual(10);
    expect(waits.filter((wait) => wait !== undefined)).toEqual(Array.from({ length: 25 - told }, () => 300));
  });

  it('counts for all replicas together', async () => {
    const replica = createGuessLimit({ database: test.database, clock: () => now });
    expect(await replica.findRetryAfter({ subject: 'd@example.com', address: '192.0.2.6' })).toBe(300);
  });

  it('stores neither the subject nor the address', async () => {
    const rows = await test.database.query<Record<string, unknown>>('SELECT * FROM failed_attempts');
    expect(rows.length).toBeGreaterThan(100);
    const text = rows.map((row) => Object.values(row).map(String).join('\n')).join('\n');
    expect(text).not.toContain('example.com');
    expect(text).not.toContain('192.0.2');
  });
});
