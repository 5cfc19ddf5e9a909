import { randomBytes } from 'node:crypto';
import { type Answer, call, createTestBrowser, type Gatehouse } from '@gatehouse/test-kit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { runKeys } from './journeys/support/keys-command.ts';
import { buildAuthorizeUrl, getLocation, obtainCode, signIn } from './support/authorization.ts';
import { type Credentials, passwordKind, postClient, redirectUri, registerClient } from './support/clients.ts';
import { travel } from './support/journey.ts';
import { administrator, idpAdministrator, plainUser } from './support/people.ts';
import { startBeside } from './support/services.ts';
import { describeGatehouse } from './support/suite.ts';
import { getAdministratorToken, getTokens, getUserTokens, postToken, readClaims } from './support/tokens.ts';
import { uniqueName } from './support/unique.ts';
import { createUserAdministration } from './support/users.ts';
import { waitFor } from './support/wait.ts';

interface Party {
  kind: string;
  id?: string;
  name?: string;
}

interface Event {
  id: string;
  time: string;
  type: string;
  outcome: string;
  reason?: string;
  actor: Party;
  subject?: Party;
  client?: string;
  request?: string;
  address?: string;
  details: Record<string, unknown>;
}

interface Page {
  events: Event[];
  next_cursor?: string;
  nextCursor?: string;
}

const organizationPath = '/organization/api/organization/audit-events';
const usersPath = '/organization/api/organization/user';

