import { setImmediate as turn } from 'node:timers/promises';
import type { DirectoryUser } from '@gatehouse/shared';
import { describe, expect, it } from '@jest/globals';
import { type LeaverDependencies, startEndingGrantsOfLeavers } from '../../src/account/end-grants-of-leavers.ts';
import { termedClient } from '../../src/clients/client-terms.ts';
import type { BrowserSession } from '../../src/sessions/browser-session.ts';
import { buildClient, buildSession, buildUser, start } from '../support/builders.ts';

describe('grants of users who left the groups of a client', () => {
  interface Options {
    hasGroups?: boolean;
    clients?: ReturnType<typeof buildClient>[];
    sessions?: BrowserSession[];
    /** More users, in the order of their changes. */
    more?: DirectoryUser[];
  }
  const begin = (options: Options = {}) => {
    const restricted = buildClient({ clientId: 'staff', metadata: { allowed_groups: ['Staff'] } });
    const { hasGroups = true, clients = [restricted], sessions = [], more = [] } = options;
    const users = new Map(more.map((user) => [user.id, user]));
    const [ended, asked, found]: [string[], number[], string[]] = [[], [], []];
    let now = start;
    let look = () => {};
    const deps: LeaverDependencies = {
      directory: {
        readSettings: async (_context, query) => {
          asked.push(query?.changedAfter ?? -1);
          const changed = [...users.values()].filter(({ updatedAt }) => updatedAt >= (query?.changedAfter ?? 0));
          const page = changed.slice(0, 1_000).map(({ id, updatedAt }) => ({ id, updatedAt }));
          return { codeApp: true, changedUsers: page };
        },
        findUserById: async (id) => {
          found.push(id);
          return users.get(id);
        },
      },
      settings: { find: async () => ({ codeApp: true, groups: hasGroups }) },
      clientLists: { search: async () => ({ clients, next: undefined }) },
      revocations: {
        endGrantsOf: async (userId, registrationId) => void ended.push(`${userId} ${registrationId}`),
      },
      config: { sessionLifetime },
      sessions: { listOfUser: async (userId) => sessions.filter((session) => session.userId === userId) },
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
      found,
      restricted,
      async look() {
        look();
        for (let turns = 0; turns < 10; turns += 1) await turn();
        now += 20_000;
      },
    };
  };
  const sessionLifetime = 8 * 3_600_000;
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
    expect(asked).toEqual([start - 60_000, start - sessionLifetime, start - 60_000, start - 40_000]);
  });

  it('are asked for where org-api has groups; users without such a session or client are not', async () => {
    const older = begin({ hasGroups: false });
    await older.look();
    expect(older.asked).toEqual([]);
    const without = begin({ clients: [], sessions: [buildSession({ userId: 'own' })], more: [userOf('own')] });
    await without.look();
    expect([without.asked.length, without.found]).toEqual([2, []]);
  });

  it('end also for what changed while nobody looked, a page at a time, as long as a session lives', async () => {
    const more = Array.from({ length: 1_500 }, (_, index) =>
      buildUser({ id: `user-${index}`, updatedAt: start - 3_600_000 + index, identities: ['other'] }),
    );
    const sessionOf = (userId: string) => buildSession({ userId, identityId: 'gone' });
    const [first, last] = [sessionOf('user-0'), sessionOf('user-1499')];
    const { ended, asked, look } = begin({ clients: [], sessions: [first, last], more });
    await look();
    expect(ended).toEqual([first.sessionId]);
    await look();
    expect(ended).toEqual([first.sessionId, last.sessionId]);
    const questions = asked.length;
    await look();
    expect([asked.length, ended.length]).toEqual([questions + 1, 2]);
    expect(Math.min(...asked)).toBe(start - sessionLifetime);
  });

  it('are found by a term of the client', () => {
    const termsOf = (metadata: object) => termedClient(buildClient({ metadata })).terms;
    expect(termsOf({ allowed_groups: ['Staff'] })).toContain('=allowed_groups:some');
    expect(termsOf({})).not.toContain('=allowed_groups:some');
  });
});
