import { setImmediate as turn } from 'node:timers/promises';
import type { DirectoryUser } from '@gatehouse/shared';
import { describe, expect, it } from '@jest/globals';
import { type LeaverDependencies, startEndingGrantsOfLeavers } from '../../src/account/end-grants-of-leavers.ts';
import { termedClient } from '../../src/clients/client-terms.ts';
import { buildClient, buildUser, start } from '../support/builders.ts';

describe('grants of users who left the groups of a client', () => {
  const begin = (options: { hasGroups?: boolean; clients?: ReturnType<typeof buildClient>[] } = {}) => {
    const restricted = buildClient({ clientId: 'staff', metadata: { allowed_groups: ['Staff'] } });
    const { hasGroups = true, clients = [restricted] } = options;
    const users = new Map<string, DirectoryUser>();
    const [ended, asked]: [string[], number[]] = [[], []];
    let now = start;
    let look = () => {};
    const deps: LeaverDependencies = {
      directory: {
        readSettings: async (_context, query) => {
          asked.push(query?.changedAfter ?? -1);
          const changedUsers = [...users.values()].map(({ id, updatedAt }) => ({ id, updatedAt }));
          return { codeApp: true, changedUsers };
        },
        findUserById: async (id) => users.get(id),
      },
      settings: { find: async () => ({ codeApp: true, groups: hasGroups }) },
      clientLists: { search: async () => ({ clients, next: undefined }) },
      revocations: {
        endGrantsOf: async (userId, registrationId) => void ended.push(`${userId} ${registrationId}`),
      },
      clock: () => now,
      repeat: (act) => {
        look = act;
        return () => {};
      },
      log: { warn: (fault: object) => expect(fault).toBeUndefined() },
    };
    startEndingGrantsOfLeavers(deps);
    return {
      users,
      ended,
      asked,
      restricted,
      async look() {
        look();
        for (let turns = 0; turns < 10; turns += 1) await turn();
        now += 20_000;
      },
    };
  };
  const userOf = (id: string, groups?: string[]) => buildUser({ id, updatedAt: start, ...(groups && { groups }) });

  it('end at the client that lets them in no more, once for each change', async () => {
    const { users, ended, asked, restricted, look } = begin();
    users.set('in', userOf('in', ['staff']));
    users.set('out', userOf('out', ['others']));
    users.set('robot', { ...userOf('robot'), userType: 'Robot' });
    await look();
    expect(ended).toEqual([`out ${restricted.registrationId}`]);
    await look();
    expect(ended).toHaveLength(1);
    users.set('in', { ...userOf('in', ['others']), updatedAt: start + 1 });
    await look();
    expect(ended).toEqual([`out ${restricted.registrationId}`, `in ${restricted.registrationId}`]);
    expect(asked).toEqual([start - 60_000, start - 60_000, start - 40_000]);
  });

  it('are asked for where there is such a client, and an org-api that has groups', async () => {
    const without = begin({ clients: [] });
    await without.look();
    const older = begin({ hasGroups: false });
    await older.look();
    expect([without.asked, older.asked]).toEqual([[], []]);
  });

  it('are found by a term of the client', () => {
    const termsOf = (metadata: object) => termedClient(buildClient({ metadata })).terms;
    expect(termsOf({ allowed_groups: ['Staff'] })).toContain('=allowed_groups:some');
    expect(termsOf({})).not.toContain('=allowed_groups:some');
  });
});
