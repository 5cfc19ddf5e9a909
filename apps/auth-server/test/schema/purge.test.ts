import { intervalsAlone } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Realm, startRealm } from '../support/realm.ts';

describe('the purge of the auth server', () => {
  let realm: Realm;
  beforeAll(async () => {
    jest.useFakeTimers(intervalsAlone);
    realm = await startRealm();
  });
  afterAll(async () => {
    await realm.close();
    jest.useRealTimers();
  });

  /** Waits for what the purge does in the background. */
  const until = async (check: () => Promise<boolean>) => {
    for (let turn = 0; turn < 500 && !(await check()); turn += 1)
      await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await check()).toBe(true);
  };
  const insertExpired = async () => {
    const sql = 'INSERT INTO revocations (subject_hash, expires_at) VALUES (?, ?)';
    await realm.deps.database.execute(sql, [Buffer.alloc(32), realm.clock() - 1]);
    const usedSql = 'INSERT INTO used_identifiers (identifier_hash, expires_at) VALUES (?, ?)';
    await realm.deps.database.execute(usedSql, [Buffer.alloc(32), realm.clock() - 1]);
  };
  const countOf = async (table: string) => (await realm.deps.database.query(`SELECT expires_at FROM ${table}`)).length;

  it('begins after 12.5 seconds at most for rows that live for a minute, and after 37.5 for all others', async () => {
    await insertExpired();
    jest.advanceTimersByTime(12_500);
    await until(async () => (await countOf('used_identifiers')) === 0);
    expect(await countOf('revocations')).toBe(1);
    jest.advanceTimersByTime(25_000);
    await until(async () => (await countOf('revocations')) === 0);
  });
});
