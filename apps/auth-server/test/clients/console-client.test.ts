import { createLogger } from '@gatehouse/service-kit';
import { createTestBrowser, readLog, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createVisits, readForms } from '../support/account.ts';
import { authorizePath, userForm } from '../support/browser.ts';
import { adminForm, consoleClientId, signInAtConsole } from '../support/console.ts';
import { administrator, type Realm, readClaims, startRealm, webClient } from '../support/realm.ts';
import { type Replica, startReplica } from '../support/replica.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const path = `/clients/${consoleClientId}`;
const refused = { status: 409, detail: 'belongs to the configuration' };

describe.each(testDialects)('the client of the console, on %s', (dialect) => {
  let realm: Realm;
  let replica: Replica;
  let url: string;
  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    replica = await startReplica(realm, {});
    url = `${realm.authUrl}/console`;
  });
  afterAll(async () => {
    await replica?.close();
    await realm.close();
  });

  it('opens administration of both services by one bound token of five minutes', async () => {
    const { tokens, key, call } = await signInAtConsole(realm);
    const { roles, ceiling, ...claims } = readClaims(tokens.access_token);
    expect(tokens).toMatchObject({ token_type: 'DPoP', expires_in: 300, scope: 'openid profile roles' });
    expect(claims).toMatchObject({
      ...{ aud: realm.orgUrl, client_id: consoleClientId, administration_max_age: 900, cnf: { jkt: key.jkt } },
    });
    expect([roles, ceiling]).toEqual([['SystemAdministrator'], undefined]);
    expect((await call(`${realm.url}/clients`)).status).toBe(200);
    const json = { client_id: 'made-at-console', ...{ scope: ['openid'], authorized_grant_types: ['implicit'] } };
    const made = await call(`${realm.url}/clients`, { json: { ...json, redirect_uri: 'https://a.example/' } });
    expect([made.status, made.text]).toEqual([200, expect.stringContaining('made-at-console')]);
    const users = await call(`${realm.orgUrl}/organization/api/organization/user?search=admin`);
    expect([users.status, users.text]).toEqual([200, expect.stringContaining('admin@example.com')]);
  });

  it('shows no page but the sign-in, and none where the user is signed in', async () => {
    const browser = createTestBrowser();
    await signInAtConsole(realm, { browser });
    const again = await signInAtConsole(realm, { browser });
    expect(again.tokens.access_token).toBeDefined();
  });

  it.each([
    [{ code_challenge: '' }, /error=invalid_request/],
    [{ redirect_uri: 'https://evil.example/callback' }, /^undefined$/],
    [{ scope: 'openid email' }, /error=invalid_scope/],
  ])('takes no request with %j', async (changed, location) => {
    const parameters = {
      ...{ response_type: 'code', client_id: consoleClientId, redirect_uri: `${url}/callback` },
      ...{ code_challenge: 'x'.repeat(43), code_challenge_method: 'S256', ...changed },
    };
    const answer = await realm.send(authorizePath(parameters));
    expect(String(answer.headers.location)).toMatch(location);
    expect(answer.status).not.toBe(200);
  });

  it('sends proofs with its requests, and has no secret', async () => {
    const form = { client_id: consoleClientId, grant_type: 'refresh_token', refresh_token: 'none' };
    const without = await realm.send('/oauth/token', { form });
    expect([without.status, without.json()]).toMatchObject([400, { error: 'invalid_dpop_proof' }]);
    const secret = await realm.send('/oauth/token', { form, basic: [consoleClientId, 'a secret'] });
    expect([secret.status, secret.json()]).toMatchObject([401, { error: 'invalid_client' }]);
  });

  it('refreshes by its key alone, at every replica', async () => {
    const { refresh } = await signInAtConsole(realm);
    const next = await refresh();
    expect(readClaims(next.access_token)).toMatchObject({ client_id: consoleClientId, administration_max_age: 900 });
    const { refresh: byOther } = await signInAtConsole(realm);
    await expect(byOther(next)).rejects.toThrow('invalid_dpop_proof');
    const atReplica = await signInAtConsole({ ...replica, authUrl: replica.authUrl }).catch((error: Error) => error);
    expect(atReplica).toMatchObject({ message: expect.stringContaining('invalid_dpop_proof') });
  });

  it('revokes what it has, with the refresh token too', async () => {
    const { tokens, call, refresh } = await signInAtConsole(realm);
    const form = { client_id: consoleClientId, token: tokens.refresh_token ?? '' };
    expect((await realm.send('/oauth/revoke', { form })).status).toBe(200);
    expect((await call(`${realm.url}/clients`)).status).toBe(401);
    await expect(refresh()).rejects.toThrow('invalid_grant');
  });

  it('signs out to its address', async () => {
    const { tokens, browser, refresh } = await signInAtConsole(realm);
    const query = new URLSearchParams({ id_token_hint: tokens.id_token ?? '', post_logout_redirect_uri: url });
    const answer = await browser.get(`${realm.url}/oauth/logout?${query}`);
    expect([answer.status, answer.headers.location]).toEqual([303, url]);
    await expect(refresh()).rejects.toThrow('invalid_grant');
  });

  it('has ten grants of a user, and the oldest ends for the next', async () => {
    const browser = createTestBrowser();
    const user = { username: 'idp.admin@example.com', password: 'idp-password' };
    const signedIn = [];
    for (let count = 0; count < 11; count += 1) signedIn.push(await signInAtConsole(realm, { browser, user }));
    const [first, second, ...rest] = signedIn;
    await expect(first?.refresh()).rejects.toThrow('invalid_grant');
    expect((await first?.call(`${realm.url}/clients`))?.status).toBe(401);
    expect((await second?.refresh())?.access_token).toBeDefined();
    expect((await rest.at(-1)?.call(`${realm.url}/clients`))?.status).toBe(200);
    const access = await signInAtConsole(realm);
    expect((await access.refresh()).access_token).toBeDefined();
  });

  it('has its name among the applications of its users, who end its access there', async () => {
    const browser = createTestBrowser();
    const { refresh } = await signInAtConsole(realm, { browser, user: userForm });
    const visitor = createVisits(realm)(userForm, browser);
    const page = await visitor.get('/account/applications');
    expect(page.text).toContain('Gatehouse console');
    const form = readForms(page).find(({ action }) => action.startsWith('/account/applications'));
    await visitor.send(page, form?.action ?? '', {});
    await expect(refresh()).rejects.toThrow('invalid_grant');
  });

  it('is read, with its last use, and says who keeps it', async () => {
    await signInAtConsole(realm);
    const { status, headers, ...answer } = await realm.send(path, { basic: administrator });
    expect([status, headers.etag]).toEqual([200, expect.stringMatching(/^"/)]);
    expect(answer.json()).toMatchObject({
      ...{ client_id: consoleClientId, client_name: 'Gatehouse console', managed_by: 'configuration', public: true },
      ...{ scope: ['openid', 'profile', 'roles'], authorized_grant_types: ['authorization_code', 'refresh_token'] },
      ...{ redirect_uri: `${url}/callback`, post_logout_redirect_uris: [url], access_token_validity: 300 },
      ...{ require_pkce: true, dpop_bound_access_tokens: true, administration_max_age: 900 },
      ...{ ceiling: ['SystemAdministrator', 'IdpAdministrator', 'DirectoryReader'], enabled: true, dynamic: false },
    });
    for (const deadline = Date.now() + 20_000; ; await new Promise((next) => setTimeout(next, 100))) {
      const shown = (await realm.send(path, { basic: administrator })).json();
      if (shown.last_used_at !== undefined) break;
      if (Date.now() > deadline) throw new Error(JSON.stringify(shown));
    }
  });

  it.each([
    ['POST', '/clients', { ...webClient, client_id: consoleClientId }],
    ['POST', '/clients?dry_run=true', { ...webClient, client_id: consoleClientId }],
    ['PATCH', path, { client_name: 'Mine' }],
    ['PATCH', `${path}?dry_run=true`, { enabled: false }],
    ['POST', `${path}/secret`, {}],
    ['DELETE', `${path}/secret/previous`, undefined],
    ['DELETE', path, undefined],
    ['DELETE', `${path}?dry_run=true`, undefined],
    ['DELETE', `${path}/logo`, undefined],
  ])('refuses %s %s', async (method, target, json) => {
    const headers = { accept: 'application/problem+json' };
    const answer = await realm.send(target, { method, basic: administrator, headers, ...(json && { json }) });
    expect([answer.status, answer.json()]).toMatchObject([409, refused]);
    expect((await realm.send(path, { basic: administrator })).status).toBe(200);
  });

  it('may be called for by pages of its origin with credentials, as those of registered clients', async () => {
    const preflight = (origin: string, { send }: Pick<Realm, 'send'> = realm) =>
      send('/oauth/token', { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } });
    const { headers } = await preflight(new URL(url).origin);
    expect(headers['access-control-allow-credentials']).toBe('true');
    const other = await preflight('https://spa.example.com');
    expect(other.headers).not.toHaveProperty('access-control-allow-credentials');
  });
});

