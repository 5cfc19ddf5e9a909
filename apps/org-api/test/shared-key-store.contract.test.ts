import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createSharedKeyStore } from '../src/users/shared-key-store.ts';
import { openOrganizationDatabase } from './support/organization.ts';

describe.each(testDialects)('a key that all replicas share, on %s', (dialect) => {
  let test: Awaited<ReturnType<typeof openOrganizationDatabase>>;
  beforeAll(async () => {
    test = await openOrganizationDatabase(dialect);
  });
  afterAll(() => test.close());

  it('is made of 32 bytes by the first that asks, and is the same for all', async () => {
    const replicas = Array.from({ length: 4 }, () => createSharedKeyStore(test.database));
    const [first, ...others] = await Promise.all(replicas.map((store) => store.getOrMake('one')));
    expect(first).toHaveLength(32);
    for (const other of others) expect(other).toEqual(first);
    expect(await createSharedKeyStore(test.database).getOrMake('one')).toEqual(first);
  });

  it('is another one for each name', async () => {
    const store = createSharedKeyStore(test.database);
    expect(await store.getOrMake('two')).not.toEqual(await store.getOrMake('three'));
  });

  it('is named where it is gone', async () => {
    const store = createSharedKeyStore({ ...test.database, query: async () => [] });
    await expect(store.getOrMake('four')).rejects.toThrow('the key four was stored and is gone');
  });
});