describeGatehouse('audit events', (getGatehouse, dialect) => {
  let gatehouse: Gatehouse;
  let app: Credentials;
  let administratorToken: string;
  let users: ReturnType<typeof createUserAdministration>;

  beforeAll(async () => {
    gatehouse = getGatehouse();
    app = await registerClient(gatehouse, passwordKind());
    administratorToken = await getAdministratorToken(gatehouse, app);
    users = createUserAdministration(gatehouse, administratorToken);
  });

  const readAt = (authUrl: string, query: Record<string, string> = {}) =>
    call(`${authUrl}/audit-events?${new URLSearchParams(query)}`, { basic: administrator });
  const readClients = (query?: Record<string, string>) => readAt(gatehouse.authUrl, query);
  const readUsers = (query: Record<string, string> = {}, bearer = administratorToken) =>
    call(`${gatehouse.baseUrl}${organizationPath}?${new URLSearchParams(query)}`, { bearer });
  const eventsOf = (answer: Answer): Event[] => {
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    return answer.json<Page & Record<string, unknown>>().events;
  };
  /** The newest event; a replica may store it up to a second later, or ask for a name first. */
  const findLast = async (read: typeof readClients, query: Record<string, string>, request?: string) => {
    const found = await waitFor(
      async () => eventsOf(await read(query)).find((event) => request === undefined || event.request === request),
      (event) => event !== undefined,
    );
    return found as Event;
  };
  const newRequest = () => `audit-${randomBytes(8).toString('hex')}`;
  const asAdministrator = { kind: 'user', id: expect.any(String), name: administrator[0] };
  const asPlainUser = { kind: 'user', id: expect.any(String), name: plainUser[0] };

  describe('of clients', () => {
    const actions: [string, string, object, Record<string, unknown>][] = [
      [
        'client.changed',
        'PATCH',
        { access_token_validity: 60 },
        {
          fields: ['access_token_validity'],
          changes: [{ field: 'access_token_validity', from: expect.any(Number), to: 60 }],
        },
      ],
      ['client.secret_replaced', 'POST', { grace_seconds: 5 }, { grace_seconds: 5 }],
      ['client.deleted', 'DELETE', {}, {}],
    ];

    test('tell who registered, changed, replaced and deleted, by which request and from where', async () => {
      const fields = passwordKind();
      const subject = { kind: 'client', id: expect.any(String), name: fields.client_id };
      const expectEvent = async (type: string, request: string, details: object) => {
        const event = await findLast(readClients, { type, subject: fields.client_id });
        expect(event).toEqual({
          id: expect.any(String),
          time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
          type,
          outcome: 'succeeded',
          actor: asAdministrator,
          subject,
          request,
          address: expect.stringMatching(/^(127\.0\.0\.1|0:0:0:0::\/64)$/),
          details,
        });
      };
      const first = newRequest();
      await postClient(gatehouse, fields, { headers: { 'x-request-id': first } });
      await expectEvent('client.registered', first, { grant_types: fields.authorized_grant_types });
      for (const [type, method, json, details] of actions) {
        const request = newRequest();
        const path = `/clients/${fields.client_id}${method === 'POST' ? '/secret' : ''}`;
        const body = method === 'DELETE' ? {} : { json };
        const headers = { 'x-request-id': request };
        const answer = await call(gatehouse.authUrl + path, { method, basic: administrator, headers, ...body });
        expect(answer.status).toBeLessThan(300);
        await expectEvent(type, request, details);
      }
      const all = eventsOf(await readClients({ subject: fields.client_id.toUpperCase() }));
      expect(all.map(({ type }) => type)).toEqual([...actions.map(([type]) => type).reverse(), 'client.registered']);
      expect(new Set(all.map((event) => event.subject?.id)).size).toBe(1);
    });

    test('tell who was refused as a client: with the name of one that exists, and of none else', async () => {
      const [known, unknown] = [newRequest(), newRequest()];
      const form = { grant_type: 'client_credentials' };
      const stranger = uniqueName('misplaced-secret');
      await postToken(gatehouse, { basic: [app[0], 'wrong'], form, headers: { 'x-request-id': known } });
      await postToken(gatehouse, { basic: [stranger, 'wrong'], form, headers: { 'x-request-id': unknown } });
      const type = 'client_authentication.refused';
      expect(await findLast(readClients, { type }, known)).toMatchObject({
        outcome: 'refused',
        reason: 'wrong_credentials',
        actor: { kind: 'anonymous' },
        subject: { kind: 'client', name: app[0] },
        client: app[0],
      });
      const event = await findLast(readClients, { type }, unknown);
      expect(event.reason).toBe('unknown_client');
      expect(JSON.stringify(event)).not.toContain(stranger);
    });

    test('tell who may not administer, whether or not they have proved who they are', async () => {
      const type = 'administrator.refused';
      const [wrong, roleless] = [newRequest(), newRequest()];
      await call(`${gatehouse.authUrl}/clients`, {
        basic: [administrator[0], 'wrong'],
        headers: { 'x-request-id': wrong },
      });
      await call(`${gatehouse.authUrl}/clients`, { basic: plainUser, headers: { 'x-request-id': roleless } });
      expect(await findLast(readClients, { type }, wrong)).toMatchObject({
        reason: 'wrong_credentials',
        actor: { kind: 'anonymous' },
        subject: { kind: 'user', name: administrator[0] },
      });
      expect(await findLast(readClients, { type, actor: plainUser[0] }, roleless)).toMatchObject({
        reason: 'role_missing',
        actor: asPlainUser,
      });
    });
  });

  describe('of people who sign in', () => {
    test('tell of the password grant, right and wrong, through which client', async () => {
      const [right, wrong, odd] = [newRequest(), newRequest(), newRequest()];
      const form = { grant_type: 'password', username: plainUser[0], password: plainUser[1] };
      await postToken(gatehouse, { basic: app, form, headers: { 'x-request-id': right } });
      const guess = { ...form, password: 'wrong' };
      await postToken(gatehouse, { basic: app, form: guess, headers: { 'x-request-id': wrong } });
      const misplaced = { ...form, username: 'my very own password' };
      await postToken(gatehouse, { basic: app, form: misplaced, headers: { 'x-request-id': odd } });
      const details = { by: 'password_grant' };
      expect(await findLast(readClients, { type: 'sign_in.succeeded', actor: plainUser[0] }, right)).toMatchObject({
        actor: asPlainUser,
        client: app[0],
        details,
      });
      expect(await findLast(readClients, { type: 'sign_in.refused', subject: plainUser[0] }, wrong)).toMatchObject({
        actor: { kind: 'anonymous' },
        reason: 'wrong_credentials',
        client: app[0],
        details,
      });
      expect((await findLast(readClients, { type: 'sign_in.refused' }, odd)).subject).toEqual({ kind: 'user' });
    });

    test('tell of a disabled user with the right password', async () => {
      const username = `${uniqueName('disabled')}@example.com`;
      await users.create({ username, userType: 'Person', password: 'the-password', enabled: false });
      await postToken(gatehouse, { basic: app, form: { grant_type: 'password', username, password: 'the-password' } });
      const event = await findLast(readClients, { type: 'sign_in.refused', subject: username });
      expect(event).toMatchObject({ reason: 'user_disabled', subject: { id: expect.any(String), name: username } });
    });

    test('tell of the sign-in page and of signing out', async () => {
      const browser = createTestBrowser();
      const url = buildAuthorizeUrl(gatehouse, {
        response_type: 'code',
        client_id: app[0],
        redirect_uri: redirectUri,
        state: 's',
      });
      const answer = await signIn(url, plainUser, browser);
      expect(getLocation(answer).searchParams.get('code')).not.toBeNull();
      const signedIn = await findLast(
        readClients,
        { type: 'sign_in.succeeded', actor: plainUser[0] },
        String(answer.headers['x-request-id']),
      );
      expect(signedIn).toMatchObject({ client: app[0], details: { by: 'sign_in_page' } });
      const page = await browser.get(`${gatehouse.authUrl}/oauth/logout`);
      const out = await browser.submit(page, `${gatehouse.authUrl}/oauth/logout`);
      const request = String(out.headers['x-request-id']);
      expect(await findLast(readClients, { type: 'sign_out', actor: plainUser[0] }, request)).toMatchObject({
        actor: asPlainUser,
        subject: asPlainUser,
      });
    });

    test('tell of consent given, denied and withdrawn', async () => {
      const fields = { ...passwordKind({ authorized_grant_types: ['authorization_code'] }), require_consent: true };
      await registerClient(gatehouse, fields);
      const browser = createTestBrowser();
      const url = buildAuthorizeUrl(gatehouse, {
        response_type: 'code',
        client_id: fields.client_id,
        redirect_uri: redirectUri,
        scope: 'openid',
        claims: '{"userinfo":{"email":null}}',
        state: 's',
      });
      const consentPage = await signIn(url, plainUser, browser);
      await browser.submit(consentPage, `${gatehouse.authUrl}/oauth/sign-in`, { decision: 'deny' });
      await browser.submit(await browser.get(url), url, { decision: 'allow' });
      const listUrl = `${gatehouse.authUrl}/oauth/consents`;
      await browser.submit(await browser.get(listUrl), listUrl);
      const seen = eventsOf(await readClients({ subject: fields.client_id }));
      expect(seen.map(({ type, reason, actor }) => [type, reason, actor.name])).toEqual([
        ['consent.withdrawn', undefined, plainUser[0]],
        ['consent.given', undefined, plainUser[0]],
        ['consent.denied', 'denied_by_user', plainUser[0]],
        ['client.registered', undefined, administrator[0]],
      ]);
      expect(seen[1]?.details).toEqual({ scope: ['openid'], claims: ['email'] });
    });
  });

  describe('of tokens', () => {
    test('tell which were revoked, by which client, of whom; and nothing of those that were issued', async () => {
      const tokens = await getUserTokens(gatehouse, app);
      await getTokens(gatehouse, app, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' });
      for (const kind of ['access_token', 'refresh_token'] as const) {
        const request = newRequest();
        const form = { token: tokens[kind] ?? '' };
        await call(`${gatehouse.authUrl}/oauth/revoke`, { basic: app, form, headers: { 'x-request-id': request } });
        expect(await findLast(readClients, { type: 'token.revoked', actor: app[0] }, request)).toMatchObject({
          actor: { kind: 'client', name: app[0] },
          subject: asPlainUser,
          details: { token: kind, grant: expect.any(String) },
        });
      }
    });

    test('tell of a code and of a refresh token that came back', async () => {
      const { redemption } = await obtainCode(gatehouse, app);
      const tokens = await getTokens(gatehouse, app, redemption);
      const again = newRequest();
      await postToken(gatehouse, { basic: app, form: redemption, headers: { 'x-request-id': again } });
      expect(await findLast(readClients, { type: 'grant.ended', subject: plainUser[0] }, again)).toMatchObject({
        outcome: 'refused',
        reason: 'code_replayed',
        actor: { kind: 'client', name: app[0] },
        subject: asPlainUser,
      });
      const first = await getUserTokens(gatehouse, app);
      const refresh = { grant_type: 'refresh_token', refresh_token: first.refresh_token ?? '' };
      const second = await getTokens(gatehouse, app, refresh);
      await getTokens(gatehouse, app, { ...refresh, refresh_token: second.refresh_token ?? '' });
      const replay = newRequest();
      await postToken(gatehouse, { basic: app, form: refresh, headers: { 'x-request-id': replay } });
      expect(await findLast(readClients, { type: 'grant.ended' }, replay)).toMatchObject({
        reason: 'refresh_token_replayed',
        details: { grant: expect.any(String), why: 'not_the_last' },
      });
      expect(tokens.access_token).not.toBe('');
    });

    test('tell of a refresh token that its client used twice, and that was honoured', async () => {
      const first = await getUserTokens(gatehouse, app);
      const form = { grant_type: 'refresh_token', refresh_token: first.refresh_token ?? '' };
      const second = await getTokens(gatehouse, app, form);
      const retry = newRequest();
      const answer = await postToken(gatehouse, { basic: app, form, headers: { 'x-request-id': retry } });
      expect([answer.status, answer.json().refresh_token]).toEqual([200, second.refresh_token]);
      expect(await findLast(readClients, { type: 'refresh_token.repeated' }, retry)).toMatchObject({
        outcome: 'succeeded',
        actor: { kind: 'client', name: app[0] },
        subject: asPlainUser,
        address: expect.stringMatching(/^(127\.0\.0\.1|0:0:0:0::\/64)$/),
        details: { grant: readClaims(first.access_token).grant_id, by: 'network' },
      });
    });

    test('tell of a rotation of keys', async () => {
      const { code, stdout } = await runKeys(gatehouse, ['rotate']);
      expect([code, stdout.includes('audit')]).toEqual([0, false]);
      const event = await findLast(readClients, { type: 'keys.rotated' });
      expect(event).toMatchObject({ actor: { kind: 'service', name: 'keys' }, details: { sign_after_seconds: 600 } });
    });
  });

  describe('of users', () => {
    test('tell who created, changed, disabled, enabled, gave a password and deleted', async () => {
      const username = `${uniqueName('Audited')}@example.com`;
      await users.create({ username, userType: 'Person', password: 'first-password', roles: ['DirectoryReader'] });
      await users.change(username, { firstName: 'Anna', enabled: false });
      await users.change(username, { enabled: true });
      await users.setPassword(username, 'second-password');
      const { access_token: bearer } = await getUserTokens(gatehouse, app, [username, 'second-password']);
      const setOwn = (oldPassword: string, request: string) =>
        call(`${gatehouse.baseUrl}${usersPath}/userId/${encodeURIComponent(username)}/password`, {
          method: 'PUT',
          bearer,
          json: { password: 'third-password', oldPassword },
          headers: { 'x-request-id': request },
        });
      const [wrong, right] = [newRequest(), newRequest()];
      expect((await setOwn('wrong-password', wrong)).status).toBe(400);
      expect((await setOwn('second-password', right)).status).toBe(204);
      await users.delete(username);

      const seen = eventsOf(await readUsers({ subject: username.toLowerCase() }));
      const own = { kind: 'user', id: expect.any(String), name: username };
      expect(seen.map(({ type, actor }) => [type, actor])).toEqual([
        ['user.deleted', asAdministrator],
        ['user.password_changed', own],
        ['user.password_change_refused', own],
        ['user.password_changed', asAdministrator],
        ['user.enabled', asAdministrator],
        ['user.disabled', asAdministrator],
        ['user.changed', asAdministrator],
        ['user.created', asAdministrator],
      ]);
      expect([seen[1]?.request, seen[2]?.request]).toEqual([right, wrong]);
      expect(seen[6]?.details).toEqual({ fields: ['firstName'] });
      for (const event of seen) expect(event).toMatchObject({ client: app[0], subject: own });
      expect(JSON.stringify(seen)).not.toMatch(/(first|second|third|wrong)-password/);
    });

    test('tell of the first users that the service makes itself, and of who may not administer', async () => {
      const first = await findLast(readUsers, { type: 'user.created', subject: administrator[0] });
      expect(first).toMatchObject({ actor: { kind: 'service', name: 'org-api' } });
      const { access_token: bearer } = await getUserTokens(gatehouse, app);
      const request = newRequest();
      await call(`${gatehouse.baseUrl}${usersPath}`, { bearer, headers: { 'x-request-id': request } });
      const refused = await findLast(readUsers, { type: 'administrator.refused', actor: plainUser[0] }, request);
      expect(refused).toMatchObject({ reason: 'role_missing', actor: asPlainUser, client: app[0] });
    });
  });

  describe('are read', () => {
    test('by administrators alone', async () => {
      const { access_token: plain } = await getUserTokens(gatehouse, app);
      const { access_token: idp } = await getUserTokens(gatehouse, app, idpAdministrator);
      const authUrl = `${gatehouse.authUrl}/audit-events`;
      const orgUrl = gatehouse.baseUrl + organizationPath;
      const status = async (url: string, options: Parameters<typeof call>[1] = {}) => (await call(url, options)).status;
      expect(await status(authUrl)).toBe(401);
      expect(await status(authUrl, { basic: [administrator[0], 'wrong'] })).toBe(401);
      expect(await status(authUrl, { basic: plainUser })).toBe(403);
      expect(await status(authUrl, { bearer: plain })).toBe(403);
      expect(await status(authUrl, { basic: idpAdministrator })).toBe(200);
      expect(await status(authUrl, { bearer: administratorToken })).toBe(200);
      expect(await status(orgUrl)).toBe(401);
      expect(await status(orgUrl, { bearer: 'garbage' })).toBe(401);
      expect(await status(orgUrl, { bearer: plain })).toBe(403);
      expect(await status(orgUrl, { bearer: idp })).toBe(403);
      for (const read of [readClients, readUsers]) expect((await read()).headers['cache-control']).toBe('no-store');
    });

    test.each([
      [{ limit: '0' }, ['limit']],
      [{ limit: '201' }, ['limit']],
      [{ limit: 'many' }, ['limit']],
      [{ cursor: 'garbage' }, ['cursor']],
      [{ type: 'client.exploded' }, ['type']],
      [{ actor: '' }, ['actor']],
      [{ subject: 'x'.repeat(256) }, ['subject']],
      [{ from: 'yesterday', to: 'tomorrow' }, ['from', 'to']],
      [{ from: '2026-13-01' }, ['from']],
      [{ to: '2026-02-30' }, ['to']],
      [{ type: 'nothing', colour: 'red' }, ['colour', 'type']],
      [{ from: '2026-02-02', to: '2026-02-01' }, ['to']],
      [{ colour: 'red' }, ['colour']],
    ])('and %j is 400, which names %j', async (query, fields) => {
      for (const read of [readClients, readUsers]) {
        const answer = await read(query as Record<string, string>);
        expect(answer.status).toBe(400);
        expect(answer.headers['content-type']).toContain('application/problem+json');
        const named = answer.json<{ errors?: { field: string; detail: string }[] }>().errors ?? [];
        expect(named.map(({ field }) => field)).toEqual(fields);
      }
    });

    test('a page at a time, completely and in order, while new events come in', async () => {
      const before = eventsOf(await readClients({ limit: '200' }));
      const seen: Event[] = [];
      let cursor: string | undefined;
      do {
        const answer = await readClients({ limit: '7', ...(cursor === undefined ? {} : { cursor }) });
        const page = answer.json<Page & Record<string, unknown>>();
        seen.push(...page.events);
        cursor = page.next_cursor;
        await getUserTokens(gatehouse, app);
      } while (cursor !== undefined);
      const known = new Set(before.map(({ id }) => id));
      expect(seen.filter(({ id }) => known.has(id))).toEqual(before);
      expect(seen.map(({ id }) => id)).toEqual([...new Set(seen.map(({ id }) => id))].sort().reverse());
    });

    test('by time, from one instant up to another', async () => {
      const [newest] = eventsOf(await readClients({ limit: '1' }));
      const instant = newest?.time ?? '';
      const ids = async (query: Record<string, string>) => eventsOf(await readClients(query)).map(({ id }) => id);
      expect(await ids({ from: instant })).toContain(newest?.id);
      expect(await ids({ to: instant })).not.toContain(newest?.id);
      expect(await ids({ from: '2020-01-01', to: '2020-01-02' })).toEqual([]);
      expect(await ids({ from: '2999-01-01T00:00:00Z' })).toEqual([]);
    });

    test('from any replica, whichever wrote them; and SIGTERM loses none', async () => {
      const replica = await startBeside(gatehouse, 'auth-server');
      const [there, last] = [newRequest(), newRequest()];
      const form = { grant_type: 'password', username: plainUser[0], password: plainUser[1] };
      const signInThere = (request: string) =>
        call(`${replica.url}/oauth/token`, { basic: app, form, headers: { 'x-request-id': request } });
      try {
        expect((await signInThere(there)).status).toBe(200);
        expect(eventsOf(await readAt(replica.url, { limit: '5' })).map(({ request }) => request)).toContain(there);
        await findLast(readClients, { type: 'sign_in.succeeded' }, there);
        expect((await signInThere(last)).status).toBe(200);
      } finally {
        expect(await replica.stop()).toBe(0);
      }
      const rows = eventsOf(await readClients({ type: 'sign_in.succeeded' }));
      expect(rows.map(({ request }) => request)).toContain(last);
      // What remains where there is no row: the line, under the id of its request.
      const lines = replica
        .output()
        .split('\n')
        .filter((line) => line.includes(`"requestId":"${last}"`));
      expect(lines.map((line) => JSON.parse(line).msg)).toEqual(expect.arrayContaining(['audit', 'request']));
    });
  });

  test(`hold no secret of a journey through everything, in rows or in lines, on ${dialect}`, async () => {
    const { secrets } = await travel(gatehouse);
    await findLast(readClients, { type: 'sign_out', actor: 'traveller@example.com' });
    const told: string[] = [];
    for (const read of [readClients, readUsers]) {
      const text = (await read({ limit: '200' })).text;
      const lines = gatehouse
        .output()
        .split('\n')
        .filter((line) => line.includes('"audit":{'));
      expect(lines.length).toBeGreaterThan(20);
      for (const [what, value] of secrets) if ((text + lines.join()).includes(value)) told.push(what);
    }
    expect(told).toEqual([]);
  });
});
