import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { en } from '../../src/pages/messages/en.ts';
import type { SessionView } from '../../src/sessions/session-view.ts';
import {
  type Accounts,
  type Credentials,
  chrome,
  createBrowserWith,
  firefox,
  readEntries,
  readForms,
  useAccounts,
  type Visitor,
} from '../support/account.ts';
import { type BackChannel, listenAtBackChannel } from '../support/back-channel.ts';
import { administrator, type Realm } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const minute = 60_000;
const hour = 60 * minute;
const unknownId = '0192f6a4-0000-7000-8000-000000000000';
const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface SessionPage {
  sessions: SessionView[];
  next_cursor?: string;
}

describe.each(testDialects)('sessions for administrators on %s', (dialect) => {
  let realm: Realm;
  let accounts: Accounts;
  let client: Credentials;
  let backChannel: BackChannel;

  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    accounts = await useAccounts(realm);
    backChannel = await listenAtBackChannel();
    client = await accounts.registerClient({ backchannel_logout_uri: backChannel.uri });
  });
  afterAll(async () => {
    backChannel.close();
    await realm.close();
  });

  const send = (path: string, method = 'GET') => realm.send(path, { method, basic: administrator });
  const queryOf = (query: Record<string, string>) => new URLSearchParams(query).toString();
  const read = async (query: Record<string, string> = {}): Promise<SessionPage> => {
    const answer = await send(`/sessions?${queryOf(query)}`);
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    return answer.json<SessionPage>();
  };
  const listOf = async ({ user }: Pick<Visitor, 'user'>) => (await read({ user: user.username })).sessions;
  const sidOf = async (visitor: Visitor) => readForms(await visitor.get('/account/sessions'))[0]?.fields.sid as string;
  const end = async (sid: string) => (await send(`/sessions/${sid}`, 'DELETE')).status;
  const endAll = async (user: string) => (await send(`/sessions?${queryOf({ user })}`, 'DELETE')).status;
  const obtainBoth = async (visitor: Visitor) => ({
    ofSession: await accounts.obtainTokens(visitor, client),
    offline: await accounts.obtainTokens(visitor, client, 'openid offline_access'),
  });
  const areRefreshed = async ({ ofSession, offline }: Awaited<ReturnType<typeof obtainBoth>>) => [
    await accounts.isRefreshed(client, ofSession),
    await accounts.isRefreshed(client, offline),
  ];
  const signInTwice = async () => {
    const visitor = await accounts.signIn();
    const other = await accounts.signInAs(visitor.user);
    const [tokens, tokensOfOther] = [await obtainBoth(visitor), await obtainBoth(other)];
    return { visitor, other, tokens, tokensOfOther, username: visitor.user.username };
  };
  const listEnds = async (username: string) => {
    const answer = await send(`/audit-events?${queryOf({ type: 'session.ended', subject: username })}`);
    return answer.json<{ events: object[] }>().events;
  };
  /** All pages, one after another, without an end that never comes. */
  const readPages = async (query: Record<string, string>): Promise<SessionView[][]> => {
    const pages: SessionView[][] = [];
    let cursor: string | undefined;
    do {
      const page = await read({ ...query, ...(cursor !== undefined && { cursor }) });
      pages.push(page.sessions);
      cursor = page.next_cursor;
    } while (cursor !== undefined && pages.length < 50);
    return pages;
  };

  describe('are listed', () => {
    it('with browser, network, times, level and clients', async () => {
      const user = await accounts.createPerson();
      const headers = { 'user-agent': firefox, 'x-forwarded-for': '2001:db8:1:2:3:4:5:6' };
      const visitor = await accounts.signInAs(user, createBrowserWith(headers));
      await accounts.obtainTokens(visitor, client);
      const isNow = (instant: string | undefined, now: number) =>
        expect(Math.abs(Date.parse(instant ?? '') - now)).toBeLessThan(minute);
      const [session, ...more] = await listOf(visitor);
      expect(more).toEqual([]);
      expect(session).toEqual({
        sid: await sidOf(visitor),
        user: { id: expect.stringMatching(idPattern), username: user.username },
        browser: 'Firefox on Linux',
        network: '2001:db8:1:2::/64',
        createdAt: expect.any(String),
        lastUsedAt: expect.any(String),
        expiresAt: expect.any(String),
        acr: 'urn:gatehouse:acr:password',
        amr: ['pwd'],
        clients: [client.client_id],
      });
      // The id of a session says when it began, by the clock of the machine.
      isNow(session?.createdAt, Date.now());
      isNow(session?.lastUsedAt, realm.clock());
      isNow(session?.expiresAt, realm.clock() + 12 * hour);
    });

    it('with the highest level that each reached', async () => {
      const visitor = await accounts.signIn();
      const { recoveryCodes } = await accounts.addPasskey(visitor);
      const another = accounts.visit(visitor.user);
      const page = await another.signIn();
      await another.send(page, '/account/second-step', { code: recoveryCodes[0] ?? '' });
      expect((await listOf(visitor)).map(({ acr, amr }) => [acr, amr])).toEqual([
        // With the password too, where both were proven in the same second.
        ['phr', expect.arrayContaining(['pop', 'user', 'mfa'])],
        ['urn:gatehouse:acr:mfa', ['pwd', 'otp', 'mfa']],
      ]);
    });

    it('of one user, by username in any case or by id, the oldest first', async () => {
      const { visitor, other } = await signInTwice();
      const listed = await listOf(visitor);
      expect(listed.map(({ sid }) => sid)).toEqual([await sidOf(visitor), await sidOf(other)]);
      const id = listed[0]?.user.id ?? '';
      expect(await read({ user: id })).toEqual({ sessions: listed });
      expect((await read({ user: visitor.user.username.toUpperCase() })).sessions).toEqual(listed);
    });

    it('of one user, none where there is none', async () => {
      const { username } = await accounts.createPerson();
      expect(await read({ user: username })).toEqual({ sessions: [] });
    });

    it('of one user in pages', async () => {
      const visitor = await accounts.signIn();
      for (let count = 1; count < 5; count += 1) await accounts.signInAs(visitor.user);
      const all = await listOf(visitor);
      expect(all).toHaveLength(5);
      const pages = await readPages({ user: visitor.user.username, limit: '2' });
      expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
      expect(pages.flat()).toEqual(all);
      const exact = await read({ user: visitor.user.username, limit: '5' });
      expect(exact).toEqual({ sessions: all });
    });

    it('of all users in pages, which lose nothing and repeat nothing', async () => {
      const visitors = [await accounts.signIn(), await accounts.signIn(), await accounts.signIn()];
      await accounts.signInAs((visitors[0] as Visitor).user);
      const pages = await readPages({ limit: '3' });
      expect(pages.every((page) => page.length <= 3)).toBe(true);
      const sids = pages.flat().map(({ sid }) => sid);
      expect(sids).toEqual([...new Set(sids)].sort());
      for (const visitor of visitors) expect(sids).toContain(await sidOf(visitor));
      const whole = (await readPages({ limit: '200' })).flat();
      expect(pages.flat()).toEqual(whole);
    });

    it('once each, after a step that gave the browser another cookie', async () => {
      const visitor = await accounts.signIn();
      const sid = await sidOf(visitor);
      await accounts.addCodeApp(visitor);
      expect((await listOf(visitor)).map((session) => session.sid)).toEqual([sid]);
      expect((await readPages({})).flat().filter((session) => session.sid === sid)).toHaveLength(1);
    });

    it.each<[string, (visitor: Visitor) => Promise<unknown>]>([
      ['a sign-out', (visitor) => visitor.signOut()],
      ['a new password', ({ user }) => accounts.organization.setPassword(user.username, 'another long password')],
      ['the disabling of the user', ({ user }) => accounts.organization.change(user.username, { enabled: false })],
      ['their time', async () => realm.advance(12 * hour + 1)],
    ])('no more after %s', async (_case, finish) => {
      const visitor = await accounts.signIn();
      const sid = await sidOf(visitor);
      expect((await send(`/sessions/${sid}`)).status).toBe(200);
      await finish(visitor);
      expect(await listOf(visitor)).toEqual([]);
      expect((await readPages({})).flat().map((session) => session.sid)).not.toContain(sid);
      expect((await send(`/sessions/${sid}`)).status).toBe(404);
      expect(await end(sid)).toBe(404);
    });

    it('no more after the deletion of the user, who is then unknown', async () => {
      const visitor = await accounts.signIn();
      const [session] = await listOf(visitor);
      await accounts.organization.delete(visitor.user.username);
      expect((await readPages({})).flat().map(({ sid }) => sid)).not.toContain(session?.sid);
      expect((await send(`/sessions/${session?.sid}`)).status).toBe(404);
      for (const user of [visitor.user.username, session?.user.id ?? '']) {
        expect((await send(`/sessions?${queryOf({ user })}`)).status).toBe(404);
        expect(await endAll(user)).toBe(404);
      }
    });
  });

  it('are read one by one', async () => {
    const visitor = await accounts.signInAs(await accounts.createPerson(), createBrowserWith({ 'user-agent': chrome }));
    const [listed] = await listOf(visitor);
    const answer = await send(`/sessions/${listed?.sid}`);
    expect([answer.status, answer.headers['cache-control'], answer.json()]).toEqual([200, 'no-store', listed]);
    expect(listed?.browser).toBe('Chrome on Windows');
  });

  describe('are ended', () => {
    it('one by one: that browser is out, its client is told, and its grants end but for offline access', async () => {
      const { visitor, other, tokens, tokensOfOther } = await signInTwice();
      const sid = await sidOf(other);
      expect(await end(sid)).toBe(204);
      expect([await visitor.isSignedIn(), await other.isSignedIn()]).toEqual([true, false]);
      expect(await backChannel.tellOf(sid, 1)).toEqual([client.client_id]);
      expect(await backChannel.tellOf(await sidOf(visitor), 0)).toEqual([]);
      expect(await areRefreshed(tokensOfOther)).toEqual([false, true]);
      expect(await areRefreshed(tokens)).toEqual([true, true]);
      expect(await end(sid)).toBe(404);
    });

    it('all of a user: each browser is out, and each grant ends, offline access included', async () => {
      const { visitor, other, tokens, tokensOfOther, username } = await signInTwice();
      const stranger = await accounts.signIn();
      const tokensOfStranger = await obtainBoth(stranger);
      const sids = [await sidOf(visitor), await sidOf(other)];
      expect(await endAll(username)).toBe(204);
      expect([await visitor.isSignedIn(), await other.isSignedIn()]).toEqual([false, false]);
      for (const sid of sids) expect(await backChannel.tellOf(sid, 1)).toEqual([client.client_id]);
      for (const each of [tokens, tokensOfOther]) {
        expect(await areRefreshed(each)).toEqual([false, false]);
        expect(await accounts.isActive(client, each.offline.access_token)).toBe(false);
      }
      expect(await listOf(visitor)).toEqual([]);
      expect(await stranger.isSignedIn()).toBe(true);
      expect(await areRefreshed(tokensOfStranger)).toEqual([true, true]);
      await visitor.signIn();
      expect(await visitor.isSignedIn()).toBe(true);
    });

    it('all of a user, by the id, where only a grant with offline access is left', async () => {
      const visitor = await accounts.signIn();
      const { offline } = await obtainBoth(visitor);
      const [session] = await listOf(visitor);
      await visitor.signOut();
      const again = await accounts.signInAs(visitor.user);
      const later = await accounts.obtainTokens(again, client, 'openid offline_access');
      await end(await sidOf(again));
      expect(await endAll(session?.user.id ?? '')).toBe(204);
      for (const tokens of [offline, later]) expect(await accounts.isRefreshed(client, tokens)).toBe(false);
    });

    it('all of a disabled user, whose browsers stay out once the user is enabled again', async () => {
      const visitor = await accounts.signIn();
      const { username } = visitor.user;
      await accounts.organization.change(username, { enabled: false });
      expect(await endAll(username)).toBe(204);
      await accounts.organization.change(username, { enabled: true });
      expect(await visitor.isSignedIn()).toBe(false);
      expect(await listOf(visitor)).toEqual([]);
    });

    it('by forty at once: one or more succeed, its client is told once', async () => {
      const { visitor, other } = await signInTwice();
      const sid = await sidOf(other);
      const statuses = await Promise.all(Array.from({ length: 40 }, () => end(sid)));
      expect(statuses).toContain(204);
      expect(statuses.filter((status) => status !== 204 && status !== 404)).toEqual([]);
      expect([await visitor.isSignedIn(), await other.isSignedIn()]).toEqual([true, false]);
      expect(await backChannel.tellOf(sid, 1)).toEqual([client.client_id]);
    });

    it('with an event for each, which names the administrator and the user', async () => {
      const { visitor, other, username } = await signInTwice();
      const [own, another] = [await sidOf(visitor), await sidOf(other)];
      await end(another);
      await endAll(username);
      const about = {
        type: 'session.ended',
        actor: { kind: 'user', id: expect.any(String), name: administrator[0] },
        subject: { kind: 'user', name: username },
      };
      expect(await listEnds(username)).toMatchObject([
        { ...about, details: { session: own } },
        { ...about, details: { session: another } },
      ]);
    });

    it('by an administrator without a name, as the user sees it', async () => {
      const { visitor, other } = await signInTwice();
      await end(await sidOf(other));
      const { text } = await visitor.get('/account/activity');
      const [newest = ''] = readEntries({ text });
      expect(newest).toContain(en.activity.events['session.ended']);
      expect(newest).toContain(en.activity.byAdministrator);
      for (const name of [administrator[0], 'Ada']) expect(text).not.toContain(name);
    });
  });

  describe('are not given to a request that', () => {
    it.each([
      ['GET', '/sessions?limit=0', 'limit'],
      ['GET', '/sessions?limit=201', 'limit'],
      ['GET', '/sessions?limit=two', 'limit'],
      ['GET', '/sessions?limit=1&limit=2', 'limit'],
      ['GET', '/sessions?cursor=x', 'cursor'],
      ['GET', '/sessions?cursor=', 'cursor'],
      ['GET', `/sessions?cursor=${unknownId.toUpperCase()}`, 'cursor'],
      ['GET', '/sessions?user=', 'user'],
      ['GET', `/sessions?user=${'x'.repeat(256)}`, 'user'],
      ['GET', '/sessions?user=a@example.com&user=b@example.com', 'user'],
      ['GET', '/sessions?username=a@example.com', 'username'],
      ['DELETE', '/sessions', 'user'],
      ['DELETE', '/sessions?user=', 'user'],
      ['DELETE', '/sessions?user=a@example.com&user=b@example.com', 'user'],
      ['DELETE', '/sessions?user=a@example.com&limit=2', 'limit'],
      ['DELETE', '/sessions?user=a@example.com&sid=x', 'sid'],
      ['GET', '/user-data', 'user'],
      ['GET', '/user-data?user=', 'user'],
      ['GET', '/user-data?user=a@example.com&limit=2', 'limit'],
    ])('is wrong, %s %s: 400', async (method, path, field) => {
      const answer = await send(path, method);
      expect([answer.status, answer.headers['content-type']]).toEqual([
        400,
        expect.stringMatching(/^application\/problem\+json/),
      ]);
      expect(answer.json<{ errors: { field: string }[] }>().errors.map((error) => error.field)).toContain(field);
    });

    it.each(['x', unknownId.toUpperCase(), `${unknownId}x`, '%00', "'"])('names no session: %j', async (sid) => {
      for (const method of ['GET', 'DELETE'])
        expect([400, 404]).toContain((await send(`/sessions/${sid}`, method)).status);
    });

    it.each([
      ['GET', `/sessions/${unknownId}`],
      ['DELETE', `/sessions/${unknownId}`],
      ['GET', '/sessions?user=nobody@example.com'],
      ['GET', `/sessions?user=${unknownId}`],
      ['GET', '/sessions?user=nobody'],
      ['DELETE', '/sessions?user=nobody@example.com'],
      ['DELETE', `/sessions?user=${unknownId}`],
      ['GET', '/user-data?user=nobody@example.com'],
      ['GET', `/user-data?user=${unknownId}`],
    ])('is about nothing that is there, %s %s: 404', async (method, path) => {
      const answer = await send(path, method);
      expect([answer.status, answer.headers['content-type']]).toEqual([
        404,
        expect.stringMatching(/^application\/problem\+json/),
      ]);
    });
  });

  it.each([
    ['GET', '/sessions'],
    ['DELETE', '/sessions'],
    ['GET', '/user-data'],
  ])('are none of a Robot, %s %s: 400', async (method, path) => {
    const answer = await send(`${path}?user=robot@example.com`, method);
    expect([answer.status, answer.json()]).toMatchObject([400, { detail: 'a Robot never signs in' }]);
  });

  describe('need the role SystemAdministrator', () => {
    const requests = async () => {
      const visitor = await accounts.signIn();
      const user = queryOf({ user: visitor.user.username });
      const sid = await sidOf(visitor);
      const paths: [string, string][] = [
        ['GET', '/sessions'],
        ['GET', `/sessions?${user}`],
        ['GET', `/sessions/${sid}`],
        ['GET', `/user-data?${user}`],
        ['DELETE', `/sessions/${sid}`],
        ['DELETE', `/sessions?${user}`],
      ];
      return { visitor, paths };
    };

    it('which an IdpAdministrator and a user have not: 403, and nothing ends', async () => {
      const { visitor, paths } = await requests();
      for (const basic of [
        ['idp.admin@example.com', 'idp-password'],
        [visitor.user.username, visitor.user.password],
      ] as [string, string][]) {
        for (const [method, path] of paths) expect((await realm.send(path, { method, basic })).status).toBe(403);
      }
      expect(await visitor.isSignedIn()).toBe(true);
    });

    it('of a caller who proves it: 401 without credentials, with a wrong password, and by a cookie alone', async () => {
      const { visitor, paths } = await requests();
      for (const [method, path] of paths) {
        const answer = await realm.send(path, { method });
        expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, expect.stringContaining('Basic ')]);
        const cookie = `gatehouse-session=${visitor.sessionCookie()}`;
        expect((await realm.send(path, { method, headers: { cookie } })).status).toBe(401);
      }
      const wrong: [string, string] = [administrator[0], 'not the password'];
      expect((await realm.send('/sessions', { basic: wrong })).status).toBe(401);
      expect(await visitor.isSignedIn()).toBe(true);
    });

    it('which a Robot may have: its client lists and ends them by a token', async () => {
      const username = `robot-${realm.clock()}@example.com`;
      await accounts.organization.create({ username, userType: 'Robot', roles: ['SystemAdministrator'] });
      const robot = { client_id: `robot-of-${dialect}`, client_secret: 'a secret of the robot' };
      await realm.register({
        ...{ ...robot, scope: ['roles'], authorized_grant_types: ['service_account'], srvc_ac_user_name: username },
      });
      const { access_token: bearer } = await realm.tokens(robot, { grant_type: 'service_account' });
      const { visitor } = await requests();
      const { username: name } = visitor.user;
      const path = `/sessions?${queryOf({ user: name })}`;
      const listed = (await realm.send(path, { bearer })).json<SessionPage>();
      expect(listed.sessions).toHaveLength(1);
      expect((await realm.send(`/user-data?${queryOf({ user: name })}`, { bearer })).status).toBe(200);
      expect((await realm.send(path, { method: 'DELETE', bearer })).status).toBe(204);
      expect(await visitor.isSignedIn()).toBe(false);
      expect(await listEnds(name)).toMatchObject([{ actor: { kind: 'user', name: username } }]);
    });
  });
});
