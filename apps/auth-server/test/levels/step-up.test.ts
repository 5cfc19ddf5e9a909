import { randomBytes } from 'node:crypto';
import { createTestBrowser, type TestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { en } from '../../src/pages/messages/en.ts';
import { authorizePath, codeRequest, createPkce, readRedirect, signIn, userForm } from '../support/browser.ts';
import { deviceGrant, useDevices } from '../support/device.ts';
import {
  administrator,
  callback,
  type Realm,
  type Registration,
  readClaims,
  type TokenAnswer,
} from '../support/realm.ts';
import { administerResources, type RegisteredResource } from '../support/resources.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const [password, mfa] = ['urn:gatehouse:acr:password', 'urn:gatehouse:acr:mfa'];

interface SignInClaims {
  acr: string;
  amr: string[];
  auth_time: number;
  exp: number;
  iat: number;
}

describe.each(testDialects)('levels of a sign-in on %s', (dialect) => {
  let realm: Realm;
  let devices: ReturnType<typeof useDevices>;
  let resources: ReturnType<typeof administerResources>;
  let orders: RegisteredResource;

  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    devices = useDevices(realm);
    resources = administerResources(realm);
    orders = await resources.create();
  });
  afterAll(() => realm.close());
  beforeEach(async () => {
    realm.advance(6 * 60_000);
    await changeOrders({ required_acr: null, max_age: null });
  });

  const register = (changes: object = {}) =>
    realm.register({
      client_id: `client-${randomBytes(6).toString('hex')}`,
      client_secret: 'a secret of the client',
      scope: ['openid', 'offline_access', ...orders.scopes.map(({ name }) => name)],
      authorized_grant_types: [
        'authorization_code',
        'refresh_token',
        deviceGrant,
        'urn:ietf:params:oauth:grant-type:token-exchange',
      ],
      redirect_uri: callback,
      access_token_validity: 900,
      resources: [realm.orgUrl, orders.resource],
      exchange_audiences: [realm.orgUrl],
      ...changes,
    } as Registration & { client_secret: string });
  const changeOrders = async (json: object) => {
    const answer = await realm.send(`/resources/${orders.id}`, { method: 'PATCH', basic: administrator, json });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.json<Record<string, unknown>>();
  };
  /** What a second factor, which users get later, writes into the session. */
  const proveCode = () =>
    realm.deps.database.execute('UPDATE browser_sessions SET code_at = ?', [Math.floor(realm.clock() / 1000)]);
  const ask = (client: Registration, parameters: Record<string, string>, browser: TestBrowser) =>
    browser.get(realm.url + authorizePath({ ...codeRequest, client_id: client.client_id, ...parameters }));
  /** Signs in at a browser. */
  const startBrowser = async (client: Registration) => {
    const browser = createTestBrowser();
    await signIn(realm, { ...codeRequest, client_id: client.client_id, ...createPkce().parameters }, { browser });
    return browser;
  };
  const tokensOf = async (
    client: Registration,
    parameters: Record<string, string> = {},
    { browser, form = {} }: { browser?: TestBrowser; form?: Record<string, string> } = {},
  ) => {
    const { verifier, parameters: pkce } = createPkce();
    const used = browser ?? (await startBrowser(client));
    const { code = '' } = readRedirect(await ask(client, { ...pkce, ...parameters }, used)).parameters;
    const exchange = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier };
    return realm.tokenRequest(client, { ...exchange, ...form });
  };
  const errorOf = async (client: Registration, parameters: Record<string, string>, browser: TestBrowser) => {
    const answer = await ask(client, { ...createPkce().parameters, ...parameters }, browser);
    return answer.status === 200 ? 'page' : readRedirect(answer).parameters.error;
  };
  const claimsOf = (token = '') => {
    const { acr, amr, auth_time, exp, iat } = readClaims<SignInClaims>(token);
    return { acr, amr, auth_time, exp, iat };
  };
  const codeOf = (answer: { status: number; json<T>(): T }) => {
    const { error, error_description: description } = answer.json<{ error: string; error_description: string }>();
    return [answer.status, error, description];
  };

  it('are said by ID token, access token and introspection alike', async () => {
    const client = await register();
    const { access_token, id_token } = (await tokensOf(client)).json<TokenAnswer>();
    const expected = { acr: password, amr: ['pwd'], auth_time: expect.any(Number) };
    expect([claimsOf(id_token), claimsOf(access_token)]).toEqual([
      expect.objectContaining(expected),
      expect.objectContaining(expected),
    ]);
    const basic: [string, string] = [client.client_id, client.client_secret ?? ''];
    const told = await realm.send('/oauth/introspect', { basic, form: { token: access_token } });
    expect(told.json()).toMatchObject({ active: true, ...expected });
  });

  it('are the first that is asked for and reached, and go with the grant through refresh and exchange', async () => {
    const client = await register();
    const browser = await startBrowser(client);
    await proveCode();
    const first = async (parameters: object) =>
      claimsOf((await tokensOf(client, { ...parameters }, { browser })).json<TokenAnswer>().id_token);
    expect(await first({})).toMatchObject({ acr: mfa, amr: ['pwd', 'otp', 'mfa'] });
    expect(await first({ acr_values: `urn:other phr ${password}` })).toMatchObject({ acr: password, amr: ['pwd'] });
    const tokens = (await tokensOf(client, {}, { browser })).json<TokenAnswer>();
    const { auth_time } = claimsOf(tokens.access_token);
    realm.advance(60_000);
    const refreshed = await realm.tokens(client, {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token ?? '',
    });
    expect(claimsOf(refreshed.id_token)).toMatchObject({ acr: mfa, auth_time });
    const exchanged = await realm.tokens(client, {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: refreshed.access_token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    });
    expect(claimsOf(exchanged.access_token)).toMatchObject({ acr: mfa, amr: ['pwd', 'otp', 'mfa'], auth_time });
  });

  it('are asked for by the client where the request does not', async () => {
    const client = await register({ default_acr_values: [password], default_max_age: 120 });
    const browser = await startBrowser(client);
    await proveCode();
    expect(claimsOf((await tokensOf(client, {}, { browser })).json<TokenAnswer>().id_token).acr).toBe(password);
    realm.advance(180_000);
    expect(await errorOf(client, {}, browser)).toBe('page');
    expect(await errorOf(client, { max_age: '600' }, browser)).toBeUndefined();
  });

  it.each([
    ['the client', { required_acr: mfa }, {}],
    ['a resource', {}, { required_acr: mfa }],
  ])(
    'that %s requires and the user does not reach are a page to set a second step up, and an error with prompt=none',
    async (_who, ofClient, ofResource) => {
      const client = await register(ofClient);
      await changeOrders(ofResource);
      const browser = await startBrowser(await register());
      const request = { resource: orders.resource, acr_values: password as string };
      expect(await errorOf(client, request, browser)).toBe('page');
      expect(await errorOf(client, { ...request, prompt: 'none' }, browser)).toBe('login_required');
      await proveCode();
      const tokens = (await tokensOf(client, request, { browser })).json<TokenAnswer>();
      expect(claimsOf(tokens.access_token).acr).toBe(mfa);
    },
  );

  it('that are essential are reached, or a page to set a second step up', async () => {
    const client = await register();
    const browser = await startBrowser(client);
    const claims = JSON.stringify({ id_token: { acr: { essential: true, values: [mfa, 'urn:other'] } } });
    expect(await errorOf(client, { claims }, browser)).toBe('page');
    const higher = JSON.stringify({ id_token: { acr: { essential: true, value: 'phr' } } });
    expect(await errorOf(client, { claims: higher }, browser)).toBe('page');
    await proveCode();
    expect(claimsOf((await tokensOf(client, { claims }, { browser })).json<TokenAnswer>().id_token).acr).toBe(mfa);
  });

  it('that a resource has required since end no grant, and give no token for that resource', async () => {
    const client = await register();
    const resource = orders.resource;
    const granted = new URLSearchParams([
      ['resource', realm.orgUrl],
      ['resource', resource],
    ]).toString();
    const browser = await startBrowser(client);
    const { verifier, parameters } = createPkce();
    const path = authorizePath({ ...codeRequest, client_id: client.client_id, scope: '', ...parameters });
    const redirect = await browser.get(`${realm.url}${path.replace('&scope=', '')}&${granted}`);
    const { code = '' } = readRedirect(redirect).parameters;
    const exchange = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier };
    const tokens = await realm.tokens(client, exchange);
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '', resource };
    expect((await realm.tokenRequest(client, refresh)).status).toBe(200);
    await changeOrders({ required_acr: mfa });
    const again = { ...refresh, refresh_token: tokens.refresh_token ?? '' };
    expect(codeOf(await realm.tokenRequest(client, again))).toEqual([
      400,
      'invalid_grant',
      expect.stringContaining(`acr_values=${mfa}`),
    ]);
    await changeOrders({ required_acr: null });
    expect((await realm.tokenRequest(client, again)).status).toBe(200);
    const subject = {
      subject_token: tokens.access_token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    };
    const exchanging = { grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange', ...subject, resource };
    expect((await realm.tokenRequest(client, exchanging)).status).toBe(200);
    await changeOrders({ required_acr: mfa });
    expect(codeOf(await realm.tokenRequest(client, exchanging)).slice(0, 2)).toEqual([400, 'invalid_request']);
  });

  it('grow old: a token of a resource with max_age ends with it, and a later one is refused', async () => {
    const client = await register();
    await changeOrders({ max_age: 300 });
    const resource = orders.resource;
    const tokens = (await tokensOf(client, { resource })).json<TokenAnswer>();
    const { auth_time, exp, iat } = claimsOf(tokens.access_token);
    expect([exp, tokens.expires_in]).toEqual([auth_time + 300, exp - iat]);
    realm.advance(300_000);
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' };
    expect(codeOf(await realm.tokenRequest(client, refresh))).toEqual([
      400,
      'invalid_grant',
      expect.stringContaining('max_age=300'),
    ]);
  });

  it('are none of a client’s own token', async () => {
    const client = await register({ authorized_grant_types: ['client_credentials'], exchange_audiences: undefined });
    await changeOrders({ required_acr: mfa, max_age: 60 });
    const tokens = await realm.tokens(client, { grant_type: 'client_credentials', resource: orders.resource });
    expect(readClaims(tokens.access_token)).toEqual(expect.not.objectContaining({ acr: expect.anything() }));
  });

  describe('at the grant type password', () => {
    const ask = (client: Registration, form: Record<string, string> = {}) =>
      realm.tokenRequest(client, { grant_type: 'password', ...userForm, ...form });
    const passwords = { authorized_grant_types: ['password'], redirect_uri: undefined, exchange_audiences: undefined };

    it('are the lowest', async () => {
      const tokens = (await ask(await register(passwords))).json<TokenAnswer>();
      expect(claimsOf(tokens.access_token)).toMatchObject({ acr: password, amr: ['pwd'] });
    });

    it('cannot be those of a resource that requires more', async () => {
      await changeOrders({ required_acr: mfa });
      const answer = await ask(await register(passwords), { resource: orders.resource });
      expect(codeOf(answer).slice(0, 2)).toEqual([400, 'invalid_grant']);
    });

    it('are refused to a client that requires more, at registration and later', async () => {
      const registration = { client_id: 'of-passwords', client_secret: 'a secret', scope: ['openid'] };
      const json = {
        ...registration,
        authorized_grant_types: ['password'],
        access_token_validity: 60,
        required_acr: mfa,
      };
      const answer = await realm.send('/clients', { basic: administrator, json });
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('required_acr')]);
      const client = await register(passwords);
      await realm.deps.database.execute('UPDATE clients SET metadata = ? WHERE client_id = ?', [
        JSON.stringify({ required_acr: mfa }),
        client.client_id,
      ]);
      realm.advance(60_000);
      const refused = async () => codeOf(await ask(client)).slice(0, 2);
      expect(await refused()).toEqual([400, 'unauthorized_client']);
    });
  });

  describe('of a device', () => {
    it('are those of its user’s sign-in', async () => {
      const tokens = await devices.connect(await register(), { scope: 'openid', acr_values: 'urn:other' });
      expect(claimsOf(tokens.id_token)).toMatchObject({ acr: password, amr: ['pwd'] });
    });

    it('are asked for as recently as the device says', async () => {
      const client = await register();
      const browser = await devices.signIn();
      const started = await devices.start(client, { max_age: '60' });
      realm.advance(90_000);
      const page = await devices.open(browser, started.user_code);
      expect(page.text).toContain('name="password"');
      const decision = await browser.submit(page, devices.page, userForm);
      expect(decision.text).toContain('Allow this device?');
    });

    it('are not reached where the client requires more: the user sets a second step up', async () => {
      const client = await register({ required_acr: mfa });
      const browser = await devices.signIn();
      const started = await devices.start(client);
      const refused = await devices.open(browser, started.user_code);
      expect([refused.status, refused.text]).toEqual([200, expect.stringContaining(en.setUp.required)]);
      await proveCode();
      const page = await devices.open(browser, started.user_code);
      await browser.submit(page, devices.page, { decision: 'allow' });
      const tokens = (await devices.poll(client, started)).json<TokenAnswer>();
      expect(claimsOf(tokens.id_token).acr).toBe(mfa);
    });

    it.each([{ acr_values: 'x '.repeat(11) }, { acr_values: 'x'.repeat(256) }, { max_age: 'soon' }])(
      'are asked for in bounds: %j',
      async (form) => {
        const answer = await devices.authorize(await register(), form as unknown as Record<string, string>);
        expect([answer.status, answer.json<{ error: string }>().error]).toEqual([400, 'invalid_request']);
      },
    );
  });

  describe('in registrations', () => {
    it('come back, and go with null', async () => {
      const fields = { default_acr_values: ['phr', mfa], default_max_age: 0, required_acr: mfa };
      const client = await register(fields);
      const path = `/clients/${client.client_id}`;
      expect((await realm.send(path, { basic: administrator })).json()).toMatchObject(fields);
      const json = { default_acr_values: null, default_max_age: null, required_acr: null };
      await realm.send(path, { method: 'PATCH', basic: administrator, json });
      const left = (await realm.send(path, { basic: administrator })).json<object>();
      for (const name of Object.keys(fields)) expect(left).not.toHaveProperty(name);
      expect(await changeOrders({ required_acr: 'phr', max_age: 60 })).toMatchObject({
        required_acr: 'phr',
        max_age: 60,
      });
      const cleared = await changeOrders({ required_acr: null, max_age: null });
      for (const name of ['required_acr', 'max_age']) expect(cleared).not.toHaveProperty(name);
    });

    it.each([{ default_acr_values: ['phr', 'gold'] }, { required_acr: 'gold' }])(
      'of clients are levels, and a fault names the one that is not: %j',
      async (fields) => {
        const { client_id } = await register();
        const answer = await realm.send(`/clients/${client_id}`, {
          method: 'PATCH',
          basic: administrator,
          json: fields,
        });
        expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('\\"gold\\" is no level')]);
      },
    );

    it.each([{ default_max_age: -1 }, { default_max_age: 86_401 }, { default_acr_values: [] }])(
      'have bounds: %j',
      async (json) => {
        const { client_id } = await register();
        const answer = await realm.send(`/clients/${client_id}`, { method: 'PATCH', basic: administrator, json });
        expect(answer.status).toBe(400);
      },
    );

    it.each([{ required_acr: 'gold' }, { max_age: 59 }, { max_age: 86_401 }])('of resources too: %j', async (json) => {
      const answer = await realm.send(`/resources/${orders.id}`, { method: 'PATCH', basic: administrator, json });
      expect(answer.status).toBe(400);
    });
  });
});
