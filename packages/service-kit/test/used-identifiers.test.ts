import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '../src/database/database.ts';
import { createUsedIdentifiers } from '../src/used-identifiers/used-identifiers.ts';
import { openTestDatabase } from './support/test-service.ts';

describe.each(testDialects)('identifiers that work once, on %s', (dialect) => {
  let test: Awaited<ReturnType<typeof openTestDatabase>>;
  let statements: number;
  /** The database, which counts what is sent to it. */
  let counted: Database;
  beforeAll(async () => {
    test = await openTestDatabase(dialect);
    counted = {
      ...test.database,
      execute: (...statement) => {
        statements += 1;
        return test.database.execute(...statement);
      },
    };
  });
  afterAll(() => test.close());

  const identifier = (number: number) => Buffer.alloc(32, number);
  const useAll = (numbers: number[], by = createUsedIdentifiers(counted)) => {
    statements = 0;
    return Promise.all(numbers.map((number) => by.use(identifier(number), 1_700_000_000_000)));
  };

  it('writes all that are used in one turn of the event loop by one statement', async () => {
    expect(await useAll([1, 2, 3, 4])).toEqual([true, true, true, true]);
    expect(statements).toBe(1);
  });

  it('refuses only the one that was used before, among others of the same turn', async () => {
    expect(await useAll([3, 5, 6])).toEqual([false, true, true]);
    expect(await useAll([5, 6])).toEqual([false, false]);
  });

  it('accepts one of several uses in the same turn', async () => {
    const answers = await useAll([7, 7, 8, 7]);
    expect(answers[2]).toBe(true);
    expect(answers.filter(Boolean)).toHaveLength(2);
  });

  it('accepts one of several uses at two replicas, whatever else the replicas write', async () => {
    const replicas = [createUsedIdentifiers(counted), createUsedIdentifiers(counted)];
    const answers = await Promise.all(replicas.map((by, replica) => useAll([20, 21, 30 + replica], by)));
    expect(answers.map(([first]) => first).filter(Boolean)).toHaveLength(1);
    expect(answers.map(([, second]) => second).filter(Boolean)).toHaveLength(1);
    expect(answers.map(([, , own]) => own)).toEqual([true, true]);
  });

  it('fails for all of a turn by one statement while the database is out of reach', async () => {
    const away = Object.assign(new Error('no connection'), { code: 'ECONNREFUSED' });
    statements = 0;
    const by = createUsedIdentifiers({
      ...test.database,
      execute: () => {
        statements += 1;
        return Promise.reject(away);
      },
    });
    await expect(by.use(identifier(9), 1)).rejects.toBe(away);
    statements = 0;
    const answers = await Promise.allSettled([10, 11, 12].map((number) => by.use(identifier(number), 1)));
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(statements).toBe(1);
  });
});
