import { setImmediate as turn } from 'node:timers/promises';
import type { DirectoryUser } from '@gatehouse/shared';
import { describe, expect, it } from '@jest/globals';
import { type LeaverDependencies, startEndingGrantsOfLeavers } from '../../src/account/end-grants-of-leavers.ts';
import { termedClient } from '../../src/clients/client-terms.ts';
import type { BrowserSession } from '../../src/sessions/browser-session.ts';
import { buildClient, buildSession, buildUpstream, buildUser, start } from '../support/builders.ts';

describe('grants of users who left the groups of a client', () => {
  interface Options {
    hasGroups?: boolean;
    clients?: ReturnType<typeof buildClient>[];
    /** None where it is left out, and no upstream. */
    sessions?: BrowserSession[];
  }
  const begin = (options: Options = {}) => {
    const restricted = buildClient({ clientId: 'staff', metadata: { allowed_groups: ['Staff'] } });
    const { hasGroups = true, clients = [restricted], sessions } = options;
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
      upstreams: { listRecent: async () => (sessions === undefined ? [] : [buildUpstream()]) },
      sessions: { listOfUser: async (userId) => (sessions ?? []).filter((session) => session.userId === userId) },
      browserSessions: { endListed: async ({ sessionId }) => void ended.push(sessionId) },
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

  it('end with the session that began by an account at an upstream, once that is unlinked', async () => {
    const [gone, kept, own] = ['gone', 'kept', undefined].map((identityId) =>
      buildSession({ userId: 'linked', identityId }),
    );
    const sessions = [gone, kept, own].filter((session) => session !== undefined);
    const { users, ended, look } = begin({ clients: [], sessions });
    users.set('linked', buildUser({ id: 'linked', updatedAt: start, identities: ['kept'] }));
    await look();
    expect(ended).toEqual([gone?.sessionId]);
  });

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
