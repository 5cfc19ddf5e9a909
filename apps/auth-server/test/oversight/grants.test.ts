import { createId } from '@gatehouse/service-kit';
import { type Answer, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { GrantView } from '../../src/oversight/grant-view.ts';
import { en } from '../../src/pages/messages/en.ts';
import {
  type Accounts,
  type Credentials,
  readEntries,
  readForms,
  useAccounts,
  type Visitor,
} from '../support/account.ts';
import { authorizePath, readRedirect } from '../support/browser.ts';
import { consoleClientId, signInAtConsole } from '../support/console.ts';
import { commandLine, useDevices } from '../support/device.ts';
import { administrator, callback, type Realm, type TokenAnswer } from '../support/realm.ts';
import { type Replica, startReplica } from '../support/replica.ts';
import { administerResources } from '../support/resources.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const unknownId = '0192f6a4-0000-7000-8000-000000000000';
const idpAdministrator: [string, string] = ['idp.admin@example.com', 'idp-password'];

interface GrantPage {
  grants: GrantView[];
  next_cursor?: string;
}

describe.each(testDialects)('grants for administrators on %s', (dialect) => {
  let realm: Realm;
  let replica: Replica;
  let accounts: Accounts;
  let client: Credentials;

  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    replica = await startReplica(realm, {});
    accounts = await useAccounts(realm);
    client = await accounts.registerClient();
  });
  afterAll(async () => {
    await replica?.close();
    await realm.close();
  });

  const queryOf = (query: Record<string, string>) => new URLSearchParams(query).toString();
  const send = (path: string, method = 'GET', basic = administrator, { send: by }: Pick<Realm, 'send'> = realm) =>
    by(path, { method, basic });
  const read = async (query: Record<string, string>, basic = administrator): Promise<GrantPage> => {
    const answer = await send(`/grants?${queryOf(query)}`, 'GET', basic);
    expect([answer.status, answer.headers['cache-control'], answer.text]).toEqual([200, 'no-store', expect.anything()]);
    return answer.json<GrantPage>();
  };
  const grantsOf = async ({ user }: Pick<Visitor, 'user'>) => (await read({ user: user.username })).grants;
  const endAll = async (query: Record<string, string>, basic = administrator) =>
    (await send(`/grants?${queryOf(query)}`, 'DELETE', basic)).status;
  const obtainCode = async ({ browser }: Visitor) => {
    const request = { response_type: 'code', client_id: client.client_id, redirect_uri: callback, scope: 'openid' };
    return readRedirect(await browser.get(realm.url + authorizePath(request))).parameters.code ?? '';
  };
  const areGood = async (tokens: TokenAnswer, of = client) => [
    await accounts.isRefreshed(of, tokens),
    await accounts.isActive(of, tokens.access_token),
  ];
  const listEvents = async (query: Record<string, string>) =>
    (await send(`/audit-events?${queryOf(query)}`)).json<{ events: object[] }>().events;
  /** All pages, one after another, without an end that never comes. */
  const readPages = async (query: Record<string, string>): Promise<GrantView[][]> => {
    const pages: GrantView[][] = [];
    let cursor: string | undefined;
    do {
      const page = await read({ ...query, ...(cursor !== undefined && { cursor }) });
      pages.push(page.grants);
      cursor = page.next_cursor;
    } while (cursor !== undefined && pages.length < 50);
    return pages;
  };
  const expectProblem = (answer: Answer, status: number, detail: unknown) => {
    expect([answer.status, answer.headers['content-type']]).toEqual([
      status,
      expect.stringMatching(/^application\/problem\+json/),
    ]);
    expect(answer.json()).toMatchObject({ detail });
  };

  describe('are listed', () => {
    it('with user, client, scope, kind, session and times', async () => {
      const visitor = await accounts.signIn();
      await accounts.obtainTokens(visitor, client);
      const sid = readForms(await visitor.get('/account/sessions'))[0]?.fields.sid;
      const [grant, ...more] = await grantsOf(visitor);
      expect(more).toEqual([]);
      expect(grant).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        client_id: client.client_id,
        user: { id: expect.stringMatching(/^[0-9a-f-]{36}$/), username: visitor.user.username },
        scope: ['openid'],
        resources: [],
        kind: 'code',
        offline: false,
        sid,
        createdAt: expect.any(String),
        lastUsedAt: expect.any(String),
        expiresAt: expect.any(String),
      });
      // The id of a token says when it was made, by the clock of the machine.
      expect(Math.abs(Date.parse(grant?.createdAt ?? '') - Date.now())).toBeLessThan(minute);
      expect(grant?.lastUsedAt).toBe(grant?.createdAt);
      expect(Math.abs(Date.parse(grant?.expiresAt ?? '') - realm.clock() - 12 * hour)).toBeLessThan(minute);
    });

    it('of a password and of a device, as such', async () => {
      const user = await accounts.createPerson();
      const ofPassword = await accounts.registerClient({ authorized_grant_types: ['password', 'refresh_token'] });
      const form = { grant_type: 'password', username: user.username, password: user.password };
      await realm.tokens(ofPassword, { ...form, scope: 'openid' });
      await realm.tokens(ofPassword, { ...form, scope: 'openid offline_access' });
      const device = { ...commandLine, client_id: `line-${createId()}` };
      await realm.register(device);
      await useDevices(realm).connect(device, { scope: 'openid' }, { ...user });
      expect((await grantsOf({ user })).map(({ kind, offline, client_id }) => [kind, offline, client_id])).toEqual([
        ['password', false, ofPassword.client_id],
        ['password', true, ofPassword.client_id],
        ['device', false, device.client_id],
      ]);
    });

    it('with the URIs of their resources', async () => {
      const { resource } = await administerResources(realm).create();
      const visitor = await accounts.signIn();
      const other = await accounts.registerClient({ resources: [resource], default_resource: resource });
      await accounts.obtainTokens(visitor, other);
      expect((await grantsOf(visitor)).map(({ resources }) => resources)).toEqual([[resource]]);
    });

    it('of the console, which has no row', async () => {
      const user = await accounts.createPerson({ roles: ['IdpAdministrator'] });
      await signInAtConsole(realm, { user: { ...user } });
      const [grant, ...more] = await grantsOf({ user });
      expect([grant?.client_id, more]).toEqual([consoleClientId, []]);
      const { grants } = await read({ user: user.username, client: consoleClientId });
      expect(grants).toEqual([grant]);
      expect((await readPages({ client: consoleClientId })).flat()).toContainEqual(grant);
    });

    it('of one user, by username in any case or by id, and of one client of the user', async () => {
      const visitor = await accounts.signIn();
      const other = await accounts.registerClient();
      await accounts.obtainTokens(visitor, client);
      await accounts.obtainTokens(visitor, other);
      const grants = await grantsOf(visitor);
      expect(grants.map(({ client_id }) => client_id)).toEqual([client.client_id, other.client_id]);
      const user = grants[0]?.user.id ?? '';
      expect((await read({ user })).grants).toEqual(grants);
      expect((await read({ user: visitor.user.username.toUpperCase() })).grants).toEqual(grants);
      expect((await read({ user, client: other.client_id })).grants).toEqual(grants.slice(1));
    });

    it.each([
      ['of one user', (visitor: Visitor, _of: Credentials) => ({ user: visitor.user.username })],
      ['of one client', (_visitor: Visitor, of: Credentials) => ({ client: of.client_id })],
    ])('%s in pages, which lose nothing and repeat nothing', async (_case, queryFor) => {
      const of = await accounts.registerClient();
      const visitor = await accounts.signIn();
      for (let count = 0; count < 5; count += 1) await accounts.obtainTokens(visitor, of);
      const all = (await read(queryFor(visitor, of))).grants;
      expect(all).toHaveLength(5);
      expect(all.map(({ createdAt }) => createdAt)).toEqual(all.map(({ createdAt }) => createdAt).sort());
      const pages = await readPages({ ...queryFor(visitor, of), limit: '2' });
      expect(pages.flat()).toEqual(all);
      expect(pages.slice(0, 3).map((page) => page.length)).toEqual([2, 2, 1]);
    });

    it('under cursors that are the ids of no tokens', async () => {
      const of = await accounts.registerClient();
      const visitor = await accounts.signIn();
      const tokens = [await accounts.obtainTokens(visitor, of), await accounts.obtainTokens(visitor, of)];
      for (const query of [{ user: visitor.user.username }, { client: of.client_id }] as Record<string, string>[]) {
        const { next_cursor: cursor = '' } = await read({ ...query, limit: '1' });
        expect(cursor).toMatch(/ffffffff$/);
        expect(tokens.some(({ refresh_token = '' }) => refresh_token.includes(cursor.replaceAll('-', '')))).toBe(false);
      }
    });

    it.each<[string, (visitor: Visitor) => Promise<unknown>]>([
      ['a sign-out', (visitor) => visitor.signOut()],
      ['a new password', ({ user }) => accounts.organization.setPassword(user.username, 'another long password')],
    ])('no more after %s', async (_case, finish) => {
      const of = await accounts.registerClient();
      const visitor = await accounts.signIn();
      await accounts.obtainTokens(visitor, of);
      const [grant] = await grantsOf(visitor);
      expect((await read({ client: of.client_id })).grants).toEqual([grant]);
      await finish(visitor);
      expect(await grantsOf(visitor)).toEqual([]);
      expect((await readPages({ client: of.client_id })).flat()).toEqual([]);
      expect((await send(`/grants/${grant?.id}`, 'DELETE')).status).toBe(404);
    });

    it('no more after the deletion of their user, or of their client', async () => {
      const of = await accounts.registerClient();
      const [visitor, other] = [await accounts.signIn(), await accounts.signIn()];
      await accounts.obtainTokens(visitor, of);
      await accounts.obtainTokens(other, of);
      const [ofDeleted] = await grantsOf(visitor);
      const [ofOther] = await grantsOf(other);
      await accounts.organization.delete(visitor.user.username);
      expect((await read({ client: of.client_id })).grants).toEqual([ofOther]);
      expect((await send(`/grants/${ofDeleted?.id}`, 'DELETE')).status).toBe(404);
      expect((await send(`/clients/${of.client_id}`, 'DELETE')).status).toBe(204);
      expect(await grantsOf(other)).toEqual([]);
      expect((await send(`/grants/${ofOther?.id}`, 'DELETE')).status).toBe(404);
    });
  });

  describe('are ended', () => {
    it('one by one: its refresh token and its access tokens end, at every replica, and no other', async () => {
      const visitor = await accounts.signIn();
      const [tokens, others] = [
        await accounts.obtainTokens(visitor, client),
        await accounts.obtainTokens(visitor, client),
      ];
      const [grant, other] = await grantsOf(visitor);
      expect((await send(`/grants/${grant?.id}`, 'DELETE', administrator, replica)).status).toBe(204);
      expect(await areGood(tokens)).toEqual([false, false]);
      expect(await grantsOf(visitor)).toEqual([other]);
      expect(await areGood(others)).toEqual([true, true]);
      expect((await send(`/grants/${grant?.id}`, 'DELETE')).status).toBe(404);
      expect(await visitor.isSignedIn()).toBe(true);
    });

    it('all of a user, with the code that waits', async () => {
      const visitor = await accounts.signIn();
      const stranger = await accounts.signIn();
      const tokens = await accounts.obtainTokens(visitor, client, 'openid offline_access');
      const ofStranger = await accounts.obtainTokens(stranger, client);
      const code = await obtainCode(visitor);
      expect(await endAll({ user: visitor.user.username })).toBe(204);
      const redeemed = { grant_type: 'authorization_code', code, redirect_uri: callback };
      expect((await realm.tokenRequest(client, redeemed)).json()).toMatchObject({ error: 'invalid_grant' });
      expect([await areGood(tokens), await grantsOf(visitor)]).toEqual([[false, false], []]);
      expect(await areGood(ofStranger)).toEqual([true, true]);
      expect(await endAll({ user: visitor.user.username })).toBe(204);
    });

    it('all that one client has for a user', async () => {
      const visitor = await accounts.signIn();
      const other = await accounts.registerClient();
      const [tokens, ofOther] = [
        await accounts.obtainTokens(visitor, client),
        await accounts.obtainTokens(visitor, other),
      ];
      expect(await endAll({ user: visitor.user.username, client: client.client_id })).toBe(204);
      expect([await areGood(tokens), await areGood(ofOther, other)]).toEqual([
        [false, false],
        [true, true],
      ]);
    });

    it('all that a client has, for whatever users', async () => {
      const of = await accounts.registerClient();
      const visitors = [await accounts.signIn(), await accounts.signIn()];
      const tokens = [];
      for (const visitor of [...visitors, ...visitors]) tokens.push(await accounts.obtainTokens(visitor, of));
      const kept = await accounts.obtainTokens(visitors[0] as Visitor, client);
      expect(await endAll({ client: of.client_id })).toBe(204);
      for (const each of tokens) expect(await areGood(each, of)).toEqual([false, false]);
      expect((await read({ client: of.client_id })).grants).toEqual([]);
      expect(await areGood(kept)).toEqual([true, true]);
    });

    it('of the console, whose next request is refused', async () => {
      const user = await accounts.createPerson({ roles: ['IdpAdministrator'] });
      const { refresh, call } = await signInAtConsole(realm, { user: { ...user } });
      expect((await call(`${realm.url}/clients`)).status).toBe(200);
      expect(await endAll({ user: user.username, client: consoleClientId })).toBe(204);
      expect((await call(`${realm.url}/clients`)).status).toBe(401);
      await expect(refresh()).rejects.toThrow('invalid_grant');
    });

    it('by forty at once: one or more succeed', async () => {
      const visitor = await accounts.signIn();
      const tokens = await accounts.obtainTokens(visitor, client);
      const [grant] = await grantsOf(visitor);
      const senders = Array.from({ length: 40 }, (_, turn) => (turn % 2 === 0 ? realm : replica));
      const answers = await Promise.all(senders.map((by) => send(`/grants/${grant?.id}`, 'DELETE', administrator, by)));
      const statuses = answers.map(({ status }) => status);
      expect(statuses).toContain(204);
      expect(statuses.filter((status) => status !== 204 && status !== 404)).toEqual([]);
      expect(await areGood(tokens)).toEqual([false, false]);
    });

    it('with an event for each, which names the administrator, the user and the client', async () => {
      const visitor = await accounts.signIn();
      await accounts.obtainTokens(visitor, client);
      await accounts.obtainTokens(visitor, client);
      const [one, two] = await grantsOf(visitor);
      await send(`/grants/${one?.id}`, 'DELETE');
      await endAll({ user: visitor.user.username });
      const about = {
        type: 'grant.ended',
        outcome: 'succeeded',
        actor: { kind: 'user', name: administrator[0] },
        subject: { kind: 'user', name: visitor.user.username },
      };
      const details = { by_administrator: true, client: client.client_id };
      expect(await listEvents({ type: 'grant.ended', subject: visitor.user.username })).toMatchObject([
        { ...about, details: { ...details, grant: two?.id } },
        { ...about, details: { ...details, grant: one?.id } },
      ]);
    });

    it('as the user sees it: by an administrator, and not by a key that was used twice', async () => {
      const visitor = await accounts.signIn();
      await accounts.obtainTokens(visitor, client);
      await endAll({ user: visitor.user.username });
      const [newest = ''] = readEntries(await visitor.get('/account/activity'));
      expect(newest).toContain(en.activity.events['consent.withdrawn']);
      expect(newest).toContain(en.activity.byAdministrator);
      expect(newest).not.toContain(administrator[0]);
    });
  });

  describe('of a user with a role that the caller lacks', () => {
    it('are not shown and not ended: 403 that names the role, and an event', async () => {
      const powerful = await accounts.signIn({ roles: ['SystemAdministrator'] });
      const tokens = await accounts.obtainTokens(powerful, client);
      const [grant] = await grantsOf(powerful);
      const user = queryOf({ user: powerful.user.username });
      for (const [method, path] of [
        ['GET', `/grants?${user}`],
        ['GET', `/grants?${user}&client=${client.client_id}`],
        ['DELETE', `/grants/${grant?.id}`],
        ['DELETE', `/grants?${user}`],
        ['DELETE', `/grants?${user}&client=${client.client_id}`],
      ] as const) {
        expectProblem(
          await send(path, method, idpAdministrator),
          403,
          'the user has the role SystemAdministrator, which you lack; ask an administrator with more roles',
        );
      }
      expect(await areGood(tokens)).toEqual([true, true]);
      const [event] = await listEvents({ type: 'administrator.refused', subject: powerful.user.username });
      expect(event).toMatchObject({ reason: 'role_missing', actor: { name: idpAdministrator[0] } });
    });

    it('are left out of those of a client, and keep all of them from ending', async () => {
      const of = await accounts.registerClient();
      const plain = await accounts.signIn();
      const powerful = await accounts.signIn({ roles: ['SystemAdministrator'] });
      const [ofPlain, ofPowerful] = [await accounts.obtainTokens(plain, of), await accounts.obtainTokens(powerful, of)];
      const all = { client: of.client_id };
      expect((await read(all)).grants).toHaveLength(2);
      const shown = (await read(all, idpAdministrator)).grants;
      expect(shown.map(({ user }) => user.username)).toEqual([plain.user.username]);
      expect(await endAll(all, idpAdministrator)).toBe(403);
      expect([await areGood(ofPlain, of), await areGood(ofPowerful, of)]).toEqual([
        [true, true],
        [true, true],
      ]);
      await endAll({ user: powerful.user.username });
      const again = await accounts.obtainTokens(plain, of);
      expect(await endAll(all, idpAdministrator)).toBe(204);
      expect(await areGood(again, of)).toEqual([false, false]);
    });
  });

  it('of users without such a role an IdpAdministrator lists and ends', async () => {
    const visitor = await accounts.signIn({ roles: ['IdpAdministrator'] });
    const tokens = await accounts.obtainTokens(visitor, client);
    const [grant] = (await read({ user: visitor.user.username }, idpAdministrator)).grants;
    expect((await send(`/grants/${grant?.id}`, 'DELETE', idpAdministrator)).status).toBe(204);
    expect(await areGood(tokens)).toEqual([false, false]);
  });

  describe('are not given to a request that', () => {
    it.each([
      ['GET', '/grants', 'user'],
      ['GET', '/grants?limit=2', 'user'],
      ['DELETE', '/grants', 'user'],
      ['GET', '/grants?user=', 'user'],
      ['GET', '/grants?client=', 'client'],
      ['GET', '/grants?client=%F0%9F%94%91', 'client'],
      ['GET', '/grants?user=a@example.com&user=b@example.com', 'user'],
      ['DELETE', '/grants?client=a&client=b', 'client'],
      ['DELETE', '/grants?client=a&limit=2', 'limit'],
      ['GET', '/grants?client=a&limit=0', 'limit'],
      ['GET', '/grants?client=a&limit=201', 'limit'],
      ['GET', '/grants?client=a&cursor=x', 'cursor'],
      ['GET', '/grants?client_id=a', 'client_id'],
    ])('is wrong, %s %s: 400', async (method, path, field) => {
      const answer = await send(path, method);
      expectProblem(answer, 400, expect.stringContaining(field));
      expect(answer.json<{ errors: { field: string }[] }>().errors.map((error) => error.field)).toContain(field);
    });

    it.each(['x', unknownId.toUpperCase(), `${unknownId}x`, '%00', "'"])('names no grant: %j', async (id) => {
      expect([400, 404]).toContain((await send(`/grants/${id}`, 'DELETE')).status);
    });

    it.each([
      ['DELETE', `/grants/${unknownId}`],
      ['GET', '/grants?user=nobody@example.com'],
      ['GET', `/grants?user=${unknownId}`],
      ['GET', '/grants?client=nobody'],
      ['GET', '/grants?user=admin@example.com&client=nobody'],
      ['DELETE', '/grants?user=nobody@example.com'],
      ['DELETE', '/grants?client=nobody'],
      ['DELETE', '/grants?user=admin@example.com&client=nobody'],
    ])('is about nothing that is there, %s %s: 404', async (method, path) => {
      expectProblem(await send(path, method), 404, expect.stringMatching(/^there is no such (user|client|grant)$/));
    });

    it.each(['GET', 'DELETE'])('is about a Robot, %s: 400', async (method) => {
      expectProblem(await send('/grants?user=robot@example.com', method), 400, 'a Robot never signs in');
    });

    it('comes from a user without a role, or from nobody', async () => {
      const visitor = await accounts.signIn();
      const tokens = await accounts.obtainTokens(visitor, client);
      const [grant] = await grantsOf(visitor);
      const user = queryOf({ user: visitor.user.username });
      for (const [method, path] of [
        ['GET', `/grants?${user}`],
        ['DELETE', `/grants?${user}`],
        ['DELETE', `/grants/${grant?.id}`],
      ] as const) {
        expect((await send(path, method, [visitor.user.username, visitor.user.password])).status).toBe(403);
        expect((await realm.send(path, { method })).status).toBe(401);
      }
      expect(await areGood(tokens)).toEqual([true, true]);
    });
  });

  // A proof of the console is of the time of the machine: nothing of it comes after these.
  describe('as time goes by', () => {
    it('with offline access, and the last use, which puts the end off', async () => {
      const visitor = await accounts.signIn();
      const tokens = await accounts.obtainTokens(visitor, client, 'openid offline_access');
      const [before] = await grantsOf(visitor);
      expect(before).toMatchObject({ kind: 'code', offline: true });
      expect(before).not.toHaveProperty('sid');
      realm.advance(hour);
      expect(await accounts.isRefreshed(client, tokens)).toBe(true);
      const [grant, ...more] = await grantsOf(visitor);
      expect(more).toEqual([]);
      expect([grant?.id, grant?.createdAt]).toEqual([before?.id, before?.createdAt]);
      expect(Math.abs(Date.parse(grant?.lastUsedAt ?? '') - realm.clock())).toBeLessThan(minute);
      expect(Math.abs(Date.parse(grant?.expiresAt ?? '') - realm.clock() - 30 * day)).toBeLessThan(minute);
    });

    it('are not listed any more, and not ended', async () => {
      const of = await accounts.registerClient();
      const visitor = await accounts.signIn();
      await accounts.obtainTokens(visitor, of);
      const [grant] = await grantsOf(visitor);
      realm.advance(12 * hour + 1);
      expect(await grantsOf(visitor)).toEqual([]);
      expect((await readPages({ client: of.client_id })).flat()).toEqual([]);
      expect((await send(`/grants/${grant?.id}`, 'DELETE')).status).toBe(404);
    });
  });
});
