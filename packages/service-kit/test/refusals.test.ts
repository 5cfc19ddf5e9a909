import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '../src/database/database.ts';
import { DatabaseUnavailableError } from '../src/database/database-errors.ts';
import { adviceByCode, adviceByReason, findAdvice } from '../src/refusals/advice.ts';
import { refusalTable } from '../src/refusals/refusal-table.ts';
import { createRefusals } from '../src/refusals/refusals.ts';
import type { KnownOfRequest } from '../src/request-context.ts';
import { openTestDatabase } from './support/test-service.ts';

/** The same database, and the statements that it is given. */
function recordStatements(database: Database) {
  const statements: string[] = [];
  const note =
    <Given extends unknown[], Result>(send: (sql: string, ...values: Given) => Result) =>
    (sql: string, ...values: Given) => {
      statements.push(sql);
      return send(sql, ...values);
    };
  return {
    statements,
    database: { ...database, execute: note(database.execute), query: note(database.query) as Database['query'] },
  };
}

const refused = { status: 401, code: 'invalid_client', reason: 'no token was sent' };

describe.each(testDialects)('the refusals of a process on %s', (dialect) => {
  let test: Awaited<ReturnType<typeof openTestDatabase>>;
  let now = 1_700_000_000_000;
  beforeAll(async () => {
    test = await openTestDatabase(dialect);
  });
  beforeEach(() => test.database.execute(`DELETE FROM ${refusalTable}`));
  afterAll(() => test.close());

  const start = (database: Database = test.database) => {
    const counts = { stored: 0, left_out: 0, failed: 0 };
    const warnings: unknown[] = [];
    const ticks: (() => void)[] = [];
    const refusals = createRefusals({
      database,
      clock: () => now,
      repeat: (work, interval) => {
        expect(interval).toBe(2_000);
        ticks.push(work);
        return () => ticks.splice(0);
      },
      log: { warn: (...line: unknown[]) => void warnings.push(line.at(-1)) } as never,
      count: (outcome, amount = 1) => {
        counts[outcome] += amount;
      },
    });
    let requests = 0;
    const note = (address: string, known?: KnownOfRequest, reason = refused.reason) => {
      requests += 1;
      const context = { requestId: `request-${requests}`, address, ...(known && { known }) };
      refusals.note({ ...refused, reason }, context, () => 'issueToken');
    };
    return { refusals, note, counts, warnings, tick: () => ticks.forEach((work) => void work()) };
  };
  const countRows = async () => (await test.database.query(`SELECT id FROM ${refusalTable}`)).length;

  it('are written many by one statement, every two seconds', async () => {
    const { database, statements } = recordStatements(test.database);
    const { refusals, note, tick, counts } = start(database);
    for (let index = 0; index < 90; index += 1) note('192.0.2.1');
    expect(await countRows()).toBe(0);
    tick();
    await refusals.close();
    expect(statements.filter((sql) => sql.startsWith('INSERT'))).toHaveLength(1);
    expect(await countRows()).toBe(90);
    expect(counts).toEqual({ stored: 90, left_out: 0, failed: 0 });
  });

  it('wait while the database is away, at most 500, and are written when it is back', async () => {
    let isAway = true;
    const execute: Database['execute'] = async (...statement) => {
      if (isAway) throw new DatabaseUnavailableError('away');
      return test.database.execute(...statement);
    };
    const { refusals, note, tick, counts, warnings } = start({ ...test.database, execute });
    for (let index = 0; index < 510; index += 1) note(`192.0.2.${index % 250}`);
    tick();
    await refusals.list({ limit: 1 });
    expect(counts).toEqual({ stored: 0, left_out: 10, failed: 0 });
    expect(warnings).toEqual(['more refusals than are kept; the log holds each']);
    isAway = false;
    await refusals.close();
    expect(counts).toEqual({ stored: 500, left_out: 10, failed: 0 });
    expect(await countRows()).toBe(500);
  });

  it('that the database refuses are counted, and keep no others from being written', async () => {
    let isBad = true;
    const execute: Database['execute'] = async (...statement) => {
      if (isBad) throw new Error('no such column');
      return test.database.execute(...statement);
    };
    const { refusals, note, counts, warnings } = start({ ...test.database, execute });
    note('192.0.2.1');
    await refusals.list({ limit: 1 });
    isBad = false;
    note('192.0.2.1');
    await refusals.close();
    expect(counts).toEqual({ stored: 1, left_out: 0, failed: 1 });
    expect(warnings).toEqual(['refusals could not be kept; the log holds each']);
  });

  it('whose answer was lost are written once', async () => {
    let isLost = true;
    const execute: Database['execute'] = async (...statement) => {
      const done = await test.database.execute(...statement);
      if (isLost) throw new DatabaseUnavailableError('the answer is lost');
      return done;
    };
    const { refusals, note } = start({ ...test.database, execute });
    note('192.0.2.1');
    await refusals.list({ limit: 1 });
    isLost = false;
    await refusals.close();
    expect(await countRows()).toBe(1);
  });

  it('are 1,000 in all in five minutes, and in addition three of each client', async () => {
    const { refusals, note, counts } = start();
    for (let index = 0; index < 1_100; index += 1) {
      note(`10.0.${index >> 8}.${index & 255}`);
      if (index % 200 === 0) await refusals.list({ limit: 1 });
    }
    for (let index = 0; index < 4; index += 1) note('192.0.2.1', { client: 'web' });
    await refusals.list({ limit: 1 });
    expect(counts).toEqual({ stored: 1_003, left_out: 101, failed: 0 });
    now += 300_000;
    note('192.0.2.1');
    await refusals.close();
    expect(counts.stored).toBe(1_004);
  });

  it('have at most 1,024 characters of a reason, and the more telling one', async () => {
    const { refusals, note } = start();
    note('192.0.2.1', undefined, '🔑'.repeat(2_000));
    note('192.0.2.1', { reason: 'the user is disabled', user: 'Ada@Example.com' });
    const [second, first] = await refusals.list({ limit: 2 });
    expect([...String(first?.reason)]).toHaveLength(1_024);
    expect(second).toMatchObject({ reason: 'the user is disabled', username: 'ada@example.com' });
    await refusals.close();
  });

  it.each([
    ['request_id', { requestId: 'request-1' }],
    ['client_id', { clientId: 'web' }],
    ['username', { username: 'ada@example.com' }],
  ])('are found by an index of %s', async (column, query) => {
    const { database, statements } = recordStatements(test.database);
    const { refusals, note } = start(database);
    for (let index = 0; index < 400; index += 1)
      note(`192.0.2.${index % 250}`, { client: `c${index}`, user: `u${index}` });
    await refusals.list({ ...query, limit: 50 });
    const sql = statements.at(-1) ?? '';
    const explain = dialect === 'mysql' ? 'EXPLAIN' : 'EXPLAIN QUERY PLAN';
    const plan = await test.database.query(`${explain} ${sql}`, [Object.values(query)[0]]);
    const index = { request_id: 'refusals_request', client_id: 'refusals_client', username: 'refusals_username' }[
      column
    ];
    expect(JSON.stringify(plan)).toContain(index);
    expect(JSON.stringify(plan)).not.toMatch(/filesort|TEMP B-TREE/i);
    await refusals.close();
  });
});

describe('advice', () => {
  it.each([
    ['expired 5 s ago, issued 1805 s ago, by the clock of this server', /token too long/],
    ['its user is gone, or has a new password', /deleted or changed/],
    ['revoked', /^The user signed out, .*: audit events name them$/],
  ])('is by the reason first: %s', (reason, advice) => {
    expect(findAdvice({ code: 'invalid_token', reason })).toMatch(advice);
  });

  it('is by the code where no reason says more, and there is some for every code', () => {
    expect(findAdvice({ code: 'not_found', reason: 'no such client' })).toBe('Compare the name or the id in the path');
    expect(findAdvice({ code: 'unheard_of', reason: 'something' })).toMatch(/the log/);
  });

  it('stands once for each code and reason, and each reason shown has its own', () => {
    const codes = adviceByCode.map(({ shown }) => shown);
    expect(new Set(codes).size).toBe(codes.length);
    for (const { shown, advice } of adviceByReason) {
      const found = findAdvice({ code: 'invalid_token', reason: shown });
      expect(advice.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')).toBe(found);
    }
  });
});
