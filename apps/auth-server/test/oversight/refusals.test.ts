import { listOperationsOf, type Operation } from '@gatehouse/fuzz';
import { type CallOptions, createTestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createBrowserWith } from '../support/account.ts';
import { authorizePath, codeRequest, signIn, userForm } from '../support/browser.ts';
import { commandLine, useDevices } from '../support/device.ts';
import { administerOrganization } from '../support/organization.ts';
import { administrator, encodeForm, passwordOf, type Realm, startRealm, webClient } from '../support/realm.ts';
import { startReplica } from '../support/replica.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

interface Refusal extends Record<string, string | number | undefined> {
  id: string;
  request: string;
}
interface Page {
  refusals: Refusal[];
  next_cursor?: string;
}

const idpAdministrator: [string, string] = ['idp@example.com', 'idp-password'];
const reader: [string, string] = ['reader@example.com', 'reader-password'];
const web: [string, string] = ['web', 'web-secret'];
const disabled = { username: 'Disabled@Example.com', password: 'disabled-password' };

describe.each(testDialects)('refusals on %s', (dialect) => {
  let realm: Realm;
  let requests = 0;
  const nextRequest = () => {
    requests += 1;
    return `request-${requests}`;
  };
  const list = async (query: Record<string, string>): Promise<Page> => {
    const answer = await realm.send(`/refusals?${encodeForm(query)}`, { basic: administrator });
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    return answer.json<Page>();
  };
  /** The refusal of the request; undefined where none is kept. */
  const refusalOf = async (request: string) => {
    const { refusals } = await list({ request });
    expect(refusals.length).toBeLessThan(2);
    return refusals[0];
  };
  const refuse = async (path: string, { headers, ...options }: CallOptions = {}) => {
    const request = nextRequest();
    const { status } = await realm.send(path, { ...options, headers: { 'x-request-id': request, ...headers } });
    return { status, refusal: await refusalOf(request) };
  };
  /** By the form of the sign-in page. */
  const refuseSignIn = async (user: Record<string, string>) => {
    const request = nextRequest();
    const browser = createBrowserWith({ 'x-request-id': request });
    const answer = await signIn(realm, codeRequest, { browser, user });
    return { status: answer.status, refusal: await refusalOf(request) };
  };

  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    await realm.register(webClient);
    const organization = await administerOrganization(realm);
    const person = { firstName: 'Ida', lastName: 'Person' };
    await organization.create({ ...person, ...disabled });
    await organization.change(disabled.username, { enabled: false });
    for (const [[username, password], role] of [
      [idpAdministrator, 'IdpAdministrator'],
      [reader, 'DirectoryReader'],
    ] as const) {
      await organization.create({ ...person, username, password, roles: [role] });
    }
  });
  afterAll(() => realm.close());

  it('tell why a request was refused, what to do, and from where it came', async () => {
    const before = realm.clock();
    const { status, refusal } = await refuse('/oauth/token', {
      basic: ['web', 'wrong'],
      form: passwordOf('user'),
      headers: { 'x-forwarded-for': '2001:db8:1:2:3::4' },
    });
    expect(status).toBe(401);
    expect(refusal).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      request: `request-${requests}`,
      time: expect.any(String),
      operation: 'issueToken',
      status: 401,
      code: 'invalid_client',
      reason: 'no such client, or another secret',
      advice: expect.stringContaining('Compare client_id'),
      client: 'web',
      network: '2001:db8:1:2::/64',
    });
    const at = Date.parse(String(refusal?.time));
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(realm.clock());
  });

  it.each<[what: string, path: string, options: CallOptions, refusal: object]>([
    [
      'a client that does not exist',
      '/oauth/token',
      { basic: ['nobody', 'secret'], form: passwordOf('user') },
      { code: 'invalid_client', client: undefined, reason: 'no client has this client_id' },
    ],
    [
      'a wrong password by the password grant',
      '/oauth/token',
      { basic: web, form: { ...passwordOf('user'), password: 'wrong' } },
      { code: 'invalid_grant', client: 'web', user: 'user@example.com', reason: 'the password is wrong' },
    ],
    [
      'a client that proved itself',
      '/oauth/token',
      { basic: web, form: { grant_type: 'refresh_token', refresh_token: 'none' } },
      { code: 'invalid_grant', client: 'web', user: undefined, reason: 'no such refresh token, or expired' },
    ],
    [
      'an unknown client at the authorization endpoint',
      authorizePath({ ...codeRequest, client_id: 'nobody' }),
      {},
      { operation: 'authorize', status: 400, code: 'untrusted_request', client: undefined },
    ],
    [
      'a wrong redirect URI',
      authorizePath({ ...codeRequest, redirect_uri: 'https://elsewhere.example.com/' }),
      {},
      { operation: 'authorize', status: 400, code: 'untrusted_request', client: 'web' },
    ],
    [
      'an error that goes back to the client',
      authorizePath({ ...codeRequest, prompt: 'none' }),
      {},
      { operation: 'authorize', status: 400, code: 'login_required', client: 'web' },
    ],
    [
      'an administrator who asks for nothing that is there',
      '/clients/nobody',
      { basic: administrator },
      { operation: 'getClient', status: 404, code: 'not_found', user: 'admin@example.com' },
    ],
    [
      'a user who is no administrator',
      '/clients',
      { basic: reader },
      { operation: 'listClients', status: 403, code: 'forbidden', user: reader[0] },
    ],
    [
      'a wrong password of an administrator',
      '/clients',
      { basic: ['admin@example.com', 'wrong'] },
      { status: 401, code: 'unauthorized', user: 'admin@example.com', reason: 'the password is wrong' },
    ],
    [
      'a token that is none',
      '/oauth/userinfo',
      { bearer: 'none' },
      { operation: 'getUserinfo', status: 401, code: 'invalid_token' },
    ],
    [
      'a bad post_logout_redirect_uri',
      '/oauth/logout?post_logout_redirect_uri=https://elsewhere.example.com/',
      {},
      { operation: 'signOut', status: 400, code: 'invalid_request' },
    ],
    [
      'a field that nobody knows',
      '/clients',
      { basic: administrator, json: { client_id: 'x', my_password: 'hunter2' } },
      { operation: 'registerClient', status: 400, reason: expect.stringMatching(/^"…" is not a known field; /) },
    ],
  ])('are kept of %s', async (_what, path, options, expected) => {
    const { refusal } = await refuse(path, options);
    expect({ client: undefined, user: undefined, ...refusal }).toEqual(expect.objectContaining(expected));
  });

  it('say of a sign-in what its page does not: no such user, a wrong password, a disabled user', async () => {
    const known = { operation: 'POST /oauth/sign-in', status: 400, code: 'wrong_credentials', client: 'web' };
    expect(await refuseSignIn({ ...userForm, password: 'wrong' })).toEqual({
      status: 400,
      refusal: expect.objectContaining({ ...known, user: userForm.username, reason: 'the password is wrong' }),
    });
    const { refusal: unknown } = await refuseSignIn({ ...userForm, username: 'nobody@example.com' });
    expect(unknown).toEqual(expect.objectContaining({ ...known, reason: 'no user has this username' }));
    expect(unknown).not.toHaveProperty('user');
    const { refusal } = await refuseSignIn(disabled);
    expect(refusal).toEqual(
      expect.objectContaining({
        ...{ ...known, user: 'disabled@example.com', reason: 'the user is disabled' },
        advice: 'Enable the user, where that is meant',
      }),
    );
    expect(await list({ user: 'DISABLED@example.com' })).toEqual({ refusals: [refusal] });
  });

  it('are kept of a form that another browser got', async () => {
    const { refusal } = await refuse('/oauth/sign-in', {
      form: { ...userForm, request: encodeForm(codeRequest), form_token: 'x' },
    });
    expect(refusal).toEqual(expect.objectContaining({ status: 403, code: 'stale_form', client: 'web' }));
  });

  it('are kept of a wrong user code', async () => {
    await realm.register(commandLine);
    const request = nextRequest();
    const browser = createBrowserWith({ 'x-request-id': request });
    await signIn(realm, codeRequest, { browser });
    const page = await browser.get(`${realm.url}/oauth/device`);
    const answer = await browser.submit(page, `${realm.url}/oauth/device`, { user_code: 'BCDF-GHJK' });
    expect(answer.status).toBe(400);
    expect(await refusalOf(request)).toEqual(
      expect.objectContaining({ operation: 'connectDeviceByForm', code: 'wrong_credentials', user: userForm.username }),
    );
  });

  it('are not kept where nothing was refused: unknown paths, steps of a protocol, successes', async () => {
    const devices = useDevices(realm);
    const device = await devices.start(commandLine);
    const waiting = nextRequest();
    const { client_id } = commandLine;
    const form = {
      client_id,
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: device.device_code,
    };
    const answer = await realm.send('/oauth/token', { form, headers: { 'x-request-id': waiting } });
    expect(answer.json()).toMatchObject({ error: 'authorization_pending' });
    expect(await refusalOf(waiting)).toBeUndefined();
    for (const path of ['/nothing-here', '/assets/nothing.css', '/oauth/jwks', '/health/ready']) {
      expect((await refuse(path)).refusal).toBeUndefined();
    }
    expect((await refuse('/oauth/token', { method: 'GET' })).status).toBe(405);
    expect(await refusalOf(`request-${requests}`)).toBeUndefined();
  });

  it('are found by each filter, newest first, a page at a time', async () => {
    const network = { 'x-forwarded-for': '192.0.2.77' };
    const from = new Date(realm.clock()).toISOString();
    const all: Refusal[] = [];
    for (const form of [
      { grant_type: 'none' },
      { grant_type: 'implicit' },
      { ...passwordOf('user'), username: 'nobody@example.com' },
    ]) {
      const options: CallOptions = { basic: web, form, headers: network };
      all.unshift((await refuse('/oauth/token', options)).refusal as Refusal);
    }
    const unrelated = (await refuse('/clients/nobody', { basic: administrator, headers: network })).refusal as Refusal;
    const of = { client: 'web', from };
    const first = await list({ ...of, limit: '2' });
    expect(first).toEqual({ refusals: all.slice(0, 2), next_cursor: all[1]?.id });
    expect(await list({ ...of, limit: '2', cursor: String(first.next_cursor) })).toEqual({ refusals: all.slice(2) });
    expect(await list({ from, code: 'invalid_grant' })).toEqual({ refusals: all.slice(0, 1) });
    expect(await list({ from, status: '404' })).toEqual({ refusals: [unrelated] });
    expect(await list({ from, user: administrator[0] })).toEqual({ refusals: [unrelated] });
    expect(await list({ ...of, to: from })).toEqual({ refusals: [] });
    expect(await list({ from, request: unrelated.request })).toEqual({ refusals: [unrelated] });
  });

  it('of one request are the oldest 20, each with its network', async () => {
    const id = 'chosen-by-callers';
    for (let index = 1; index <= 22; index += 1) {
      const headers = { 'x-request-id': id, 'x-forwarded-for': `192.0.2.${index}` };
      await realm.send('/oauth/userinfo', { bearer: 'none', headers });
    }
    const answer = await realm.send(`/refusals/${id}`, { basic: administrator });
    expect(answer.headers['cache-control']).toBe('no-store');
    const networks = answer.json<Page>().refusals.map(({ network }) => network);
    expect(networks).toEqual(Array.from({ length: 20 }, (_, index) => `192.0.2.${index + 1}`));
  });

  it.each(['never-sent', 'short', 'n%C3%B6', 'x'.repeat(300), '%00'])('of %s there are none', async (id) => {
    const answer = await realm.send(`/refusals/${id}`, { basic: administrator });
    expect([answer.status, answer.json<{ detail: string }>().detail]).toEqual([
      404,
      'no refusal of this request is kept: it is older than a day, was left out, or succeeded',
    ]);
  });

  it('are read by both administrators, and by nobody else', async () => {
    for (const path of ['/refusals', '/refusals/request-1']) {
      expect((await realm.send(path, { basic: idpAdministrator })).status).toBe(200);
      expect((await realm.send(path, { basic: reader })).status).toBe(403);
      expect((await realm.send(path)).status).toBe(401);
    }
  });

  it.each([
    'status=200',
    'status=4',
    'code=No',
    'request=x',
    'client=%20',
    'user=',
    'from=x',
    'limit=0',
    'cursor=x',
    'x=y',
  ])('cannot be asked for by %s', async (query) => {
    expect((await realm.send(`/refusals?${query}`, { basic: administrator })).status).toBe(400);
  });

  it('of a flood are 100 of a network and three of a client; the others are left out, counted, and hide nothing', async () => {
    realm.advance(300_001);
    const from = new Date(realm.clock()).toISOString();
    const flood = { 'x-forwarded-for': '203.0.113.9' };
    for (let sent = 0; sent < 110; sent += 1) await realm.send('/oauth/userinfo', { bearer: 'none', headers: flood });
    for (let sent = 0; sent < 5; sent += 1) {
      await realm.send('/oauth/token', { basic: web, form: { grant_type: 'x' }, headers: flood });
    }
    await realm.send('/oauth/userinfo', { bearer: 'none', headers: { 'x-forwarded-for': '203.0.113.10' } });
    const { refusals } = await list({ from, limit: '200' });
    const count = (members: object) =>
      refusals.filter((one) => expect.objectContaining(members).asymmetricMatch(one)).length;
    expect(count({ code: 'invalid_token', network: '203.0.113.9' })).toBe(100);
    expect(count({ client: 'web', network: '203.0.113.9' })).toBe(3);
    expect(count({ network: '203.0.113.10' })).toBe(1);
    const metrics = (await realm.send('/metrics')).text;
    expect(metrics).toMatch(/^gatehouse_refusals_total\{outcome="left_out"\} 12$/m);
    // A new window begins.
    realm.advance(300_001);
    expect((await refuse('/oauth/userinfo', { bearer: 'none', headers: flood })).refusal).toBeDefined();
  });

  it('of a replica that ended are read at another one', async () => {
    const replica = await startReplica(realm, {});
    const request = nextRequest();
    await replica.send('/oauth/userinfo', { bearer: 'none', headers: { 'x-request-id': request } });
    await replica.close();
    expect(await refusalOf(request)).toBeDefined();
  });

  it('go after a day', async () => {
    const { refusal } = await refuse('/oauth/userinfo', { bearer: 'none' });
    const select = () =>
      realm.deps.database.query<{ expires_at: number; occurred_at: number }>('SELECT * FROM refusals');
    expect(refusal).toBeDefined();
    for (const row of await select()) expect(Number(row.expires_at) - Number(row.occurred_at)).toBe(86_400_000);
  });
});

