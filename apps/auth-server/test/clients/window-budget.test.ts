import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createWindowBudget } from '../../src/clients/window-budget.ts';
import { openStores, type TestStores } from '../support/stores.ts';

/** The beginning of a minute. */
const minute = 1_800_000_000_000;

describe.each(testDialects)('a budget by windows of the clock, on %s', (dialect) => {
  let test: TestStores;
  let now: number;
  let statements: number;
  beforeAll(async () => {
    test = await openStores(dialect);
  });
  beforeEach(async () => {
    now = minute;
    statements = 0;
    await test.database.execute('DELETE FROM request_budgets');
  });
  afterAll(() => test.close());

  const create = () =>
    createWindowBudget({
      limit: 2,
      windowLength: 60_000,
      clock: () => now,
      requestBudgets: {
        take(key, budget) {
          statements += 1;
          return test.requestBudgets.take(key, budget);
        },
      },
    });

  it('is what a name has until the end of the window, and says to the second how long that is', async () => {
    const { spend } = create();
    expect([await spend('a'), await spend('a'), await spend('a')]).toEqual([undefined, undefined, 60]);
    now = minute + 1;
    expect(await spend('a')).toBe(60);
    now = minute + 58_999;
    expect(await spend('a')).toBe(2);
    now = minute + 59_000;
    expect(await spend('a')).toBe(1);
    now = minute + 59_999;
    expect(await spend('a')).toBe(1);
    now = minute + 60_000;
    expect(await spend('a')).toBeUndefined();
  });

  it('belongs to each name, and to all replicas together', async () => {
    const [one, other] = [create(), create()];
    expect([await one.spend('a'), await other.spend('a'), await other.spend('b')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([await one.spend('a'), await other.spend('a'), await other.spend('b')]).toEqual([60, 60, undefined]);
  });

  it('costs no statement once it is used up, and one again in the next window', async () => {
    const { spend } = create();
    for (let times = 0; times < 10; times += 1) await spend('a');
    expect(statements).toBe(3);
    now = minute + 60_000;
    for (let times = 0; times < 10; times += 1) await spend('a');
    expect(statements).toBe(6);
  });

  it('leaves rows that end with the window', async () => {
    now = minute + 12_345;
    await create().spend('a');
    const rows = await test.database.query<{ expires_at: number }>('SELECT expires_at FROM request_budgets');
    expect(rows.map(({ expires_at }) => Number(expires_at))).toEqual([minute + 60_000]);
  });
});
