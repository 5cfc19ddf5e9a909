import { randomBytes } from 'node:crypto';
import { createId } from '@gatehouse/service-kit';
import { roles } from '@gatehouse/shared';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { InitialToken } from '../../src/registration/initial-token.ts';
import { start } from '../support/builders.ts';
import { countWinners, openStores, type TestStores } from '../support/stores.ts';

describe.each(testDialects)('initial access token store on %s', (dialect) => {
  let test: TestStores;
  beforeAll(async () => {
    test = await openStores(dialect);
  });
  afterAll(() => test.close());

  const insert = async (fields: Partial<InitialToken> = {}): Promise<InitialToken> => {
    const token: InitialToken = {
      id: createId(),
      tokenHash: randomBytes(32),
      uses: 3,
      usesLeft: 3,
      limits: { grantTypes: ['authorization_code'], scope: ['openid'], resources: undefined },
      ceiling: ['IdpAdministrator'],
      createdAt: start,
      expiresAt: start + 1_000,
      ...fields,
    };
    await test.initialTokens.insert(token);
    return token;
  };
  const usesOf = async ({ tokenHash }: InitialToken) => (await test.initialTokens.findByHash(tokenHash))?.usesLeft;

  it('gives back what was inserted, field by field', async () => {
    for (const ceiling of [[], roles, ['DirectoryReader'] as const]) {
      const token = await insert({ ceiling });
      expect(await test.onReplica.initialTokens.findByHash(token.tokenHash)).toEqual(token);
    }
    expect(await test.initialTokens.findByHash(randomBytes(32))).toBeUndefined();
  });

  it('gives each use to one of those who take at the same moment', async () => {
    const token = await insert();
    const stores = [test.initialTokens, test.onReplica.initialTokens];
    expect(await countWinners(async (turn) => stores[turn % 2]?.take(token.id, start) ?? false)).toBe(3);
    expect(await usesOf(token)).toBe(0);
  });

  it('takes none that has expired or is deleted, and gives back no more than there were', async () => {
    const token = await insert({ uses: 1, usesLeft: 1 });
    expect(await test.initialTokens.take(token.id, start + 1_000)).toBe(false);
    expect(await test.initialTokens.take(token.id, start + 999)).toBe(true);
    await test.initialTokens.giveBack(token.id);
    await test.initialTokens.giveBack(token.id);
    expect(await usesOf(token)).toBe(1);
    expect(await test.initialTokens.delete(token.id)).toBe(true);
    expect(await test.initialTokens.delete(token.id)).toBe(false);
    expect(await test.initialTokens.take(token.id, start)).toBe(false);
  });

  it.each(['', 'x', 'ö', "' OR 1=1"])('deletes nothing by the id %j', async (id) =>
    expect(await test.initialTokens.delete(id)).toBe(false),
  );

  it('lists those that have not expired, a page at a time', async () => {
    const [first, second] = [await insert({ expiresAt: start + 9_000 }), await insert({ expiresAt: start + 9_000 })];
    await insert({ expiresAt: start + 5_000 });
    const page = await test.initialTokens.list({ after: undefined, limit: 1, usable: false }, start + 8_999);
    expect(page).toEqual([first]);
    expect(await test.initialTokens.list({ after: first.id, limit: 9, usable: false }, start + 8_999)).toEqual([
      second,
    ]);
  });
});