describe('a refusal', () => {
  const canary = 'Canary-quux@y.example';
  const asCanary: [string, string] = [canary, canary];
  const fields = <Value>(names: readonly string[], value: Value): Record<string, Value> =>
    Object.fromEntries([...names, canary].map((name) => [name, value]));

  /** Requests that have the value wherever one can be. */
  function* hostileRequests({ method, path, query, fields: names, body }: Operation): Generator<[string, CallOptions]> {
    const encoded = encodeURIComponent(canary);
    const real = path.replaceAll('{}', encoded);
    const withQuery = `${real}?${encodeForm(fields(query, canary))}`;
    const twice = `${real}?${encoded}=1&${encoded}=2&scope=${encoded}&client_id=web&client_id=web`;
    const headers = { dpop: canary, 'if-match': canary, prefer: canary };
    // A name that is refused is refused alike whatever follows, and takes a password hash each time.
    yield [withQuery, { basic: asCanary, method, headers }];
    for (const credentials of [{ basic: administrator }, { basic: web }, { bearer: canary }, {}]) {
      const common: CallOptions = { ...credentials, method, headers };
      yield [withQuery, common];
      if (method === 'GET') yield [twice, common];
      if (body === 'form') {
        yield [real, { ...common, form: fields(names, canary) }];
        yield [
          real,
          {
            ...common,
            body: `${encoded}=1&${encoded}=2`,
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
          },
        ];
      }
      if (body === undefined) continue;
      for (const value of [canary, [canary, canary], [{ name: canary }, { name: canary }], { [canary]: canary }]) {
        yield [real, { ...common, json: fields(names, value) }];
      }
      yield [real, { ...common, body: `{${canary}`, headers: { 'content-type': 'application/json' } }];
      yield [real, { ...common, body: canary, headers: { 'content-type': `text/${canary.slice(0, 11)}` } }];
    }
  }

  it('holds no value that came with the request, whatever operation refused it', async () => {
    const realm = await startRealm({ DYNAMIC_REGISTRATION: 'open' });
    try {
      await realm.register(webClient);
      const operations = listOperationsOf('auth-server', (await realm.app.inject('/openapi.json')).json());
      let from = 0;
      for (const operation of operations.filter(({ method }) => method !== 'OPTIONS')) {
        for (const [path, options] of hostileRequests(operation)) {
          from += 1;
          // Each from a network of its own, so that none is left out.
          const headers = {
            ...options.headers,
            'x-forwarded-for': `10.${from >> 16}.${(from >> 8) & 255}.${from & 255}`,
          };
          await realm.send(path, { ...options, headers });
          if (from % 900 === 0) realm.advance(300_001);
          if (from % 400 === 0) await realm.deps.refusals.list({ limit: 1 });
        }
      }
      await realm.deps.refusals.list({ limit: 1 });
      const rows = await realm.deps.database.query<Record<string, unknown>>('SELECT * FROM refusals');
      const operationsOfRows = new Set(rows.map(({ operation }) => operation));
      expect(operationsOfRows.size).toBeGreaterThan(40);
      const leaks = rows.filter((row) => /canary|quux/i.test(JSON.stringify({ ...row, id: undefined })));
      expect(leaks).toEqual([]);
    } finally {
      await realm.close();
    }
  }, 180_000);
});

it('a page of an error shows the id by which the refusal is found', async () => {
  const realm = await startRealm();
  try {
    const answer = await createTestBrowser().get(`${realm.url}${authorizePath(codeRequest)}`);
    const id = String(answer.headers['x-request-id']);
    expect(answer.text).toContain(`<code id="reference">${id}</code>`);
    const found = await realm.send(`/refusals/${id}`, { basic: administrator });
    expect(found.json<Page>().refusals).toEqual([expect.objectContaining({ code: 'untrusted_request' })]);
  } finally {
    await realm.close();
  }
});
