import { intervalsAlone } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { expiringTables } from '../src/schema/tables.ts';
import { type Organization, startOrganization } from './support/organization.ts';

describe('the purge of org-api', () => {
  let organization: Organization;
  beforeAll(async () => {
    jest.useFakeTimers(intervalsAlone);
    organization = await startOrganization('sqlite');
  });
  afterAll(async () => {
    await organization.close();
    jest.useRealTimers();
  });

  it('begins after 37.5 seconds at most', async () => {
    const { database } = organization.deps;
    const sql = 'INSERT INTO used_identifiers (identifier_hash, expires_at) VALUES (?, ?)';
    await database.execute(sql, [Buffer.alloc(32), organization.time.now - 1]);
    const isGone = async () => (await database.query('SELECT expires_at FROM used_identifiers')).length === 0;
    expect(await isGone()).toBe(false);
    jest.advanceTimersByTime(37_500);
    for (let turn = 0; turn < 500 && !(await isGone()); turn += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(await isGone()).toBe(true);
  });

  it('goes through each table whose rows expire', async () => {
    const tables = await organization.deps.database.query<{ name: string }>(
      "SELECT m.name AS name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'expires_at'",
    );
    expect([...expiringTables].sort()).toEqual(tables.map(({ name }) => name).sort());
  });
});
