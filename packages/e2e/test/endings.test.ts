import {
  type Answer,
  type CallOptions,
  call,
  createTestBrowser,
  type Gatehouse,
  type TestBrowser,
} from '@gatehouse/test-kit';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { decide, readHidden } from './journeys/support/consent-pages.ts';
import { measureRefusal } from './journeys/support/refusal.ts';
import { readList, readStatus } from './journeys/support/status-lists.ts';
import {
  codeRequest,
  implicitRequest,
  isSignInPage,
  obtainCode,
  obtainTokens,
  open,
  readRedirect,
  redeem,
  signIn,
} from './standards/authorization-request.ts';
import { describeStandard, implicitKind, type Registration, register } from './standards/realm.ts';
import { buildAuthorizeUrl } from './support/authorization.ts';
import { type Credentials, passwordKind, postClient, redirectUri, serviceAccountKind } from './support/clients.ts';
import { administrator, plainUser } from './support/people.ts';
import { buildRaw, sendRaw } from './support/raw-request.ts';
import { getTokens, getUserTokens, isActive, readClaims, type TokenResponse } from './support/tokens.ts';
import { uniqueName } from './support/unique.ts';
import { createUserAdministration, getUserDetails } from './support/users.ts';
import { waitFor } from './support/wait.ts';

const collection = '/organization/api/organization/user';
/** Milliseconds within which org-api refuses what was ended. */
const deadline = 3_000;