describe('the ceiling of the console', () => {
  it.each<[string, string[]]>([
    ['none', []],
    ['DirectoryReader', ['DirectoryReader']],
    ['IdpAdministrator', ['IdpAdministrator', 'DirectoryReader']],
  ])('is CONSOLE_ROLES: %s', async (CONSOLE_ROLES, ceiling) => {
    const realm = await startRealm({ CONSOLE_ROLES });
    try {
      const user = { username: 'idp.admin@example.com', password: 'idp-password' };
      const { tokens, call } = await signInAtConsole(realm, { user });
      const roles = ceiling.filter((role) => role === 'IdpAdministrator');
      expect(readClaims(tokens.access_token)).toMatchObject({ ceiling, roles });
      const statuses = await Promise.all(
        [`${realm.url}/clients`, `${realm.orgUrl}/organization/api/organization/audit-events`].map(
          async (target) => (await call(target)).status,
        ),
      );
      expect(statuses).toEqual([ceiling.includes('IdpAdministrator') ? 200 : 403, 403]);
    } finally {
      await realm.close();
    }
  });
});

describe('a client that is registered under the name of the console', () => {
  it('keeps its name, with one warning, until it is deleted', async () => {
    const realm = await startRealm({ CONSOLE_URL: 'off' });
    const log = createLogger('test', 'warn');
    const linesOf = readLog(log);
    expect((await realm.send(path, { basic: administrator })).status).toBe(404);
    await realm.register({ ...webClient, client_id: consoleClientId });
    const replica = await startReplica(realm, { CONSOLE_URL: '' }, { log });
    try {
      expect(linesOf()).toEqual([
        expect.objectContaining({
          clientId: consoleClientId,
          msg: 'a client is registered under the name of a built-in one, which is off until it is deleted',
        }),
      ]);
      const shown = await replica.send(path, { basic: administrator });
      expect(shown.json()).not.toHaveProperty('managed_by');
      expect((await replica.send(path, { method: 'DELETE', basic: administrator })).status).toBe(204);
      expect((await replica.send(path, { basic: administrator })).json()).toMatchObject({
        managed_by: 'configuration',
      });
      expect((await realm.send(path, { basic: administrator })).status).toBe(404);
    } finally {
      await replica.close();
      await realm.close();
    }
  });
});

describe('where there is no console', () => {
  it('there is no such client either', async () => {
    const realm = await startRealm({ CONSOLE_URL: 'off' });
    try {
      expect((await realm.send(path, { basic: administrator })).status).toBe(404);
      await expect(signInAtConsole(realm, { user: adminForm })).rejects.toThrow('no sign-in page');
    } finally {
      await realm.close();
    }
  });
});
