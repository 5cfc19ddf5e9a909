import type { Examined } from '@gatehouse/service-kit/terms';
import { describe, expect, it } from '@jest/globals';
import type { ClientFindingStore } from '../../src/oversight/findings/client-finding-store.ts';
import { createClientFindings } from '../../src/oversight/findings/client-findings.ts';
import { start } from '../support/builders.ts';

const nothing = async (): Promise<Examined> => ({ ids: [], isExact: true });

/** The findings where these lists have something. */
async function find(lists: Partial<ClientFindingStore>) {
  const none = { listByGrantType: nothing, listWithAllRoles: nothing, listWithHttpRedirect: nothing };
  const more = { listWithSecretSince: nothing, listWithOverlap: nothing, listUnused: nothing, listNeverUsed: nothing };
  const finders = createClientFindings({ clientFindings: { ...none, ...more, ...lists }, clock: () => start });
  return (await Promise.all(finders.map((finder) => finder()))).flat();
}

describe('a finding about clients', () => {
  it('is none where there are none', async () => {
    expect(await find({})).toEqual([]);
  });

  it('says that it is not all, where more were not looked at', async () => {
    const listWithSecretSince = async () => ({ ids: ['a', 'b', 'c', 'd'], isExact: false });
    const text = 'At least 4 clients have a secret that is older than 365 days: a, b, c and more.';
    expect(await find({ listWithSecretSince })).toMatchObject([
      { count: 4, isExact: false, text, path: '/clients?finding=secret_old' },
    ]);
  });

  it('names no subject where it may be one of several', async () => {
    const listNeverUsed = async () => ({ ids: ['only'], isExact: false });
    const [finding] = await find({ listNeverUsed });
    expect(finding).toMatchObject({ count: 1, text: 'At least one client has got no token for 90 days: only.' });
    expect(finding).not.toHaveProperty('subject');
  });

  it('adds those that were never used to those that were, to the bound', async () => {
    const many = (prefix: string) => Array.from({ length: 600 }, (_, n) => `${prefix}${n}`);
    const [finding] = await find({
      listUnused: async () => ({ ids: many('used'), isExact: true }),
      listNeverUsed: async () => ({ ids: many('never'), isExact: true }),
    });
    expect(finding).toMatchObject({
      count: 1_000,
      isExact: false,
      text: expect.stringMatching(/^At least 1000 clients /),
    });
  });
});