describeStandard('what ends, and what does not', (getGatehouse) => {
  let gatehouse: Gatehouse;
  let app: Credentials;
  let other: Credentials;
  let logout: string;
  beforeAll(async () => {
    gatehouse = getGatehouse();
    logout = `${gatehouse.authUrl}/oauth/logout`;
    [app, other] = await Promise.all([register(gatehouse), register(gatehouse)]);
  });

  const signOut = async (browser: TestBrowser) => {
    const done = await browser.submit(await browser.get(logout), logout);
    expect([done.status, isSignInPage(await open(gatehouse, codeRequest(app[0]).parameters, browser))]).toEqual([
      200,
      true,
    ]);
  };
  /** Signs in, and allows what is asked for where that is asked. */
  const signInAndAllow = async (parameters: Record<string, string>, browser: TestBrowser, user = plainUser) => {
    const answer = await signIn(gatehouse, parameters, browser, user);
    if (answer.status !== 200) return answer;
    return decide(browser, answer, buildAuthorizeUrl(gatehouse, parameters), 'allow');
  };
  const outcomeOf = ({ status, json }: Answer) => ({ status, error: json().error });
  const refresh = (client: Credentials, { refresh_token = '' }: TokenResponse) =>
    redeem(gatehouse, client, { grant_type: 'refresh_token', refresh_token });
  const statusAtOrganization = async (token: string) => (await getUserDetails(gatehouse, plainUser[0], token)).status;

  describe('the roles of an administrator', () => {
    const start = async (scope: string, changes: Registration = {}) => {
      const client = await register(gatehouse, changes);
      const { parameters, verifier } = codeRequest(client[0], { scope });
      const { code = '' } = readRedirect(await signInAndAllow(parameters, createTestBrowser(), administrator)).query;
      const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
      return (await getTokens(gatehouse, client, form)).access_token;
    };
    const tryEverything = async (bearer: string) => {
      const { access_token } = await getUserTokens(gatehouse, app, administrator);
      const username = `${uniqueName('somebody')}@example.com`;
      await createUserAdministration(gatehouse, access_token).create({
        username,
        userType: 'Person',
        password: 'the-old-password',
      });
      const member = `${gatehouse.baseUrl}${collection}/userId/${encodeURIComponent(username)}`;
      const answers: [string, Promise<Answer>][] = [
        ['details', getUserDetails(gatehouse, username, bearer)],
        ['own details', getUserDetails(gatehouse, administrator[0], bearer)],
        ['list', call(`${gatehouse.baseUrl}${collection}`, { bearer })],
        ['password', call(`${member}/password`, { bearer, method: 'PUT', json: { password: 'the-new-password' } })],
        ['clients', call(`${gatehouse.authUrl}/clients`, { bearer })],
        ['registration', postClient(gatehouse, passwordKind(), { bearer })],
      ];
      const statuses: Record<string, number> = {};
      for (const [name, answer] of answers) statuses[name] = (await answer).status;
      const basic = await register(gatehouse);
      const form = { grant_type: 'password', username, password: 'the-new-password' };
      statuses.signIn = (await call(`${gatehouse.authUrl}/oauth/token`, { basic, form })).status;
      return statuses;
    };
    const everything = {
      details: 200,
      'own details': 200,
      list: 200,
      password: 204,
      clients: 200,
      registration: 200,
      signIn: 200,
    };
    const nothing = {
      details: 403,
      'own details': 200,
      list: 403,
      password: 403,
      clients: 403,
      registration: 403,
      signIn: 400,
    };

    it.each<[string, string, Registration, Record<string, number>]>([
      ['a third party without scope roles has none', 'openid profile', { require_consent: true }, nothing],
      ['a third party with scope roles has them', 'openid profile roles', { require_consent: true }, everything],
      ['a first party has them without scope roles', 'openid profile', {}, everything],
    ])('%s', async (_title, scope, changes, expected) => {
      expect(await tryEverything(await start(scope, changes))).toEqual(expected);
    });
  });

  it('signing out ends a code that was not redeemed yet', async () => {
    const [browser, elsewhere] = [createTestBrowser(), createTestBrowser()];
    const { form } = await obtainCode(gatehouse, app, {}, browser);
    const { form: kept } = await obtainCode(gatehouse, app, {}, elsewhere);
    await signOut(browser);
    const refused = await redeem(gatehouse, app, form);
    expect(outcomeOf(refused)).toEqual({ status: 400, error: 'invalid_grant' });
    expect(Object.keys(refused.json()).filter((name) => name.endsWith('_token'))).toEqual([]);
    const { status, json } = await redeem(gatehouse, app, kept);
    expect([status, json().id_token]).toEqual([200, expect.any(String)]);
  });

  describe('an access token of response_type=token', () => {
    const start = async (changes: Registration = {}) => {
      const browser = createTestBrowser();
      const [clientId] = await register(gatehouse, { ...implicitKind, ...changes });
      const parameters = implicitRequest(clientId, { response_type: 'token', scope: 'profile' });
      const { access_token = '' } = readRedirect(await signInAndAllow(parameters, browser)).fragment;
      expect(await statusAtOrganization(access_token)).toBe(200);
      expect(await isActive(gatehouse, app, access_token)).toBe(true);
      return { browser, clientId, token: access_token };
    };

    it('ends with sign-out, and leaves that of another browser alone', async () => {
      const [{ browser, token }, elsewhere] = [await start(), await start()];
      const startedAt = performance.now();
      await signOut(browser);
      expect(await isActive(gatehouse, app, token)).toBe(false);
      expect(await measureRefusal(gatehouse, token, { start: startedAt })).toBeLessThan(deadline);
      expect(await isActive(gatehouse, app, elsewhere.token)).toBe(true);
      expect(await statusAtOrganization(elsewhere.token)).toBe(200);
    });

    it('ends when consent is taken back', async () => {
      const client_name = uniqueName('Third party');
      const { browser, token } = await start({ require_consent: true, client_name });
      const consents = `${gatehouse.authUrl}/oauth/consents`;
      const page = await browser.get(consents);
      const text = page.text.split('<li>').find((entry) => entry.includes(client_name)) ?? '';
      const [[form_token = ''], [registration = '']] = [
        readHidden({ ...page, text }, 'form_token'),
        readHidden({ ...page, text }, 'registration'),
      ];
      const startedAt = performance.now();
      await browser.post(consents, { form_token, registration });
      expect(await isActive(gatehouse, app, token)).toBe(false);
      expect(await measureRefusal(gatehouse, token, { start: startedAt })).toBeLessThan(deadline);
    });
  });

  describe('signing in again with prompt=login at another client', () => {
    const startTwice = async (user: [string, string]) => {
      const browser = createTestBrowser();
      const first = await obtainTokens(gatehouse, app, {}, browser);
      const { parameters, verifier } = codeRequest(other[0], { prompt: 'login' });
      const { code = '' } = readRedirect(await signIn(gatehouse, parameters, browser, user)).query;
      const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
      const second = await getTokens(gatehouse, other, form);
      const sids = [first, second].map(({ id_token = '' }) => readClaims(id_token).sid);
      return { first, second, sids };
    };

    it('as the same user keeps the refresh token of the first', async () => {
      const { first, second, sids } = await startTwice(plainUser);
      expect(sids).toEqual([expect.any(String), sids[0]]);
      expect((await refresh(app, first)).status).toBe(200);
      expect((await refresh(other, second)).status).toBe(200);
    });

    it('as another user ends it', async () => {
      const { first, second, sids } = await startTwice(administrator);
      expect(sids[1]).not.toBe(sids[0]);
      expect(outcomeOf(await refresh(app, first))).toEqual({ status: 400, error: 'invalid_grant' });
      expect((await refresh(other, second)).status).toBe(200);
    });
  });

  it('revoking an access token sets the status its claim names, and no other', async () => {
    // No other test has tokens that live as long, so these have a list to themselves.
    const kind = { access_token_validity: 61_000 };
    const [client, another] = await Promise.all([register(gatehouse, kind), register(gatehouse, kind)]);
    const [ended, same, others] = [
      await getUserTokens(gatehouse, client),
      await getUserTokens(gatehouse, client),
      await getUserTokens(gatehouse, another),
    ].map(({ access_token }) => access_token) as [string, string, string];
    const { uri, idx } = readStatus(ended);
    const listSet = async () => {
      const { bytes, isSet } = await readList(gatehouse, uri);
      return Array.from({ length: bytes.length * 8 }, (_, index) => index).filter(isSet);
    };
    expect(await listSet()).toEqual([]);
    const startedAt = performance.now();
    const revoke = (basic: Credentials) => call(`${gatehouse.authUrl}/oauth/revoke`, { basic, form: { token: ended } });
    expect((await revoke(another)).status).toBe(400);
    expect(await isActive(gatehouse, client, ended)).toBe(true);
    expect((await revoke(client)).status).toBe(200);
    expect(await measureRefusal(gatehouse, ended, { start: startedAt })).toBeLessThan(deadline);
    const after = await waitFor(listSet, (set) => set.length > 0, deadline);
    expect(after).toEqual([idx]);
    for (const token of [same, others]) {
      expect([await statusAtOrganization(token), await isActive(gatehouse, client, token)]).toEqual([200, true]);
    }
  });

  it.each<[string, Registration]>([
    ['of a plain client', { authorized_grant_types: ['client_credentials'], redirect_uri: undefined }],
    ['of a service account', { ...serviceAccountKind({ client_id: '' }) }],
  ])('deleting a client ends its client_credentials tokens, %s', async (_title, kind) => {
    const client = await register(gatehouse, { ...kind, redirect_uri: undefined, client_id: uniqueName('machine') });
    const { access_token } = await getTokens(gatehouse, client, { grant_type: 'client_credentials' });
    expect([200, 403]).toContain(await statusAtOrganization(access_token));
    const remove = () => call(`${gatehouse.authUrl}/clients/${client[0]}`, { method: 'DELETE', basic: administrator });
    const startedAt = performance.now();
    expect((await remove()).status).toBe(204);
    expect(await isActive(gatehouse, app, access_token)).toBe(false);
    expect(await measureRefusal(gatehouse, access_token, { start: startedAt })).toBeLessThan(deadline);
    expect([(await remove()).status, (await remove()).status]).toEqual([404, 404]);
  });

  it('a client of implicit cannot have its tokens bound', async () => {
    const fields = { ...passwordKind(), ...implicitKind, dpop_bound_access_tokens: true };
    const refused = await postClient(gatehouse, fields);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('dpop_bound_access_tokens')]);
    const [clientId] = await register(gatehouse, implicitKind);
    const change = (json: unknown) =>
      call(`${gatehouse.authUrl}/clients/${clientId}`, { method: 'PATCH', basic: administrator, json });
    expect((await change({ dpop_bound_access_tokens: true })).status).toBe(400);
    expect((await change({ client_name: 'still there' })).status).toBe(200);
  });

  it('dpop_jkt goes with no token of the authorization endpoint', async () => {
    const [clientId] = await register(gatehouse, implicitKind);
    const changes = { response_type: 'token', dpop_jkt: 'a'.repeat(43) };
    const { target, fragment } = readRedirect(await open(gatehouse, implicitRequest(clientId, changes)));
    expect([target, fragment.error, fragment.access_token]).toEqual([redirectUri, 'invalid_request', undefined]);
    const good = implicitRequest(clientId, { ...changes, dpop_jkt: undefined });
    expect(isSignInPage(await open(gatehouse, good))).toBe(true);
  });

  describe('a broken body', () => {
    const targets: [string, 'POST' | 'PATCH' | 'PUT', (at: Gatehouse) => string][] = [
      ['a new user', 'POST', ({ baseUrl }) => `${baseUrl}${collection}`],
      ['a change of a user', 'PATCH', ({ baseUrl }) => `${baseUrl}${collection}/userId/user%40example.com`],
      ['a password', 'PUT', ({ baseUrl }) => `${baseUrl}${collection}/userId/user%40example.com/password`],
      ['a new client', 'POST', ({ authUrl }) => `${authUrl}/clients`],
      ['a change of a client', 'PATCH', ({ authUrl }) => `${authUrl}/clients/${app[0]}`],
      ['a password check', 'POST', ({ baseUrl }) => `${baseUrl}/internal/directory/password-checks`],
      ['a user query', 'POST', ({ baseUrl }) => `${baseUrl}/internal/directory/user-queries`],
    ];
    const bodies: [string, CallOptions, number][] = [
      ['cut off', { body: '{"a', headers: { 'content-type': 'application/json' } }, 400],
      ['of another type', { body: '<a/>', headers: { 'content-type': 'application/xml' } }, 415],
      ['of another shape', { json: [1] }, 400],
    ];

    it.each(targets)('is not looked at without credentials: %s', async (_title, method, urlOf) => {
      const url = urlOf(gatehouse);
      for (const [, body] of bodies) {
        for (const caller of [{}, { bearer: 'not.a.token' }]) {
          const { status, headers } = await call(url, { ...body, ...caller, method, headers: { ...body.headers } });
          expect([status, headers['www-authenticate']]).toEqual([401, expect.any(String)]);
        }
      }
    });

    it.each(targets.slice(0, 5))('is told of with credentials: %s', async (_title, method, urlOf) => {
      const { access_token: bearer } = await getUserTokens(gatehouse, app, administrator);
      for (const [, body, expected] of bodies) {
        const url = urlOf(gatehouse);
        // The registration has no 415: its statuses are documented ones.
        const status = url.endsWith('/clients') ? 400 : expected;
        expect((await call(url, { ...body, bearer, method })).status).toBe(status);
      }
    });
  });

  describe('a form with raw characters', () => {
    const state = 'ä\n世界\r\n"%41+☃\u{1f600}';
    // Raw but for what would end the value: no browser sends this.
    const raw = (parameters: Record<string, string>) =>
      Object.entries(parameters)
        .map(([name, value]) => `${name}=${value.replaceAll('%', '%25').replaceAll('+', '%2B').replaceAll('&', '%26')}`)
        .join('&');
    const post = (path: string, body: string | Buffer) => {
      const head = buildRaw({
        method: 'POST',
        path,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': String(Buffer.byteLength(body)),
        },
      });
      return sendRaw(gatehouse.authUrl, Buffer.concat([head, Buffer.from(body)]));
    };

    it('keeps its state through POST /oauth/authorize', async () => {
      const { parameters } = codeRequest(app[0], { state });
      const { status, headers } = await post('/oauth/authorize', raw(parameters));
      expect([status, headers.location]).toEqual([303, expect.stringMatching(/^authorize\?[!-~]+$/)]);
      const url = new URL(headers.location ?? '', `${gatehouse.authUrl}/oauth/authorize`).href;
      const browser = createTestBrowser();
      const [username, password] = plainUser;
      const answer = await browser.submit(await browser.get(url), url, { username, password });
      expect(readRedirect(answer).query).toEqual(expect.objectContaining({ state, code: expect.any(String) }));
    });

    it('keeps its state through POST /oauth/logout', async () => {
      const afterwards = 'https://app.example.com/signed-out';
      const client = await register(gatehouse, { post_logout_redirect_uris: [afterwards] });
      const browser = createTestBrowser();
      const { id_token = '' } = await obtainTokens(gatehouse, client, {}, browser);
      const parameters = { id_token_hint: id_token, post_logout_redirect_uri: afterwards, state };
      const { status, headers } = await post('/oauth/logout', raw(parameters));
      expect([status, headers.location]).toEqual([303, expect.stringMatching(/^logout\?[!-~]+$/)]);
      const gone = await browser.get(new URL(headers.location ?? '', logout).href);
      expect([gone.status, readRedirect(gone)]).toEqual([303, { target: afterwards, query: { state }, fragment: {} }]);
    });

    it.each(['/oauth/authorize', '/oauth/logout'])('never fails at POST %s', async (path) => {
      const { parameters } = codeRequest(app[0], { state: undefined });
      const bodies = ['\xff\xfe', '\n\r\n', '\0', 'state=\xc3', '\ud800', '%', '=&=&\n', 'a\nset-cookie: b=c'];
      for (const body of bodies) {
        for (const start of ['', `${raw(parameters)}&state=`]) {
          const { status, headers } = await post(path, Buffer.from(start + body, 'latin1'));
          expect({ body, status }).toEqual({ body, status: 303 });
          expect(headers['set-cookie']).toBeUndefined();
        }
      }
    });
  });

  it('a repeated client_id beside a request_uri is refused and uses nothing up', async () => {
    const form = codeRequest(app[0]).parameters;
    const pushed = await call(`${gatehouse.authUrl}/oauth/par`, { basic: app, form });
    const { request_uri } = pushed.json<{ request_uri: string }>();
    const good = { client_id: app[0], request_uri };
    for (const again of [app[0], other[0], '']) {
      const url = `${buildAuthorizeUrl(gatehouse, good)}&client_id=${again}`;
      const { status, headers } = await call(url);
      expect({ status, location: headers.location }).toEqual({ status: 400, location: undefined });
    }
    const [username, password] = plainUser;
    const browser = createTestBrowser();
    const page = await open(gatehouse, good, browser);
    expect(isSignInPage(page)).toBe(true);
    const answer = await browser.submit(page, buildAuthorizeUrl(gatehouse, good), { username, password });
    expect(readRedirect(answer).query.code).toEqual(expect.any(String));
  });

  describe('the form token of the sign-in page', () => {
    const start = async (client: Credentials) => {
      const browser = createTestBrowser();
      await obtainTokens(gatehouse, app, {}, browser);
      const { parameters } = codeRequest(client[0], { prompt: 'login' });
      const page = await open(gatehouse, parameters, browser);
      const [[form_token = ''], [request = '']] = [readHidden(page, 'form_token'), readHidden(page, 'request')];
      expect([form_token, request]).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
      return { browser, form: { form_token, request: request.replaceAll('&amp;', '&') } };
    };

    it('does not sign out', async () => {
      const { browser, form } = await start(app);
      for (const request of [form.request, '']) await browser.post(logout, { ...form, request });
      expect(isSignInPage(await open(gatehouse, codeRequest(app[0]).parameters, browser))).toBe(false);
    });

    it('does not give consent', async () => {
      const client = await register(gatehouse, { require_consent: true });
      const { browser, form } = await start(client);
      const { status, headers } = await browser.post(`${gatehouse.authUrl}/oauth/consent`, {
        ...form,
        decision: 'allow',
      });
      expect([status, headers.location]).toEqual([403, undefined]);
      const asked = await open(gatehouse, codeRequest(client[0]).parameters, browser);
      expect([asked.status, asked.text]).toEqual([200, expect.stringContaining('action="consent"')]);
    });
  });
});
