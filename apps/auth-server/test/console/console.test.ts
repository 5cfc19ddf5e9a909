import { readFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type CallOptions, callWithProof, createClientKey } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { consoleClientId } from '../support/console.ts';
import { administrator, type Realm, startRealm, webClient } from '../support/realm.ts';
import { type Replica, startReplica } from '../support/replica.ts';

const built = new URL('../../../../packages/console/dist/', import.meta.url);
const readBuilt = (name: string) => readFileSync(new URL(name, built));
const manifest = JSON.parse(readBuilt('manifest.json').toString()) as {
  main: string;
  style: string;
  preload: string[];
};

let realm: Realm;
beforeAll(async () => {
  realm = await startRealm();
});
afterAll(() => realm.close());

const get = (path: string, headers: Record<string, string> = {}) => realm.app.inject({ url: path, headers });

describe('the page of the console', () => {
  it.each(['/console', '/console/', '/console/callback?code=x', '/console/clients/web/settings', '/console/a%2Fb'])(
    'is the same at %s',
    async (path) => {
      const { statusCode, headers, body } = await get(path);
      expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(body).toBe((await get('/console')).body);
    },
  );

  it('names its files, and has no script or style of its own', async () => {
    const { body } = await get('/console');
    expect(body).toContain('<html lang="en">');
    expect(body).toContain('<title>Gatehouse</title>');
    expect(body).toContain('<div id="app"></div>');
    expect(body).toMatch(/<noscript>[^<]+<\/noscript>/);
    expect(body).toContain(`<link rel="stylesheet" href="/console/assets/${manifest.style}">`);
    for (const name of [manifest.main, ...manifest.preload]) {
      expect(body).toContain(`<link rel="modulepreload" href="/console/assets/${name}">`);
    }
    expect(body.match(/<script.*?<\/script>/gs)).toEqual(['<script type="module" src="/console/start.js"></script>']);
    expect(body).not.toMatch(/<style|style=|\son\w+=/);
  });

  it('has an icon below its assets', async () => {
    const { body } = await get('/console');
    const [, path = '', type] = /<link rel="icon" href="([^"]+)" type="([^"]+)">/.exec(body) ?? [];
    expect(path).toMatch(/^\/console\/assets\/icon-/);
    const { statusCode, headers } = await get(path);
    expect([statusCode, headers['content-type']]).toEqual([200, type]);
  });

  it('lets no other script run, and calls nothing but what it needs', async () => {
    const { headers } = await get('/console');
    const { 'content-security-policy': policy, ...others } = headers;
    const [auth, org] = [realm.authUrl, realm.orgUrl];
    const administration = `${org}/organization/api/organization`;
    const called = [
      ...[`${auth}/console/settings.json`, `${auth}/oauth/token`, `${auth}/oauth/revoke`],
      ...[
        ...['clients', 'resources', 'registration-tokens', 'issuers', 'upstreams', 'sessions', 'user-data', 'grants'],
        ...['consents', 'keys', 'configuration', 'findings', 'audit-events', 'refusals', 'statistics'],
      ].flatMap((name) => [`${auth}/${name}`, `${auth}/${name}/`]),
      ...[`${auth}/health/ready`, `${auth}/openapi.json`],
      ...['user', 'user-imports', 'erasures', 'group', 'configuration', 'audit-events', 'refusals'].flatMap((name) => [
        `${administration}/${name}`,
        `${administration}/${name}/`,
      ]),
      ...[`${org}/health/ready`, `${org}/openapi.json`],
    ];
    const assets = `${auth}/console/assets/`;
    expect(policy).toBe(
      `default-src 'none'; script-src ${auth}/console/start.js ${assets}; style-src ${assets}; img-src blob: ${assets}; ` +
        `connect-src ${called.join(' ')}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; ` +
        `require-trusted-types-for 'script'; trusted-types 'none'`,
    );
    expect(others).toMatchObject({
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'permissions-policy': 'camera=(), microphone=(), geolocation=()',
      'x-robots-tag': 'noindex',
      'x-content-type-options': 'nosniff',
    });
  });

  it('is not posted to', async () => {
    const { statusCode, headers } = await realm.app.inject({ method: 'POST', url: '/console/callback' });
    expect([statusCode, headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

describe('the files of the console', () => {
  it('begin with a small script that is never kept', async () => {
    const { statusCode, headers, rawPayload } = await get('/console/start.js');
    expect([statusCode, rawPayload]).toEqual([200, readBuilt('start.js')]);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'text/javascript; charset=utf-8',
    });
  });

  it.each([
    [manifest.main, 'text/javascript; charset=utf-8'],
    [manifest.style, 'text/css; charset=utf-8'],
  ])('are kept for ever: %s', async (name, type) => {
    for (const method of ['GET', 'HEAD'] as const) {
      const { statusCode, headers, rawPayload } = await realm.app.inject({ method, url: `/console/assets/${name}` });
      const bytes = readBuilt(`assets/${name}`);
      expect([statusCode, rawPayload]).toEqual([200, method === 'GET' ? bytes : Buffer.alloc(0)]);
      expect(headers).toMatchObject({
        ...{ 'content-type': type, 'content-length': String(bytes.length), vary: 'Accept-Encoding' },
        'cache-control': 'public, max-age=31536000, immutable',
      });
      expect(headers).not.toHaveProperty('content-encoding');
    }
  });

  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0.5, gzip;q=1', 'br'],
    ['gzip, br;q=0', 'gzip'],
    ['GZIP', 'gzip'],
    ['deflate', undefined],
    ['br;q=0', undefined],
  ])('are compressed for %j', async (accept, encoding) => {
    const answer = await get(`/console/assets/${manifest.main}`, { 'accept-encoding': accept });
    expect([answer.headers['content-encoding'], answer.headers.vary]).toEqual([encoding, 'Accept-Encoding']);
    const unpack = { br: brotliDecompressSync, gzip: gunzipSync }[encoding ?? ''] ?? ((bytes: Buffer) => bytes);
    expect(unpack(answer.rawPayload)).toEqual(readBuilt(`assets/${manifest.main}`));
  });

  it.each([
    'gone-ABCDEFGH.js',
    `${manifest.main}.br`,
    `${manifest.main}.gz`,
    '',
    '..%2Fmanifest.json',
    '..%2f..%2fbuild.mjs',
    '%2e%2e%2fstart.js',
    '..%5Cstart.js',
    'a/b.js',
    '.js',
    'file:%2F%2F%2Fetc%2Fpasswd.js',
    `${manifest.main}%00.js`,
  ])('are no others: %j', async (name) => {
    const { statusCode, headers } = await get(`/console/assets/${name}`);
    expect([statusCode, headers['cache-control']]).toEqual([404, 'no-store']);
  });
});

describe('the settings of the console', () => {
  it('say where it is, and nothing else', async () => {
    const named = await startReplica(realm, { DISPLAY_NAME: 'Örtliche Bank', REALM: 'main' });
    try {
      const { status, headers, ...answer } = await named.send('/console/settings.json');
      expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
      expect(answer.json()).toEqual({
        ...{ issuer: realm.authUrl, base_url: realm.orgUrl, realm: 'main', display_name: 'Örtliche Bank' },
        client_id: consoleClientId,
      });
      expect((await get('/console/settings.json')).json()).toMatchObject({ display_name: 'main' });
    } finally {
      await named.close();
    }
  });

  it('bring the nonce that the token endpoint takes', async () => {
    const nonce = (await get('/console/settings.json')).headers['dpop-nonce'];
    const key = createClientKey();
    const htu = `${realm.authUrl}/oauth/token`;
    const form = { client_id: consoleClientId, grant_type: 'refresh_token', refresh_token: 'none' };
    const answer = await realm.send('/oauth/token', {
      form,
      headers: { dpop: key.proof({ htm: 'POST', htu, nonce }) },
    });
    expect(answer.json()).toMatchObject({ error: 'invalid_grant' });
    expect((await callWithProof(`${realm.url}/oauth/token`, key, { form })).status).toBe(400);
  });
});

describe('where there is no console', () => {
  const paths = ['/console', '/console/clients', '/console/start.js', '/console/settings.json'];
  const statusesAt = ({ send }: Pick<Replica, 'send'>) =>
    Promise.all([...paths, `/console/assets/${manifest.main}`].map(async (path) => (await send(path)).status));

  it('there is nothing at its addresses', async () => {
    const without = await startReplica(realm, { CONSOLE_URL: 'off' });
    expect(await statusesAt(without)).toEqual([404, 404, 404, 404, 404]);
    await without.close();
  });

  it('because a client is registered under its name, that is so until it is deleted', async () => {
    const without = await startReplica(realm, { CONSOLE_URL: 'off' });
    const json = { ...webClient, client_id: consoleClientId };
    await without.send('/clients', { basic: administrator, json });
    const replica = await startReplica(realm, {});
    expect(await statusesAt(replica)).toEqual([404, 404, 404, 404, 404]);
    await replica.send(`/clients/${consoleClientId}`, { method: 'DELETE', basic: administrator });
    expect(await statusesAt(replica)).toEqual([200, 200, 200, 200, 200]);
    await Promise.all([replica.close(), without.close()]);
  });
});

describe('the console at another path', () => {
  it.each([
    ['of AUTH_URL', '/auth', '/auth/administration', '/administration'],
    ['of its host', '/auth', '/console', '/console'],
    ['with characters of a policy', '', '/a;b,c', '/a;b,c'],
  ])('is there: %s', async (_where, authPath, path, route) => {
    const origin = 'https://login.example.com';
    const replica = await startReplica(realm, { AUTH_URL: origin + authPath, CONSOLE_URL: origin + path });
    try {
      const { status, text, headers } = await replica.send(`${route}/users`);
      expect([status, text]).toEqual([200, expect.stringContaining(`src="${path}/start.js"`)]);
      const escaped = path.replace(';', '%3B').replace(',', '%2C');
      expect(headers['content-security-policy']).toContain(
        `script-src ${origin}${escaped}/start.js ${origin}${escaped}/assets/;`,
      );
      expect((await replica.send(`${route}/start.js`)).status).toBe(200);
      expect((await replica.send('/console/start.js')).status).toBe(route === '/console' ? 200 : 404);
    } finally {
      await replica.close();
    }
  });
});

describe('the console at a host of its own', () => {
  const authUrl = 'https://login.example.com';
  const hosts = { host: 'login.example.com' };

  describe.each([
    ['https://console.example.com', ''],
    ['https://console.example.com/admin', '/admin'],
  ])('%s', (CONSOLE_URL, base) => {
    let replica: Replica;
    beforeAll(async () => {
      replica = await startReplica(realm, { AUTH_URL: authUrl, CONSOLE_URL });
    });
    afterAll(() => replica.close());
    const at = (host: string, path: string, options: CallOptions = {}) =>
      replica.send(path, { ...options, headers: { host, ...options.headers } });
    const own = 'console.example.com';

    it('is there, with its files', async () => {
      for (const path of [base || '/', `${base}/`, `${base}/clients/web?a=b`, `${base}/callback?code=x`]) {
        const { status, text } = await at(own, path);
        expect([path, status]).toEqual([path, 200]);
        expect(text).toContain(`<script type="module" src="${base}/start.js">`);
      }
      expect((await at(own, `${base}/start.js`)).text).toBe(readBuilt('start.js').toString());
      expect((await at(own, `${base}/assets/${manifest.main}`)).status).toBe(200);
      expect((await at(own, `${base}/settings.json`)).json()).toMatchObject({ issuer: authUrl });
      expect((await at(own, `${base}/assets/gone.js`)).status).toBe(404);
    });

    it('is known by the header Host alone, in any case, with any port', async () => {
      for (const host of ['CONSOLE.example.com', `${own}:8443`]) {
        expect([host, (await at(host, `${base}/settings.json`)).status]).toEqual([host, 200]);
      }
      const toConsole = { 'x-forwarded-host': own, forwarded: `host=${own}` };
      expect((await at(hosts.host, `${base}/settings.json`, { headers: toConsole })).status).toBe(404);
      const fromConsole = { 'x-forwarded-host': hosts.host, forwarded: `host=${hosts.host}` };
      expect((await at(own, `${base}/settings.json`, { headers: fromConsole })).status).toBe(200);
      expect((await at(own, '/oauth/jwks', { headers: fromConsole })).text).not.toContain('"keys"');
    });

    it.each([
      ...['/oauth/token', '/oauth/authorize', '/account', '/clients', '/docs', '/metrics', '/health/live', '/-'],
      ...['/oauth/jwks', '/.well-known/openid-configuration', '/console', '/console/start.js'],
    ])('has nothing but the console at %s', async (path) => {
      const [{ status, text }, post] = await Promise.all([at(own, path), at(own, path, { form: { a: 'b' } })]);
      // Without a path of its own, every path is one of the console.
      const expected = base === '' ? [200, true, 405] : [404, false, 404];
      expect([status, text.includes('<div id="app">'), post.status]).toEqual(expected);
    });

    it('is nowhere else', async () => {
      for (const path of [
        '/console',
        '/console/',
        '/%63onsole',
        '/console/settings.json',
        '/admin',
        '/admin/start.js',
      ]) {
        for (const host of [hosts.host, '10.0.0.7:9000', 'evil-console.example.com']) {
          expect([host, path, (await at(host, path)).status]).toEqual([host, path, 404]);
        }
      }
      expect((await at(hosts.host, '/oauth/jwks')).status).toBe(200);
      expect((await at('10.0.0.7:9000', '/health/live')).status).toBe(200);
    });

    it('calls the token endpoint and administration from there', async () => {
      const origin = 'https://console.example.com';
      for (const path of ['/oauth/token', '/oauth/revoke', '/clients/web']) {
        const headers = { origin, 'access-control-request-method': 'POST' };
        const preflight = await at(hosts.host, path, { method: 'OPTIONS', headers });
        expect([path, preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([path, 204, origin]);
      }
    });
  });

  it('may be told apart by the port alone', async () => {
    const replica = await startReplica(realm, {
      AUTH_URL: 'http://localhost:9000',
      CONSOLE_URL: 'http://localhost:9002',
    });
    const statusAt = async (host: string) => (await replica.send('/settings.json', { headers: { host } })).status;
    expect([await statusAt('localhost:9002'), await statusAt('localhost:9000'), await statusAt('localhost')]).toEqual([
      200, 404, 404,
    ]);
    await replica.close();
  });
});
