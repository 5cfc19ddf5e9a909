import { generateKeyPairSync, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createGenerator,
  createRandom,
  hostileJson,
  hostileTexts,
  learn,
  listOperations,
  prepareIngredients,
} from '@gatehouse/fuzz';
import {
  type Answer,
  type CallOptions,
  call,
  createClientKey,
  createTestBrowser,
  findFreePort,
  type Gatehouse,
  quickestDialect,
  type ServiceProcess,
  startServiceProcess,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { buildAuthorizeUrl, getLocation, obtainCode, signIn } from './support/authorization.ts';
import { type Credentials, passwordKind, redirectUri, registerClient } from './support/clients.ts';
import { expectDocumented } from './support/documented.ts';
import { startFakeOrganization } from './support/fake-organization.ts';
import { forge, signEs256, signHs256 } from './support/forged-tokens.ts';
import { administrator, plainUser } from './support/people.ts';
import { buildRaw, sendRaw } from './support/raw-request.ts';
import { resourceBody } from './support/resources.ts';
import { describeGatehouse, elsewhere } from './support/suite.ts';
import { withTitles } from './support/titles.ts';
import { getTokens, getUserTokens, readClaims, readHeader } from './support/tokens.ts';
import { uniqueAddress, uniqueName } from './support/unique.ts';
import { getUserDetails, userDetailsUrl } from './support/users.ts';

const trustedProxy = {
  'auth-server': { TRUST_PROXY: 'true', DYNAMIC_REGISTRATION: 'open' },
  'org-api': { TRUST_PROXY: 'true' },
};
const mayBeClientId = (text: string) => /^[A-Za-z0-9._~-]{1,255}$/.test(text);
const large = 'x'.repeat(200_000);
/** Another one each run; FUZZ_SEED repeats an earlier run. */
const seed = Number(process.env.FUZZ_SEED ?? randomInt(1, 2 ** 31));

describeGatehouse(
  'hostile input',
  (getGatehouse, dialect) => {
    // What no statement has a part in is asked on one database.
    const [testOnce, describeOnce] = dialect === quickestDialect ? [test, describe] : [elsewhere, elsewhere];
    let gatehouse: Gatehouse;
    let app: Credentials;
    beforeAll(async () => {
      gatehouse = getGatehouse();
      app = await registerClient(gatehouse, passwordKind());
    });

    /** A call from an address of its own, so that wrong guesses do not add up. */
    const send = async (path: string, { headers, ...options }: CallOptions = {}): Promise<Answer> => {
      const answer = await call(`${gatehouse.authUrl}${path}`, {
        ...options,
        headers: { 'x-forwarded-for': uniqueAddress(), ...headers },
      });
      expectDocumented(answer);
      return answer;
    };
    const readError = (answer: Answer) => [answer.status, answer.json().error];

    describe('POST /clients', () => {
      const post = (options: CallOptions) => send('/clients', { basic: administrator, ...options });
      const json = JSON.stringify(passwordKind());

      testOnce.each([
        ['text/plain', json],
        ['application/x-www-form-urlencoded', new URLSearchParams({ client_id: 'a' }).toString()],
        [
          'multipart/form-data; boundary=x',
          '--x\r\ncontent-disposition: form-data; name="client_id"\r\n\r\na\r\n--x--',
        ],
        ['application/xml', '<client><client_id>a</client_id></client>'],
        ['application/jsonp', json],
        ['nonsense', json],
      ])('answers 400 to a body of type %s', async (contentType, body) => {
        const answer = await post({ body, headers: { 'content-type': contentType } });
        expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(/^creation of client .* failed: /)]);
      });

      testOnce.each([
        ['cut off', '{"client_id": "a"'],
        ['empty', ''],
        ['not JSON', 'client_id=a'],
        ['with a trailing comma', '{"client_id":"a",}'],
        ['with a byte order mark', `\ufeff${json}`],
        ['deeply nested', '['.repeat(30_000)],
        ['a list', '[]'],
        ['null', 'null'],
        ['a number', '1'],
        ['a string', '"client_id"'],
        ['of 200 KB', JSON.stringify({ ...passwordKind(), client_secret: large })],
        ['of 200 KB that is not JSON', large],
      ])('answers 400 to a body that is %s', async (_what, body) => {
        const answer = await post({ method: 'POST', body, headers: { 'content-type': 'application/json' } });
        expect(answer.status).toBe(400);
        expect(answer.text).toMatch(/^creation of client \S+ failed: \S[^\n]*$/);
      });

      testOnce.each([
        '{"client_id":"polluted","__proto__":{"scope":["openid"],"authorized_grant_types":["implicit"]}}',
        '{"client_id":"polluted","constructor":{"prototype":{"scope":["openid"]}}}',
        '{"client_id":"polluted","toString":"x","hasOwnProperty":1}',
      ])('takes nothing from the prototype: %s', async (body) => {
        const answer = await post({ body, headers: { 'content-type': 'application/json' } });
        expect(answer.status).toBe(400);
        expect((await send('/clients/polluted', { basic: administrator })).status).toBe(404);
      });

      test.each(Object.entries(hostileTexts))(
        'answers 400 to a client_id that is %s, unless it keeps the rule',
        async (_what, text) => {
          const fields = { ...passwordKind(), client_id: text };
          const { status } = await post({ json: fields });
          expect(status).toBe(mayBeClientId(text) ? 200 : 400);
        },
      );

      test.each(Object.entries(hostileTexts))('answers 400 to a srvc_ac_user_name that is %s', async (_what, text) => {
        const { redirect_uri: _left, ...fields } = passwordKind({ authorized_grant_types: ['service_account'] });
        const answer = await post({ json: { ...fields, srvc_ac_user_name: text } });
        expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('srvc_ac_user_name')]);
      });

      testOnce.each(Object.entries(hostileTexts))('answers 400 to a redirect_uri that is %s', async (_what, text) => {
        const answer = await post({ json: { ...passwordKind(), redirect_uri: text } });
        expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('redirect_uri')]);
      });

      testOnce.each(
        withTitles([
          'https://user:pass@app.example.com/callback',
          'https:app.example.com',
          'https:///callback',
          'https://app.example.com/call back',
          'https://app.example.com\\@evil.example.com/',
          'https://app.example.com/\tcallback',
          'data:text/html,x',
          'http://localhost.evil.example.com/',
          'http://127.0.0.1@evil.example.com/',
          '//app.example.com/callback',
          `https://app.example.com/${'a'.repeat(3000)}`,
        ]),
      )('answers 400 to the redirect_uri %s', async (_title, uri) => {
        const { status } = await post({ json: { ...passwordKind(), redirect_uri: uri } });
        expect(status).toBe(400);
      });

      testOnce('puts an unknown field on one line, escaped and cut', async () => {
        const answer = await post({ json: { ...passwordKind(), [`a\r\nx: y\u2028${'z'.repeat(500)}`]: 1 } });
        expect(answer.status).toBe(400);
        expect(answer.text).not.toMatch(/[\r\n\u2028]/);
        expect(answer.text.length).toBeLessThan(500);
      });

      test.each(Object.entries(hostileTexts))('answers 401 to a Basic user-id that is %s', async (_what, text) => {
        if (text.length > 10_000) return expect((await post({ basic: [text, 'x'], json: {} })).status).toBe(431);
        expect((await post({ basic: [text, 'x'], json: {} })).status).toBe(401);
      });

      testOnce.each(
        withTitles([
          'Basic',
          'Basic ',
          'Basic !!!',
          'Basic YQ==',
          'Basic =',
          `Basic ${Buffer.from('admin@example.com:\xff', 'latin1').toString('base64')}`,
          `Basic ${Buffer.from('%zz@example.com:%').toString('base64')}`,
          'Bearer',
          'Bearer ',
          'Bearer a b',
          'Bearer ..',
          `Bearer ${'a.'.repeat(4000)}`,
          'bearer null',
          'Negotiate x',
          ',',
        ]),
      )('answers 401 to the Authorization header %s', async (_title, authorization) => {
        const answer = await send('/clients', { json: {}, headers: { authorization } });
        expect(answer.status).toBe(401);
      });
    });

    describe('the client administration', () => {
      test.each(
        withTitles(['%zz', '%00', '%ff%fe', 'a%2F..%2Fb', 'a%0d%0ab', '😀', '%27%20OR%201=1--', 'x'.repeat(3000)]),
      )('answers 400 or 404 to the client_id %s in the path', async (_title, segment) => {
        for (const [method, suffix] of [
          ['GET', ''],
          ['PATCH', ''],
          ['DELETE', ''],
          ['POST', '/secret'],
        ] as const) {
          const body: CallOptions = method === 'GET' || method === 'DELETE' ? {} : { json: {} };
          const answer = await send(`/clients/${segment}${suffix}`, { method, basic: administrator, ...body });
          expect([400, 404]).toContain(answer.status);
        }
      });

      testOnce.each([
        'limit=0',
        'limit=-1',
        'limit=1e9',
        'limit=a',
        'limit=1&limit=2',
        "cursor=' OR 1=1",
        'cursor=%00',
      ])('answers 400 to the query %s', async (query) => {
        expect((await send(`/clients?${query}`, { basic: administrator })).status).toBe(400);
      });
    });

    describe('/resources', () => {
      const post = (json: object) => send('/resources', { basic: administrator, json });
      const body = () => resourceBody();

      test.each(Object.entries(hostileTexts))('answers 400 to a resource that is %s', async (_what, text) => {
        expect((await post({ ...body(), resource: text })).status).toBe(400);
        expect((await post({ ...body(), resource: `https://a.example/#${text}` })).status).toBe(400);
      });
      test.each(Object.entries(hostileTexts))(
        'takes or refuses a name and a description that are %s',
        async (_what, text) => {
          const name = await post({ ...body(), name: text });
          const description = await post({ ...body(), scopes: [{ name: uniqueName('scope'), description: text }] });
          for (const { status } of [name, description]) expect([201, 400]).toContain(status);
        },
      );
      test.each(Object.entries(hostileTexts))('answers 400 to a scope that is %s', async (_what, text) => {
        expect([400, /^[\x21\x23-\x5b\x5d-\x7e]{1,128}$/.test(text) ? 201 : 400]).toContain(
          (await post({ ...body(), scopes: [{ name: text }] })).status,
        );
      });
      testOnce.each([
        { resource: null },
        { resource: {} },
        { name: [] },
        { scopes: {} },
        { scopes: [null] },
        { scopes: [[]] },
        { scopes: [{ name: {} }] },
        { access_token_validity: '600' },
        { access_token_validity: 1e308 },
        { dynamic_clients: 1 },
        { __proto__x: 1 },
        JSON.parse('{"__proto__": {"name": "x"}}'),
      ])('answers 400 to %j', async (changes) => {
        expect(
          (await post({ ...body(), ...changes, ...(Object.hasOwn(changes, '__proto__') ? { x: 1 } : {}) })).status,
        ).toBe(400);
      });
      testOnce.each(Object.entries(hostileTexts))('answers 400 or 404 to an id that is %s', async (_what, text) => {
        const { status } = await send(`/resources/${encodeURIComponent(Buffer.from(text).toString())}`, {
          basic: administrator,
        });
        // A target that is too long is refused before it is read.
        expect([400, 404, 431]).toContain(status);
      });
      testOnce.each(['limit=0', 'limit=1e9', 'limit=1&limit=2', "cursor=' OR 1=1", 'cursor=%00', 'resource=', 'x=1'])(
        'answers 400 to the query %s',
        async (query) => expect((await send(`/resources?${query}`, { basic: administrator })).status).toBe(400),
      );
      test.each(Object.entries(hostileTexts))('finds nothing by a URI that is %s', async (_what, text) => {
        const query = new URLSearchParams({ resource: text });
        const { status } = await send(`/resources?${query}`, { basic: administrator });
        expect(text === '' || text.length > 2048 ? [400, 431] : [200]).toContain(status);
      });
      test.each(Object.entries(hostileTexts))(
        'answers 400 to a client with resources or a default_resource that are %s',
        async (_what, text) => {
          for (const changes of [{ resources: [text] }, { default_resource: text }]) {
            const answer = await send('/clients', { basic: administrator, json: { ...passwordKind(), ...changes } });
            expect(answer.status).toBe(400);
          }
        },
      );
      test.each(Object.entries(hostileTexts))('issues nothing for a resource that is %s', async (_what, resource) => {
        const [username, password] = plainUser;
        const answer = await send('/oauth/token', {
          basic: app,
          form: { grant_type: 'password', username, password, resource },
        });
        expect(resource === '' ? 200 : answer.json().error).toBe(resource === '' ? 200 : 'invalid_target');
        const authorize = { response_type: 'code', client_id: app[0], redirect_uri: redirectUri, resource };
        const redirect = await send(`/oauth/authorize?${new URLSearchParams(authorize)}`);
        expect([resource === '' ? 200 : 302, resource.length > 4096 ? 431 : 302]).toContain(redirect.status);
      });
    });

    describe('dynamic registration', () => {
      const body = { redirect_uris: [redirectUri], client_name: 'An agent' };
      const register = (json: object) => send('/oauth/register', { json });

      test.each(Object.entries(hostileTexts))(
        'answers 400 to redirect URIs and links that are %s',
        async (_what, text) => {
          for (const redirectUris of [text, [text], [redirectUri, `https://a.example/#${text}`]]) {
            expect((await register({ redirect_uris: redirectUris })).json().error).toBe('invalid_redirect_uri');
          }
          for (const name of ['client_uri', 'policy_uri', 'tos_uri', 'logo_uri']) {
            expect((await register({ ...body, [name]: text })).json().error).toBe('invalid_client_metadata');
          }
        },
      );
      test.each(Object.entries(hostileTexts))(
        'takes or refuses a name and a scope that are %s',
        async (_what, text) => {
          for (const changes of [{ client_name: text }, { scope: text }, { post_logout_redirect_uris: [text] }]) {
            expect([201, 400]).toContain((await register({ ...body, ...changes })).status);
          }
        },
      );
      testOnce.each(
        ['grant_types', 'response_types', 'jwks', 'resources', 'default_resource', 'application_type'].flatMap((name) =>
          Object.keys(hostileJson).map((what): [string, string] => [name, what]),
        ),
      )('answers 400 to %s that are %s', async (name, what) => {
        const json = `{"redirect_uris":["${redirectUri}"],"${name}":${hostileJson[what]}}`;
        const headers = { 'content-type': 'application/json' };
        expect((await send('/oauth/register', { method: 'POST', body: json, headers })).status).toBe(400);
      });
      test.each(Object.entries(hostileTexts))('opens nothing by a token that is %s', async (_what, text) => {
        const authorization = `Bearer ${Buffer.from(text)
          .toString('latin1')
          .replace(/\p{Cc}/gu, '')}`.trim();
        if (authorization.length > 8_000) return;
        const { client_id: id } = (await register(body)).json<{ client_id: string }>();
        for (const path of [`/oauth/register/${id}`, '/oauth/register/unknown']) {
          expect([400, 401]).toContain((await send(path, { headers: { authorization } })).status);
        }
      });
      test.each(Object.entries(hostileTexts))('answers 400 to an initial token with %s in it', async (_what, text) => {
        for (const json of [
          { uses: text },
          { expires_in: text },
          { grant_types: [text] },
          { scope: text },
          { resources: [text] },
        ]) {
          expect((await send('/registration-tokens', { basic: administrator, json })).status).toBe(400);
        }
      });
    });

    describe('POST /oauth/token', () => {
      const post = (options: CallOptions) => send('/oauth/token', options);
      const form = { 'content-type': 'application/x-www-form-urlencoded' };

      testOnce.each([
        ['text/plain', 'grant_type=password&username=user%40example.com&password=user-password'],
        ['multipart/form-data; boundary=x', '--x--'],
        ['nonsense', 'grant_type=password'],
      ])('answers 400 invalid_request to a body of type %s', async (contentType, body) => {
        const answer = await post({ basic: app, body, headers: { 'content-type': contentType } });
        expect(readError(answer)).toEqual([400, 'invalid_request']);
      });

      testOnce('answers 415 invalid_request to JSON', async () => {
        const body = JSON.stringify({ grant_type: 'password', username: plainUser[0], password: plainUser[1] });
        const answer = await post({ basic: app, body, headers: { 'content-type': 'application/json' } });
        expect(readError(answer)).toEqual([415, 'invalid_request']);
      });

      testOnce.each([
        ['empty', ''],
        ['of 200 KB', `grant_type=password&username=a&password=${large}`],
        ['nothing but ampersands', '&'.repeat(1000)],
        ['nothing but equals signs', '='.repeat(1000)],
        ['10,000 parameters', 'a=1&'.repeat(10_000)],
        ['a parameter twice', 'grant_type=password&grant_type=password&username=a&password=b'],
        ['a parameter twice, once without a value', 'grant_type=password&username=&username=a&password=b'],
        ['a grant_type as a list', 'grant_type[]=password&username[]=a&password[]=b'],
        ['JSON', '{"grant_type":"password"}'],
      ])('answers 400 invalid_request to a form that is %s', async (_what, body) => {
        const answer = await post({ method: 'POST', basic: app, body, headers: form });
        expect(readError(answer)).toEqual([400, 'invalid_request']);
      });

      testOnce.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'PASSWORD', 'password ', '\0password'])(
        'answers 400 unsupported_grant_type to the grant type %j',
        async (grantType) => {
          const answer = await post({ basic: app, form: { grant_type: grantType } });
          expect(readError(answer)).toEqual([400, 'unsupported_grant_type']);
        },
      );

      test.each(Object.entries(hostileTexts))('refuses a username that is %s', async (_what, username) => {
        const answer = await post({
          basic: app,
          form: { grant_type: 'password', username, password: 'user-password' },
        });
        expect(readError(answer)).toEqual([400, username === '' ? 'invalid_request' : 'invalid_grant']);
      });

      testOnce.each<[string, string]>([
        ...Object.entries(hostileTexts),
        ['60,000 quotation marks', '"'.repeat(60_000)],
        ['60,000 letters', 'p'.repeat(60_000)],
      ])('refuses a password that is %s', async (_what, password) => {
        const body = `grant_type=password&username=user%40example.com&password=${/^"+$/.test(password) ? password : encodeURIComponent(Buffer.from(password).toString())}`;
        const answer = await post({ basic: app, body, headers: form });
        const expected = body.length > 65_536 || password === '' ? 'invalid_request' : 'invalid_grant';
        expect(readError(answer)).toEqual([400, expected]);
      });

      test.each(['%', '%zz', '%u0041', '%c0%af', '%ff', '%ed%a0%80'])(
        'refuses a username with the broken percent-encoding %s',
        async (broken) => {
          const body = `grant_type=password&username=user${broken}%40example.com&password=user-password`;
          const answer = await post({ basic: app, body, headers: form });
          expect(readError(answer)).toEqual([400, 'invalid_grant']);
        },
      );

      test.each(Object.entries(hostileTexts))('answers 401 to a client_id that is %s', async (_what, text) => {
        const inBody = await post({ form: { grant_type: 'password', client_id: text, client_secret: 'x' } });
        expect(readError(inBody)).toEqual([401, 'invalid_client']);
      });

      test.each(Object.entries(hostileTexts))(
        'refuses a code, a verifier and a refresh token that are %s',
        async (_what, text) => {
          const expected = [400, text === '' ? 'invalid_request' : 'invalid_grant'];
          const code = await post({
            basic: app,
            form: { grant_type: 'authorization_code', code: text, code_verifier: text, redirect_uri: text },
          });
          const refresh = await post({ basic: app, form: { grant_type: 'refresh_token', refresh_token: text } });
          expect([readError(code), readError(refresh)]).toEqual([expected, expected]);
        },
      );

      testOnce.each(Object.entries(hostileTexts))(
        'answers invalid_scope to a scope that is %s',
        async (_what, scope) => {
          const [username, password] = plainUser;
          const answer = await post({ basic: app, form: { grant_type: 'password', username, password, scope } });
          expect(answer.status === 200 ? scope : answer.json().error).toBe(scope === '' ? '' : 'invalid_scope');
        },
      );

      testOnce('keeps error_description to the characters of RFC 6749', async () => {
        const name = 'ä"\\\u2028\x01';
        const pair: [string, string] = [name, '1'];
        const answer = await post({ basic: app, form: [pair, pair] });
        expect(answer.json().error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
      });
    });

    describe.each(['/oauth/introspect', '/oauth/revoke', '/oauth/userinfo'])('POST %s', (path) => {
      test.each(Object.entries(hostileTexts))('answers a token that is %s', async (_what, token) => {
        const answer = await send(path, { basic: app, form: { token, access_token: token } });
        const expected = path === '/oauth/userinfo' ? 401 : token === '' ? 400 : 200;
        expect(answer.status).toBe(expected);
        if (path === '/oauth/introspect' && token !== '') expect(answer.json()).toEqual({ active: false });
      });
    });

    describe('the authorization endpoint', () => {
      const parameters = () => ({ response_type: 'code', client_id: app[0], redirect_uri: redirectUri });
      const open = (query: string) => send(`/oauth/authorize?${query}`);
      const encode = (changes: Record<string, string>) =>
        new URLSearchParams({ ...parameters(), ...changes }).toString();

      testOnce.each(Object.entries(hostileTexts))(
        'never redirects to a redirect_uri that is %s',
        async (_what, text) => {
          const answer = await open(encode({ redirect_uri: text, scope: 'openid' }));
          expect([answer.status, answer.headers.location]).toEqual([text.length > 15_000 ? 431 : 400, undefined]);
        },
      );

      test.each(Object.entries(hostileTexts).filter(([, text]) => !mayBeClientId(text)))(
        'shows a page for a client_id that is %s',
        async (_what, text) => {
          const answer = await open(encode({ client_id: text }));
          const expected = text.length > 15_000 ? 431 : 400;
          expect([answer.status, answer.headers.location]).toEqual([expected, undefined]);
          expect(answer.text).not.toContain('<script>alert');
        },
      );

      testOnce.each([
        ['client_id', (query: string) => `${query}&client_id=other`],
        ['redirect_uri', (query: string) => `${query}&redirect_uri=https%3A%2F%2Fevil.example.com%2F`],
      ])('never redirects where %s is repeated', async (_name, repeat) => {
        const answer = await open(repeat(encode({})));
        expect([answer.status, answer.headers.location]).toEqual([400, undefined]);
      });

      testOnce.each(['scope', 'state', 'response_type', 'nonce', 'code_challenge', 'response_mode'])(
        'sends invalid_request back to the client where %s is repeated',
        async (name) => {
          const query = encode({ code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' });
          const location = getLocation(await open(`${query}&${name}=a&${name}=b`));
          expect(location.origin).toBe('https://app.example.com');
          expect(location.href).toContain('error=invalid_request');
        },
      );

      testOnce.each(Object.entries(hostileTexts))('gives back a state that is %s, encoded', async (_what, state) => {
        const query = encode({ state, prompt: 'none' });
        if (query.length > 15_000) return expect((await open(query)).status).toBe(431);
        const location = getLocation(await open(query));
        expect(location.searchParams.get('state') ?? '').toBe(Buffer.from(state).toString());
        expect(location.href.startsWith(`${redirectUri}?`)).toBe(true);
      });

      testOnce.each(Object.entries(hostileTexts))(
        'shows a login_hint that is %s without its markup',
        async (_what, hint) => {
          const query = encode({ login_hint: hint });
          if (query.length > 15_000) return expect((await open(query)).status).toBe(431);
          const answer = await open(query);
          expect(answer.status).toBe(200);
          expect(answer.text).not.toContain('<script>alert');
        },
      );

      testOnce.each([
        'client_id=%zz&redirect_uri=%',
        '%00',
        '%ff=%ff',
        '=&=&=',
        'client_id[]=a',
        'client_id=no-such',
        '',
      ])('shows a page for the query "%s"', async (query) => {
        const answer = await open(query);
        expect([answer.status, answer.headers['content-type']]).toEqual([400, 'text/html; charset=utf-8']);
      });

      testOnce.each(
        withTitles<[string, string]>([
          ['response_mode=sideways', 'invalid_request'],
          ['prompt=none%20login', 'invalid_request'],
          ['prompt=everything', 'invalid_request'],
          ['max_age=-1', 'invalid_request'],
          ['max_age=1e400', 'invalid_request'],
          ['id_token_hint=a.b.c', 'invalid_request'],
          ['code_challenge=short&code_challenge_method=S256', 'invalid_request'],
          [`code_challenge=${'a'.repeat(43)}&code_challenge_method=plain`, 'invalid_request'],
          [`code_challenge=${'a'.repeat(43)}`, 'invalid_request'],
          ['request=eyJhbGciOiJub25lIn0.e30.', 'invalid_request_object'],
          ['request_uri=https%3A%2F%2Fevil.example.com', 'invalid_request_uri'],
          ['scope=openid%20everything', 'invalid_scope'],
          [`nonce=${'n'.repeat(3000)}`, 'invalid_request'],
        ]),
      )('sends an error back for %s', async (_title, [query, error]) => {
        const location = getLocation(await open(`${encode({})}&${query}`));
        expect(location.searchParams.get('error')).toBe(error);
      });
    });

    describe('POST /oauth/sign-in', () => {
      const url = () =>
        buildAuthorizeUrl(gatehouse, { response_type: 'code', client_id: app[0], redirect_uri: redirectUri });
      const credentials = { username: plainUser[0], password: plainUser[1] };

      testOnce('refuses a form that this browser was not given', async () => {
        const victim = createTestBrowser();
        const attacker = createTestBrowser();
        const page = await victim.get(url());
        const attackersPage = await attacker.get(url());
        const query = url().split('?')[1] ?? '';
        const action = `${gatehouse.authUrl}/oauth/sign-in`;
        const answers = [
          await call(action, { form: { ...credentials, request: query } }),
          await victim.post(action, { ...credentials, request: query }),
          await victim.post(action, { ...credentials, request: query, form_token: 'forged' }),
          await victim.submit(attackersPage, url(), credentials),
          await call(action, {
            form: { ...credentials, request: query, form_token: /value="([^"]{43})"/.exec(page.text)?.[1] ?? '' },
          }),
        ];
        for (const answer of answers) {
          expectDocumented(answer);
          expect([answer.status, answer.headers.location]).toEqual([403, undefined]);
        }
        expect(victim.cookies()).not.toHaveProperty('gatehouse-session');
      });

      testOnce.each([
        ['another redirect_uri', (request: string) => request.replace('app.example.com', 'evil.example.com')],
        ['another client', (request: string) => request.replace(/client_id=[^&]*/, 'client_id=no-such')],
        ['nothing', () => ''],
        ['nonsense', () => '%zz&=&\0'],
        ['200 KB', () => large],
      ])('never redirects where the request in the form was changed to %s', async (_what, change) => {
        const browser = createTestBrowser();
        const page = await browser.get(url());
        const answer = await browser.submit(page, url(), {
          ...credentials,
          request: change(url().split('?')[1] ?? ''),
        });
        expectDocumented(answer);
        expect([answer.status, answer.headers.location]).toEqual([400, undefined]);
      });

      test.each(Object.entries(hostileTexts))(
        'shows the page again for a username that is %s',
        async (_what, username) => {
          const page = await signIn(url(), [username, 'user-password']);
          expectDocumented(page);
          expect(page.status).toBe(400);
          expect(page.text).toContain('role="alert"');
          expect(page.text).not.toContain('<script>alert');
        },
      );

      testOnce.each([
        'a=b',
        'gatehouse-session=',
        'gatehouse-session=%zz; gatehouse-browser=%',
        ';;;=',
        'gatehouse-session="x"',
      ])('shows the sign-in page to a browser with the cookies %s', async (cookie) => {
        const answer = await send(`/oauth/authorize?${url().split('?')[1]}`, { headers: { cookie } });
        expect(answer.status).toBe(200);
      });

      testOnce('does not end a session by a forged sign-out', async () => {
        const browser = createTestBrowser();
        await signIn(url(), plainUser, browser);
        const signOut = `${gatehouse.authUrl}/oauth/logout`;
        for (const answer of [
          await browser.get(signOut),
          await browser.get(`${signOut}?id_token_hint=a.b.c`),
          await browser.post(signOut, { form_token: 'forged' }),
        ]) {
          expectDocumented(answer);
        }
        expect((await browser.get(url())).status).toBe(302);
      });
    });

    describeOnce('org-api refuses with 401 invalid_token', () => {
      let token: string;
      let claims: Record<string, unknown>;
      let header: Record<string, unknown>;
      beforeAll(async () => {
        token = (await getUserTokens(gatehouse, app)).access_token;
        claims = readClaims(token);
        header = readHeader(token);
        expect((await getUserDetails(gatehouse, plainUser[0], token)).status).toBe(200);
      });

      const expectInvalid = async (bearer: string) => {
        const answer = await getUserDetails(gatehouse, plainUser[0], bearer);
        expectDocumented(answer);
        expect(answer.status).toBe(401);
        expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
      };
      const { privateKey, jwk } = createClientKey();

      test('a token whose signature is another’s', () => expectInvalid(signEs256(header, claims, privateKey)));
      test('a token signed by a key that it brings along', () =>
        expectInvalid(signEs256({ ...header, jwk }, claims, privateKey)));
      test('a token that says where its key is', () =>
        expectInvalid(signEs256({ ...header, kid: undefined, jku: 'http://127.0.0.1:1/jwks' }, claims, privateKey)));
      test.each(['../../dev/null', "' OR 1=1 --", '__proto__', ''])('a token of the key id %j', (kid) =>
        expectInvalid(signEs256({ ...header, kid }, claims, privateKey)),
      );
      test.each(['none', 'None', 'NONE', 'nOnE'])('a token of algorithm %s', (alg) =>
        expectInvalid(forge({ ...header, alg }, claims)),
      );
      test('a token whose HMAC secret is the public key', async () => {
        const { keys } = (await call(`${gatehouse.authUrl}/oauth/jwks`)).json<{ keys: { kid: string }[] }>();
        const key = keys.find(({ kid }) => kid === header.kid);
        await expectInvalid(signHs256({ ...header }, claims, JSON.stringify(key)));
      });
      test('a token with a claim changed', async () => {
        const [head = '', , signature = ''] = token.split('.');
        const changed = Buffer.from(JSON.stringify({ ...claims, username: administrator[0] })).toString('base64url');
        await expectInvalid(`${head}.${changed}.${signature}`);
      });
      test('a token with a signature of zeros', async () => {
        const [head = '', body = ''] = token.split('.');
        await expectInvalid(`${head}.${body}.${Buffer.alloc(64).toString('base64url')}`);
        await expectInvalid(`${head}.${body}.`);
        await expectInvalid(`${head}.${body}`);
      });
      test('an RS256 token by another key', () => {
        const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
        return expectInvalid(signEs256({ ...header, alg: 'RS256' }, claims, other));
      });
      test('an ID token', async () => {
        const { id_token: idToken = '' } = await getUserTokens(gatehouse, app);
        await expectInvalid(idToken);
      });
      test('a refresh token and a code', async () => {
        const { refresh_token: refreshToken = '' } = await getUserTokens(gatehouse, app);
        await expectInvalid(refreshToken);
        await expectInvalid((await obtainCode(gatehouse, app)).code);
      });
      test('a token whose time is over', async () => {
        const client = await registerClient(gatehouse, passwordKind({ access_token_validity: 1 }));
        const { access_token: short } = await getUserTokens(gatehouse, client);
        await sleep(2100);
        await expectInvalid(short);
      });
      test.each(
        withTitles(['a', 'a.b', 'a.b.c', '..', 'a.b.c.d.e', 'x'.repeat(8000), '~', '----', `${'A'.repeat(20)}.e30.`]),
      )('the token %s', (_title, bearer) => expectInvalid(bearer));
      test('a Bearer header without a token, or with two', async () => {
        for (const authorization of ['Bearer ', 'Bearer a b', 'Bearer a, Bearer b', 'Bearer ä']) {
          const raw = buildRaw({
            path: new URL(userDetailsUrl(gatehouse, 'a@b')).pathname,
            headers: { authorization },
          });
          const answer = await sendRaw(gatehouse.baseUrl, raw);
          expectDocumented(answer);
          expect(answer.status).toBe(401);
        }
      });
    });

    describeOnce('org-api, of tokens that the realm itself signed,', () => {
      let organization: Awaited<ReturnType<typeof startFakeOrganization>>;
      /** A second auth-server with the keys of the first, which believes org-api elsewhere. */
      let sibling: ServiceProcess;
      beforeAll(async () => {
        organization = await startFakeOrganization();
        const env = { ...gatehouse.env['auth-server'], BASE_URL: 'http://localhost:1', ORG_API_URL: organization.url };
        sibling = await startServiceProcess({ name: 'auth-server', port: await findFreePort(), env });
      });
      afterAll(async () => {
        await sibling?.stop();
        await organization?.stop();
      });

      test('refuses one for another audience', async () => {
        const client = await registerClient(
          gatehouse,
          passwordKind({ authorized_grant_types: ['client_credentials'] }),
        );
        const form = { grant_type: 'client_credentials' };
        const own = (await getTokens(gatehouse, client, form)).access_token;
        const foreign = (await getTokens({ ...gatehouse, authUrl: sibling.url }, client, form)).access_token;
        expect(readClaims(foreign)).toMatchObject({ iss: gatehouse.authUrl, aud: 'http://localhost:1' });
        const statuses = [own, foreign].map(async (bearer) => (await getUserDetails(gatehouse, 'a@b', bearer)).status);
        expect(await Promise.all(statuses)).toEqual([403, 401]);
      });

      test('refuses the token by which auth-server proves itself, at the public routes and for another org-api', async () => {
        await call(`${sibling.url}/clients`, { basic: administrator, json: {} });
        const [serviceToken = ''] = organization.tokens;
        expect(readHeader(serviceToken).typ).not.toBe('at+jwt');
        const details = await getUserDetails(gatehouse, plainUser[0], serviceToken);
        const internal = await call(`${gatehouse.baseUrl}/internal/directory/user-queries`, {
          bearer: serviceToken,
          json: { usernames: [plainUser[0]] },
        });
        expect([details.status, internal.status]).toEqual([401, 401]);
      });

      test('opens its internal routes to no access token', async () => {
        const { access_token: bearer } = await getUserTokens(gatehouse, app, administrator);
        for (const [path, json] of [
          ['user-queries', { usernames: [plainUser[0]] }],
          ['password-checks', { username: plainUser[0], password: plainUser[1], address: '127.0.0.1' }],
        ] as const) {
          const url = `${gatehouse.baseUrl}/internal/directory/${path}`;
          const answers = [await call(url, { json }), await call(url, { json, bearer })];
          expect(answers.map(({ status }) => status)).toEqual([401, 401]);
          for (const answer of answers) expect(answer.text).not.toContain(plainUser[0]);
        }
      });
    });

    describe('org-api', () => {
      let bearer: string;
      beforeAll(async () => {
        bearer = (await getUserTokens(gatehouse, app, administrator)).access_token;
      });
      const collection = '/organization/api/organization/user';
      const ask = async (path: string, options: CallOptions = {}) => {
        const answer = await call(`${gatehouse.baseUrl}${collection}${path}`, { bearer, ...options });
        expectDocumented(answer);
        return answer;
      };

      test.each(Object.entries(hostileTexts))('answers 404 for the user whose name is %s', async (_what, text) => {
        const name = encodeURIComponent(Buffer.from(text).toString());
        expect([404, 414, 431]).toContain((await ask(`/allDetails/userId/${name}`)).status);
        expect([404, 414, 431]).toContain((await ask(`/userId/${name}`, { method: 'DELETE' })).status);
      });

      testOnce.each(['%zz', '%', '%ff', '%c0%af', '%ed%a0%80'])('answers 400 to the broken path %s', async (broken) => {
        const bytes = buildRaw({
          path: `${collection}/allDetails/userId/user${broken}`,
          headers: { authorization: `Bearer ${bearer}` },
        });
        const answer = await sendRaw(gatehouse.baseUrl, bytes);
        expectDocumented(answer);
        expect([400, 404]).toContain(answer.status);
      });

      /** The letters and digits of a text, without the forms that Unicode calls compatible. */
      const wordsOf = (text: string) =>
        text
          .normalize('NFKD')
          .toLowerCase()
          .match(/[\p{L}\p{N}]+/gu) ?? [];
      const hasWords = (user: Record<string, string>, words: readonly string[]) => {
        const own = ['username', 'email', 'firstName', 'lastName'].flatMap((name) => wordsOf(user[name] ?? ''));
        return words.every((word) => own.some((other) => other.startsWith(word)));
      };

      test.each(Object.entries(hostileTexts))('finds nobody else by a search for %s', async (_what, text) => {
        const search = encodeURIComponent(Buffer.from(text).toString());
        const answer = await ask(`?search=${search}`);
        if (text.length > 255) return expect([400, 431]).toContain(answer.status);
        expect(answer.status).toBe(200);
        const { users } = answer.json<{ users: Record<string, string>[] }>();
        if (text === '') expect(users.length).toBe(Math.min(50, await countUsers()));
        const words = wordsOf(text);
        expect(users.filter((user) => !hasWords(user, words))).toEqual([]);
        if (text !== '' && words.length === 0) expect(users).toEqual([]);
      });
      const countUsers = async () => (await ask('?limit=200')).json<{ users: unknown[] }>().users.length;

      test.each(Object.entries(hostileTexts))(
        'creates nobody, or somebody to be found, named %s',
        async (_what, text) => {
          const created = await ask('', { json: { username: text, userType: 'Robot' } });
          expect([201, 400]).toContain(created.status);
          if (created.status === 400) return;
          const found = await ask(`/allDetails/userId/${encodeURIComponent(text)}`);
          expect([found.status, found.json().username]).toEqual([200, text]);
          expect((await ask(`/userId/${encodeURIComponent(text)}`, { method: 'DELETE' })).status).toBe(204);
        },
      );

      const personalMembers = [
        ...['middleName', 'nickname', 'profile', 'picture', 'website', 'gender', 'birthdate', 'externalId'],
      ];
      test.each([
        'phoneNumber',
        'phoneNumberVerified',
        'emailVerified',
        'address',
        'address.formatted',
        ...personalMembers,
      ])('keeps as it is, or refuses by its name, whatever a change says of %s', async (name) => {
        const username = `${uniqueName('person')}@example.com`;
        expect((await ask('', { json: { username, userType: 'Robot' } })).status).toBe(201);
        const [member = '', part] = name.split('.');
        const wrap = (json: string) => (part === undefined ? json : `{"${part}":${json}}`);
        const texts = Object.values(hostileTexts).map((text) => JSON.stringify(text.slice(0, 5_000)));
        for (const json of [...texts, ...Object.values(hostileJson)]) {
          const body = `{"${member}":${wrap(json)}}`;
          const headers = { 'content-type': 'application/json' };
          const answer = await ask(`/userId/${username}`, { method: 'PATCH', body, headers });
          expect([200, 400]).toContain(answer.status);
          const fault = new RegExp(`^(${member} must |body must |Body is not valid JSON)`);
          if (answer.status === 400) expect(answer.json().detail).toMatch(fault);
          else expect(answer.json()[member] ?? null).toEqual(JSON.parse(wrap(json)));
          expect((await ask(`/allDetails/userId/${username}`)).status).toBe(200);
        }
        expect((await ask(`/userId/${username}`, { method: 'DELETE' })).status).toBe(204);
      });

      testOnce.each<[string, number, CallOptions]>([
        ['form', 415, { body: 'username=a', headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
        ['plain text', 415, { body: '{}', headers: { 'content-type': 'text/plain' } }],
        ['broken JSON', 400, { body: '{"username":', headers: { 'content-type': 'application/json' } }],
        ['empty JSON', 400, { method: 'POST', body: '', headers: { 'content-type': 'application/json' } }],
        ['list', 400, { json: [] }],
        ['body of 200 KB', 413, { json: { username: large } }],
        ['prototype', 400, { body: '{"__proto__":{"x":1}}', headers: { 'content-type': 'application/json' } }],
        ['unknown field', 400, { json: { username: 'a@b', userType: 'Robot', isAdmin: true } }],
        ['role that is none', 400, { json: { username: 'a@b', userType: 'Robot', roles: ['root'] } }],
      ])('answers a %s with %d as a problem document', async (_what, status, options) => {
        const answer = await ask('', options);
        expect(answer.status).toBe(status);
        expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
        expect(answer.json()).toMatchObject({ status, title: expect.any(String), detail: expect.any(String) });
      });
    });

    describeOnce('both services', () => {
      const urls = () => [gatehouse.authUrl, gatehouse.baseUrl];

      test.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'SEARCH', 'LOCK'])(
        'answer the method %s at every path',
        async (method) => {
          const all = ['/', '/clients', '/oauth/token', '/oauth/authorize', '/oauth/jwks', '/health/live', '/nowhere'];
          for (const url of urls()) {
            for (const path of [...all, '/organization/api/organization/user']) {
              const answer = await sendRaw(url, buildRaw({ method, path }));
              expectDocumented(answer);
            }
          }
        },
      );

      test.each(['BREW', 'get', 'GET\0', 'CONNECT'])(
        'answer 400, or hang up, where the method is %j',
        async (method) => {
          for (const url of urls()) {
            const answer = await sendRaw(url, buildRaw({ method, path: '/health/live' }));
            expect(['400', '']).toContain(answer.text === '' ? '' : String(answer.status));
            expect(answer.text).not.toMatch(/node_modules|\bat \w+ \(/);
          }
        },
      );

      test.each(
        withTitles([
          'GET /health/live HTTP/9.9\r\nhost: a\r\n\r\n',
          'GET /health/live HTTP/1.1\r\nconnection: close\r\n\r\n',
          'GET /health/live HTTP/1.1\r\nhost: a\r\nconnection: close\r\nbroken header\r\n\r\n',
          'GET /health/live HTTP/1.1\r\nhost: a\r\ncontent-length: x\r\n\r\n',
          'POST /oauth/token HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
          'POST /oauth/token HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n\r\n',
          `GET /health/live HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(70_000)}\r\n\r\n`,
          `GET /${'x'.repeat(70_000)} HTTP/1.1\r\nhost: a\r\n\r\n`,
          '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
          '\0\0\0\0\r\n\r\n',
        ]),
      )('answer 4xx to what is not HTTP: %s', async (_title, request) => {
        for (const url of urls()) {
          const answer = await sendRaw(url, Buffer.from(request, 'latin1'));
          expect(answer.status).toBeGreaterThanOrEqual(400);
          expect(answer.status).toBeLessThan(500);
          expect(answer.text).not.toMatch(/node_modules|\bat \w+ \(|Parse Error/);
        }
      });

      test.each(
        withTitles(['short', 'x'.repeat(500), '"><script>alert(1)</script>', '{jndi:ldap://evil.example.com/a}']),
      )('replace the request id %s by one of their own', async (_title, value) => {
        for (const url of urls()) {
          const answer = await call(`${url}/nowhere`, { headers: { 'x-request-id': value } });
          expectDocumented(answer);
          expect(answer.headers['x-request-id']).not.toBe(value);
        }
      });

      const refuseSentWith = async (headers: Record<string, string>) => {
        const body = `grant_type=password&username=${uniqueName('n')}&password=x`;
        const bytes = buildRaw({
          method: 'POST',
          path: '/oauth/token',
          headers: {
            'content-type': 'application/x-www-form-urlencoded',
            authorization: `Basic ${Buffer.from(app.join(':')).toString('base64')}`,
            'x-forwarded-for': uniqueAddress(),
            ...headers,
          },
          body,
        });
        const answer = await sendRaw(gatehouse.authUrl, bytes);
        expectDocumented(answer);
        expect(answer.status).toBe(400);
      };

      const oddHeaders: Record<string, string>[] = [
        { accept: ';;;,,,' },
        { 'accept-encoding': 'a'.repeat(3000) },
        { 'x-forwarded-for': `${'1.2.3.4, '.repeat(500)}1.2.3.4` },
        { 'x-forwarded-for': 'x'.repeat(3000) },
        { cookie: `a=${'b'.repeat(8000)}` },
        { accept: 'application/problem+json;q=x' },
        { 'accept-language': '\xff\xfe' },
        { 'content-type': ';' },
        { 'content-encoding': 'gzip' },
        { host: 'evil.example.com' },
        { host: '' },
        { origin: 'null' },
        { range: 'bytes=0-' },
        { 'if-none-match': '*' },
        { 'x-http-method-override': 'DELETE' },
        { 'x-forwarded-for': 'not-an-address' },
        { 'x-forwarded-proto': 'javascript', 'x-forwarded-host': '"><script>' },
        { forwarded: 'for=x' },
        { expect: '100-continue' },
      ];
      test.each(withTitles(oddHeaders))('answer a wrong password, sent with %s, as ever', (_title, headers) =>
        refuseSentWith(headers),
      );
    });

    test(`400 generated requests are answered below 500, telling nothing of the inside (FUZZ_SEED=${seed})`, async () => {
      const urls = { 'auth-server': gatehouse.authUrl, 'org-api': gatehouse.baseUrl };
      const ingredients = await prepareIngredients(gatehouse, 1);
      const generate = createGenerator(createRandom(seed), await listOperations(urls), ingredients);
      for (let count = 0; count < 400; count += 1) {
        const request = generate(uniqueAddress());
        const bytes = buildRaw(request);
        const answer = await sendRaw(urls[request.service], bytes);
        learn(ingredients, request, answer);
        try {
          expect(answer.status).toBeGreaterThanOrEqual(200);
          expectDocumented(answer);
        } catch (error) {
          const sent = bytes.subarray(0, 4_000).toString('latin1');
          throw new Error(
            `${(error as Error).message}\n\nFUZZ_SEED=${seed}, request ${count}, to ${request.service}:\n${sent}`,
          );
        }
      }
      const { access_token: token } = await getUserTokens(gatehouse, app, administrator);
      expect((await getUserDetails(gatehouse, administrator[0], token)).status).toBe(200);
    });
  },
  trustedProxy,
);
