import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emptyTable } from '../src/database/empty-table.ts';
import { createId, idToBytes } from '../src/time-ordered-id.ts';
import { openTestDatabase } from './support/test-service.ts';

describe.each(testDialects)('a table that is emptied on %s', (dialect) => {
  let test: Awaited<ReturnType<typeof openTestDatabase>>;
  beforeAll(async () => {
    test = await openTestDatabase(dialect);
  });
  afterAll(() => test.close());

  const insert = async (count: number) => {
    const hash = Buffer.alloc(32, 1);
    const rows = Array.from({ length: count }, () => [idToBytes(createId()), hash, hash, Date.now() + 60_000]);
    const marks = rows.map(() => '(?, ?, ?, ?)').join(', ');
    const sql = `INSERT INTO failed_attempts (id, subject_hash, address_hash, expires_at) VALUES ${marks}`;
    await test.database.execute(sql, rows.flat());
  };
  const count = async () => {
    const [row] = await test.database.query<{ found: unknown }>('SELECT COUNT(*) AS found FROM failed_attempts');
    return Number(row?.found);
  };

  it('has no row left, whatever expires when, and the number of them is told', async () => {
    for (let turn = 0; turn < 5; turn += 1) await insert(500);
    expect(await emptyTable(test.database, 'failed_attempts')).toBe(2_500);
    expect(await count()).toBe(0);
    expect(await emptyTable(test.database, 'failed_attempts')).toBe(0);
  });

  it('is emptied by two at once, and what one cut off left is emptied by the next', async () => {
    for (let turn = 0; turn < 5; turn += 1) await insert(500);
    let left = 1;
    const cutOff = {
      dialect,
      async execute(...statement: Parameters<typeof test.database.execute>) {
        if (left === 0) throw new Error('killed');
        left -= 1;
        return test.database.execute(...statement);
      },
    };
    const outcome = await emptyTable(cutOff, 'failed_attempts').catch((error: Error) => error.message);
    expect([outcome, await count()]).toEqual(dialect === 'mysql' ? ['killed', 1_500] : [2_500, 0]);
    const empty = () => emptyTable(test.database, 'failed_attempts');
    const [one, two] = await Promise.all([empty(), empty()]);
    expect(one + two).toBe(dialect === 'mysql' ? 1_500 : 0);
    expect(await count()).toBe(0);
  });
});
