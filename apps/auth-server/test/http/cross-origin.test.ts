import { type CallOptions, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { administrator, passwordOf, type Realm, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const page = 'https://spa.example.com';
const spa = {
  ...webClient,
  client_id: 'spa',
  redirect_uri: `${page}/callback?x=1`,
  redirect_uris: ['http://localhost:3000/callback', 'com.example.app:/callback', 'http://[::1]:8080/'],
};
const other = { ...webClient, client_id: 'other', redirect_uri: 'https://other.example.com:8443/' };
const credentialed = ['/oauth/token', '/oauth/revoke', '/oauth/userinfo'];
const foreign = [
  ...['https://evil.example.com', 'https://spa.example.com.evil.example.com', 'https://spa.example.com:8443'],
  ...['http://spa.example.com', 'HTTPS://spa.example.com', 'https://spa.example.com/', 'https://spa.example.com:443'],
  ...['http://localhost:3001', 'http://localhost', 'com.example.app:', 'com.example.app://', 'null', ''],
  ...[`${page}, https://evil.example.com`, '*', `${page}\u00e9`],
];

type Headers = Record<string, unknown>;
const allowed = (headers: Headers) => [
  headers['access-control-allow-origin'],
  headers['access-control-allow-credentials'],
];
const everybody = ['*', undefined];
const echoed = (origin: string) => [origin, 'true'];

describe.each(testDialects)('pages of other origins (CORS), on %s', (dialect) => {
  let realm: Realm;
  let accessToken = '';

  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    await realm.register(spa);
    await realm.register(other);
    accessToken = (await realm.tokens(spa, passwordOf('user'))).access_token;
  });
  afterAll(() => realm.close());

  const preflight = (path: string, origin: string, method = 'POST') =>
    realm.send(path, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'authorization' },
    });
  const send = (path: string, origin: string, { headers, ...options }: CallOptions = {}) =>
    realm.send(path, { ...options, headers: { origin, ...headers } });
  const login = { basic: ['spa', 'web-secret'] as [string, string] };

  describe('with credentials', () => {
    it.each(credentialed)('may ask for %s where a client has a redirect URI of their origin', async (path) => {
      for (const origin of [page, 'http://localhost:3000', 'http://[::1]:8080', 'https://other.example.com:8443']) {
        const { status, headers, text } = await preflight(path, origin);
        expect([status, text, allowed(headers)]).toEqual([204, '', echoed(origin)]);
        expect(headers).toMatchObject({
          vary: 'Origin',
          'access-control-allow-methods': 'GET, POST',
          'access-control-allow-headers': expect.stringMatching(/^Authorization, Content-Type, DPoP, /),
          'access-control-max-age': '7200',
        });
      }
    });

    it.each(credentialed)('may not ask for %s from any other origin, which is never echoed', async (path) => {
      for (const origin of foreign) {
        const { status, headers } = await preflight(path, origin);
        expect([origin, status, allowed(headers), headers.vary]).toEqual([origin, 204, everybody, 'Origin']);
      }
      expect(allowed((await realm.send(path, { method: 'OPTIONS' })).headers)).toEqual(everybody);
    });

    it.each<[string, string, () => CallOptions, number]>([
      ['tokens', '/oauth/token', () => ({ ...login, form: passwordOf('user') }), 200],
      ['a refusal after authentication', '/oauth/token', () => ({ ...login, form: { grant_type: 'magic' } }), 400],
      ['a revocation', '/oauth/revoke', () => ({ ...login, form: { token: 'none' } }), 200],
      ['a revocation of nothing', '/oauth/revoke', () => ({ ...login, form: {} }), 400],
      ['userinfo', '/oauth/userinfo', () => ({ bearer: accessToken }), 200],
      ['userinfo by POST', '/oauth/userinfo', () => ({ form: { access_token: accessToken } }), 200],
      [
        'a refusal of the token’s scheme',
        '/oauth/userinfo',
        () => ({ headers: { authorization: `DPoP ${accessToken}` } }),
        401,
      ],
    ])('read %s from %s, where they are the client’s own', async (_what, path, options, status) => {
      for (const origin of [page, 'http://localhost:3000']) {
        const answer = await send(path, origin, options());
        expect([answer.status, allowed(answer.headers), answer.headers.vary]).toEqual([
          status,
          echoed(origin),
          'Origin',
        ]);
        expect(answer.headers).not.toHaveProperty('set-cookie');
      }
      for (const origin of [...foreign, 'https://other.example.com:8443']) {
        const answer = await send(path, origin, options());
        expect([origin, answer.status, allowed(answer.headers)]).toEqual([origin, status, everybody]);
        expect(answer.headers.vary).toBe('Origin');
      }
      const { headers } = await realm.send(path, options());
      expect([allowed(headers), headers.vary]).toEqual([everybody, 'Origin']);
    });

    it.each<[string, string, CallOptions, number]>([
      ['a wrong secret', '/oauth/token', { basic: ['spa', 'wrong'], form: passwordOf('user') }, 401],
      ['JSON', '/oauth/token', { json: {} }, 415],
      ['another method', '/oauth/token', { method: 'DELETE' }, 405],
      ['too large a body', '/oauth/token', { form: { a: 'b'.repeat(70_000) } }, 400],
      ['no client', '/oauth/revoke', { form: {} }, 401],
      ['no token', '/oauth/userinfo', {}, 401],
      ['a token that is none', '/oauth/userinfo', { bearer: 'nonsense' }, 401],
      ['another method', '/oauth/userinfo', { method: 'PUT' }, 405],
    ])('read no refusal of %s from %s: no client is known', async (_what, path, options, status) => {
      const { headers, ...answer } = await send(path, page, options);
      expect([answer.status, allowed(headers), headers.vary]).toEqual([status, everybody, 'Origin']);
      expect(headers['access-control-expose-headers']).toMatch(/DPoP-Nonce.*Retry-After.*WWW-Authenticate/);
    });

    it('may ask a second after their client was registered or changed, and no longer once it is gone', async () => {
      const origin = 'https://late.example.com';
      const isEchoed = async () => allowed((await preflight('/oauth/token', origin)).headers)[0] === origin;
      const settle = () => new Promise((resolve) => setTimeout(resolve, 1000));
      const path = '/clients/late';
      const change = (json: object) => realm.send(path, { basic: administrator, method: 'PATCH', json });
      expect(await isEchoed()).toBe(false);
      await realm.register({ ...webClient, client_id: 'late' });
      await settle();
      expect(await isEchoed()).toBe(false);
      await change({ redirect_uris: [`${origin}/cb`] });
      await settle();
      expect(await isEchoed()).toBe(true);
      await change({ redirect_uris: null });
      await settle();
      expect(await isEchoed()).toBe(false);
      await change({ redirect_uri: `${origin}/cb` });
      await settle();
      expect(await isEchoed()).toBe(true);
      await realm.send(path, { basic: administrator, method: 'DELETE' });
      await settle();
      expect(await isEchoed()).toBe(false);
    });
  });

  describe('without credentials', () => {
    it.each<[string, string, CallOptions, number]>([
      ['GET', '/.well-known/openid-configuration', {}, 200],
      ['GET', '/.well-known/oauth-authorization-server', {}, 200],
      ['GET', '/oauth/jwks', {}, 200],
      ['GET', '/.well-known/jwks.json', {}, 200],
      ['GET', '/oauth/status-lists/1', {}, 404],
      ['GET', '/oauth/status-lists/x', {}, 400],
      ['POST', '/oauth/par', { form: { client_id: 'spa' } }, 401],
      ['POST', '/oauth/introspect', { form: { client_id: 'spa' } }, 401],
      ['DELETE', '/oauth/par', {}, 405],
      ['DELETE', '/oauth/jwks', {}, 405],
      ['POST', '/.well-known/openid-configuration', { form: {} }, 405],
    ])('may send %s to %s from any origin, and read the answer', async (method, path, options, status) => {
      for (const origin of [page, 'https://evil.example.com', 'null']) {
        const asked = await preflight(path, origin, method);
        expect([asked.status, allowed(asked.headers)]).toEqual([204, everybody]);
        const answer = await send(path, origin, { method, ...options });
        expect([answer.status, allowed(answer.headers)]).toEqual([status, everybody]);
        expect(answer.headers['access-control-expose-headers']).toContain('Retry-After');
      }
    });

    it.each(['/clients', '/resources', '/audit-events', '/oauth/authorize', '/oauth/sign-in', '/oauth/logout'])(
      'may not read %s, and get no answer to a preflight',
      async (path) => {
        const asked = await preflight(path, page);
        expect([asked.status, asked.headers.allow]).toEqual([405, expect.stringMatching(/GET|POST/)]);
        const answer = await send(path, page);
        for (const { headers } of [asked, answer]) expect(allowed(headers)).toEqual([undefined, undefined]);
      },
    );

    it('get a 404 where there is nothing', async () => {
      expect((await preflight('/nothing', page)).status).toBe(404);
    });
  });
});
