import type { CallOptions } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { encodeBasic, passwordOf, type Realm, type Registration, startRealm, webClient } from '../support/realm.ts';

const path = '/oauth/token';
const user = passwordOf('user');
const web: [string, string] = ['web', 'web-secret'];

describe('POST /oauth/token', () => {
  let realm: Realm;

  beforeAll(async () => {
    realm = await startRealm();
    await realm.register(webClient);
    const client_secret = undefined;
    await realm.register({
      ...webClient,
      client_id: 'public',
      client_secret,
      authorized_grant_types: ['authorization_code'],
    });
  });
  afterAll(() => realm.close());

  const post = (options: CallOptions) => realm.send(path, { method: 'POST', ...options });
  const expectError = (answer: Awaited<ReturnType<typeof post>>, status: number, error: string) => {
    expect([answer.status, answer.json()]).toEqual([
      status,
      { error, error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/) },
    ]);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.headers['cache-control']).toBe('no-store');
    if (status === 401) expect(answer.headers['www-authenticate']).toMatch(/^Basic realm="main"/);
    else expect(answer.headers).not.toHaveProperty('www-authenticate');
  };

  describe('client authentication (RFC 6749 2.3.1)', () => {
    it('takes client_secret_basic and client_secret_post', async () => {
      expect((await post({ basic: web, form: user })).status).toBe(200);
      expect((await post({ form: { ...user, client_id: 'web', client_secret: 'web-secret' } })).status).toBe(200);
      expect((await post({ basic: web, form: { ...user, client_id: 'web' } })).status).toBe(200);
    });

    it('answers 401 invalid_client alike to every client that is not proved', async () => {
      const answers = [
        await post({ basic: ['web', 'wrong'], form: user }),
        await post({ basic: ['nobody', 'wrong'], form: user }),
        await post({ basic: ['WEB', 'web-secret'], form: user }),
        await post({ basic: ['web', ''], form: user }),
        await post({ basic: ['public', 'guess'], form: user }),
        await post({ form: { ...user, client_id: 'web', client_secret: 'wrong' } }),
        await post({ form: { ...user, client_id: 'web' } }),
        await post({ form: { ...user, client_id: 'nobody' } }),
      ];
      for (const answer of answers) expectError(answer, 401, 'invalid_client');
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(answers[0]?.text).not.toMatch(/wrong"|nobody/);
    });

    it.each<[string, CallOptions]>([
      ['no client at all', { form: user }],
      ['an empty body', {}],
      ['Basic that cannot be read', { form: user, headers: { authorization: 'Basic ***' } }],
      ['a Bearer token', { form: user, bearer: 'token' }],
    ])('answers 401 invalid_client to %s', async (_case, options) => {
      expectError(await post(options), 401, 'invalid_client');
    });

    it('answers invalid_request to both ways at once, even where both are right (RFC 6749 2.3)', async () => {
      expectError(
        await post({ basic: web, form: { ...user, client_id: 'web', client_secret: 'web-secret' } }),
        400,
        'invalid_request',
      );
      expectError(await post({ basic: web, form: { ...user, client_secret: 'web-secret' } }), 400, 'invalid_request');
      expectError(await post({ basic: web, form: { ...user, client_id: 'public' } }), 400, 'invalid_request');
    });

    describe.each(['a:b::', '100%', 'a+b c', '%41%zz', 'a%2Bb', '!"#$&\'()*,/;<=>?@[\\]^`{|}~'])(
      'with the secret %j',
      (client_secret) => {
        const client = { client_id: `odd.${Buffer.from(client_secret).toString('hex')}~x`, client_secret };
        beforeAll(() => realm.register({ ...client, scope: ['openid'], authorized_grant_types: ['password'] }));
        const encode = (text: string) => new URLSearchParams({ v: text }).toString().slice(2);

        it.each<[string, CallOptions]>([
          ['raw', { basic: [client.client_id, client.client_secret] }],
          ['form-urlencoded', { basic: [encode(client.client_id), encode(client.client_secret)] }],
          ['percent-encoded', { basic: [client.client_id, encodeURIComponent(client.client_secret)] }],
        ])('takes Basic %s', async (_case, options) => {
          expect((await post({ ...options, form: user })).status).toBe(200);
        });

        it('takes it in the body, and refuses another', async () => {
          expect((await post({ form: { ...user, ...client } })).status).toBe(200);
          expectError(
            await post({ form: { ...user, ...client, client_secret: `${client_secret}x` } }),
            401,
            'invalid_client',
          );
          expectError(
            await post({ basic: [client.client_id, `x${client_secret}`], form: user }),
            401,
            'invalid_client',
          );
        });
      },
    );

    it('takes a client_id with no blank behind it', async () => {
      for (const id of ['web ', ' web', 'web+', 'web%20']) {
        expectError(
          await post({ headers: { authorization: encodeBasic(id, 'web-secret') }, form: user }),
          401,
          'invalid_client',
        );
      }
    });
  });

  describe('the request (RFC 6749 3.2)', () => {
    it.each<[string, string[][], string]>([
      ['no grant_type', [['username', 'x']], 'invalid_request'],
      ['an empty grant_type', [['grant_type', '']], 'invalid_request'],
      ['an unknown grant_type', [['grant_type', 'magic']], 'unsupported_grant_type'],
      ['grant_type in another case', [['grant_type', 'Password']], 'unsupported_grant_type'],
      ['grant_type of an object', [['grant_type', '__proto__']], 'unsupported_grant_type'],
      ['the implicit grant', [['grant_type', 'implicit']], 'unsupported_grant_type'],
      ['a grant the client is not registered for', [['grant_type', 'client_credentials']], 'unauthorized_client'],
      ['service_account for another kind of client', [['grant_type', 'service_account']], 'unauthorized_client'],
      [
        'no username',
        [
          ['grant_type', 'password'],
          ['password', 'x'],
        ],
        'invalid_request',
      ],
      [
        'no password',
        [
          ['grant_type', 'password'],
          ['username', 'x'],
        ],
        'invalid_request',
      ],
      ['no code', [['grant_type', 'authorization_code']], 'invalid_request'],
      ['no refresh_token', [['grant_type', 'refresh_token']], 'invalid_request'],
      [
        'an unknown code',
        [
          ['grant_type', 'authorization_code'],
          ['code', 'x'],
        ],
        'invalid_grant',
      ],
      [
        'an unknown refresh_token',
        [
          ['grant_type', 'refresh_token'],
          ['refresh_token', 'x'],
        ],
        'invalid_grant',
      ],
      [
        'a parameter sent twice',
        [...Object.entries(user), ['scope', 'openid'], ['scope', 'openid']],
        'invalid_request',
      ],
      ['an unknown parameter sent twice', [...Object.entries(user), ['x', '1'], ['x', '2']], 'invalid_request'],
      [
        'client_id sent twice',
        [...Object.entries(user), ['client_id', 'web'], ['client_id', 'web']],
        'invalid_request',
      ],
    ])('is refused with %s', async (_case, form, error) => {
      expectError(await post({ basic: web, form: form as [string, string][] }), 400, error);
    });

    it('ignores parameters it does not know (RFC 6749 3.2)', async () => {
      expect((await post({ basic: web, form: { ...user, foo: 'bar', audience: 'x' } })).status).toBe(200);
    });

    it.each(['text/plain', 'multipart/form-data; boundary=x'])('is a form and not %s', async (type) => {
      const body = new URLSearchParams(user).toString();
      const answer = await post({ basic: web, body, headers: { 'content-type': type } });
      expect([answer.status, answer.json().error]).toEqual([400, 'invalid_request']);
    });

    it.each(['application/json', 'application/json; charset=utf-8', 'application/problem+json'])(
      'answers 415 to %s, and says how to send the parameters',
      async (type) => {
        const answer = await post({ basic: web, body: JSON.stringify(user), headers: { 'content-type': type } });
        expect([answer.status, answer.json()]).toEqual([
          415,
          {
            error: 'invalid_request',
            error_description: 'send the parameters as application/x-www-form-urlencoded, not JSON',
          },
        ]);
      },
    );

    it('has a body of at most 64 KiB', async () => {
      const answer = await post({ basic: web, form: { ...user, padding: 'x'.repeat(70_000) } });
      expect([answer.status, answer.json().error]).toEqual([400, 'invalid_request']);
    });

    it('takes nothing from the query, where it would be logged (RFC 6749 2.3.1)', async () => {
      const query = new URLSearchParams({ ...user, client_id: 'web', client_secret: 'web-secret' });
      const answer = await realm.send(`${path}?${query}`, { form: {} });
      expect(answer.status).toBe(401);
    });

    it('is never a GET', async () => {
      const answer = await realm.send(`${path}?${new URLSearchParams(user)}`, { basic: web });
      expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
    });
  });

  describe('the answer (RFC 6749 5.1)', () => {
    it('holds the tokens, is never stored and expires as the client says', async () => {
      const answer = await post({ basic: web, form: user });
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.headers.pragma).toBe('no-cache');
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
      expect(answer.json()).toEqual({
        access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        token_type: 'Bearer',
        expires_in: 900,
        scope: webClient.scope.join(' '),
        refresh_token: expect.any(String),
        id_token: expect.any(String),
      });
    });

    it('may be read by pages of any origin, without cookies', async () => {
      const answer = await post({ basic: web, form: user, headers: { origin: 'https://spa.example.com' } });
      expect(answer.headers['access-control-allow-origin']).toBe('*');
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
      expect(answer.headers['access-control-expose-headers']).toBe(
        'DPoP-Nonce, ETag, Preference-Applied, Retry-After, WWW-Authenticate, X-Request-Id',
      );
    });

    it('may be asked for by pages of any origin, with credentials or a DPoP proof in a header', async () => {
      const headers = {
        origin: 'https://spa.example.com',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,dpop',
      };
      const answer = await realm.send('/oauth/token', { method: 'OPTIONS', headers });
      expect(answer.status).toBe(204);
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': expect.stringMatching(/^Authorization, Content-Type, DPoP, /),
      });
    });
  });

  describe('scope (RFC 6749 3.3)', () => {
    it.each([
      [undefined, webClient.scope.join(' ')],
      ['', webClient.scope.join(' ')],
      ['openid', 'openid'],
      ['email  profile email', 'email profile'],
    ])('asked as %j is granted as %j', async (scope, granted) => {
      const tokens = await realm.tokens(webClient, { ...user, ...(scope === undefined ? {} : { scope }) });
      expect(tokens.scope).toBe(granted);
    });

    it.each(['admin', 'openid admin', 'OpenID', ' ', 'openid,profile', '"'])(
      'asked as %j is invalid_scope',
      async (scope) => {
        expectError(await post({ basic: web, form: { ...user, scope } }), 400, 'invalid_scope');
      },
    );

    it('decides whether there is an ID token and a refresh token', async () => {
      const grants = (authorized_grant_types: string[]): Registration => ({
        ...webClient,
        client_id: `plain-${authorized_grant_types.length}`,
        redirect_uri: 'https://a.example/',
        authorized_grant_types,
      });
      const plain = await realm.register(grants(['password']));
      const shape = async (client: Registration, scope: string) => {
        const { id_token, refresh_token } = await realm.tokens(client, { ...user, scope });
        return { id: id_token !== undefined, refresh: refresh_token !== undefined };
      };
      expect(await shape(plain, 'profile')).toEqual({ id: false, refresh: false });
      expect(await shape(plain, 'openid')).toEqual({ id: true, refresh: false });
      expect(await shape(plain, 'offline_access')).toEqual({ id: false, refresh: true });
      expect(await shape(webClient, 'profile')).toEqual({ id: false, refresh: true });
    });
  });
});
