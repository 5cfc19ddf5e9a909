import { setTimeout as sleep } from 'node:timers/promises';
import type { DirectoryUser } from '@gatehouse/shared';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createBrowserSessions, createFindSignedInUser } from '../../src/sessions/browser-sessions.ts';
import { start } from '../support/builders.ts';
import { openStores } from '../support/stores.ts';

const browser = { sessionToken: undefined, label: 'Firefox on Linux', network: '192.0.2.1' };

describe.each(testDialects)('browser sessions on %s', (dialect) => {
  let test: Awaited<ReturnType<typeof openStores>>;
  beforeAll(async () => {
    test = await openStores(dialect);
  });
  afterAll(() => test.close());

  it('end once for all who sign out at the same moment', async () => {
    const ended: string[] = [];
    const sessions = createBrowserSessions({
      sessions: test.sessions,
      revocations: {
        async endGrantsOfSession(sessionId) {
          ended.push(sessionId);
          await sleep(20);
        },
      },
      sessionParticipants: { tell: async () => {} },
      sessionLifetime: 12 * 3_600_000,
      clock: () => start,
    });
    const user = { id: 'user', passwordChangedAt: start } as Parameters<typeof sessions.start>[0];
    const { token, session } = await sessions.start(user, browser);
    await Promise.all(Array.from({ length: 30 }, () => sessions.end(token)));
    // Before the session goes, and after, for what came meanwhile.
    expect(ended).toEqual([session.sessionId, session.sessionId]);
    expect(await sessions.find(token)).toBeUndefined();
    await sessions.end(token);
    expect(ended).toHaveLength(2);
  });

  it('last 12 hours from the sign-in, to the millisecond', async () => {
    const { sessions, at } = create();
    const { token, session } = await sessions.start(ada, browser);
    expect(session).toMatchObject({
      userId: 'ada',
      proofs: { passwordAt: start / 1_000 },
      expiresAt: start + 43_200_000,
    });
    at(start + 43_199_999);
    expect(await sessions.find(token)).toEqual(session);
    at(start + 43_200_000);
    expect(await sessions.find(token)).toBeUndefined();
  });

  it('go on under a new cookie where the same user signs in again, with the time of that', async () => {
    const { sessions, at, ended } = create();
    const { token: former, session } = await sessions.start(ada, browser);
    at(start + 5_000);
    const next = await sessions.start({ ...ada, passwordChangedAt: start }, { ...browser, sessionToken: former });
    const { sessionId } = session;
    expect(next.session).toMatchObject({
      sessionId,
      passwordChangedAt: start,
      proofs: { passwordAt: start / 1_000 + 5 },
    });
    expect([await sessions.find(former), await sessions.find(next.token)]).toEqual([undefined, next.session]);
    expect(ended).toEqual([]);
  });

  it('end where another user signs in, but not where the cookie is worth nothing any more', async () => {
    const { sessions, at, ended } = create();
    const { token: former, session } = await sessions.start(ada, browser);
    const other = await sessions.start({ ...ada, id: 'bob' }, { ...browser, sessionToken: former });
    expect(other.session.sessionId).not.toBe(session.sessionId);
    expect([await sessions.find(former), ended]).toEqual([undefined, ['told', session.sessionId, session.sessionId]]);
    at(start + 43_200_000);
    const later = await sessions.start(ada, { ...browser, sessionToken: other.token });
    expect(later.session.sessionId).not.toBe(other.session.sessionId);
    expect(ended).toHaveLength(3);
  });

  it('are 100 of a user at most: the oldest ends where one more begins', async () => {
    const { sessions, at, ended } = create();
    const crowd = { ...ada, id: 'crowd' };
    const tokens: string[] = [];
    for (let count = 0; count < 100; count++) tokens.push((await sessions.start(crowd, browser)).token);
    const [oldest, second] = await Promise.all(tokens.slice(0, 2).map((token) => sessions.find(token)));
    await sessions.start(crowd, { ...browser, sessionToken: tokens[99] });
    await sessions.start({ ...ada, id: 'another of the crowd' }, browser);
    expect(ended).toEqual([]);
    tokens.push((await sessions.start(crowd, browser)).token);
    expect(ended).toEqual(['told', oldest?.sessionId, oldest?.sessionId]);
    expect(await sessions.find(tokens[0])).toBeUndefined();
    expect(await sessions.find(tokens[1])).toEqual(second);
    // Those that are over are none, and no client is told of them.
    at(start + 43_200_000);
    await sessions.start(crowd, browser);
    expect(ended).toHaveLength(3);
  });

  it('name their user as the organization knows it now, while that one is enabled and has the password of then', async () => {
    const { sessions } = create();
    const { token, session } = await sessions.start(ada, browser);
    const users = new Map([['ada', { ...ada, enabled: true }]]);
    let asked = 0;
    const findUserById = async (id: string) => {
      asked += 1;
      return users.get(id);
    };
    const find = createFindSignedInUser({ browserSessions: sessions, directory: { findUserById } });
    const context = { requestId: 'x', address: '192.0.2.1' };
    expect(await find(token, context)).toEqual({ user: users.get('ada'), session });
    expect(await find(token, context, ({ userId }) => userId === 'ada')).toBeDefined();
    expect([await find(undefined, context), await find('none', context)]).toEqual([undefined, undefined]);
    // A session that does not suffice asks the organization nothing.
    expect([await find(token, context, () => false), asked]).toEqual([undefined, 2]);
    for (const change of [{ enabled: false }, { passwordChangedAt: start }]) {
      users.set('ada', { ...ada, enabled: true, ...change });
      expect(await find(token, context)).toBeUndefined();
    }
    users.clear();
    expect(await find(token, context)).toBeUndefined();
  });

  const ada = { id: 'ada', passwordChangedAt: start - 1 } as DirectoryUser;
  const create = () => {
    let now = start;
    const ended: string[] = [];
    const sessions = createBrowserSessions({
      ...test,
      revocations: { endGrantsOfSession: async (sessionId) => void ended.push(sessionId) },
      sessionParticipants: { tell: async () => void ended.push('told') },
      sessionLifetime: 12 * 3_600_000,
      clock: () => now,
    });
    const at = (instant: number) => {
      now = instant;
    };
    return { sessions, at, ended };
  };
});
