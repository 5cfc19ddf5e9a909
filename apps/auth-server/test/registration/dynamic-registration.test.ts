import { createServer } from '@gatehouse/service-kit/http';
import { OAuthError, ProblemError } from '@gatehouse/shared';
import { createClientKey, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createRegistrationErrorHandler } from '../../src/registration/registration-errors-endpoint.ts';
import { deviceGrant, useDevices } from '../support/device.ts';
import {
  createAddress,
  type DynamicClients,
  obtainAllowedCode,
  openBody,
  registerDynamically,
  startOpenRealm,
  webCallback,
} from '../support/dynamic-clients.ts';
import { interruptNext } from '../support/interruption.ts';
import { administrator, passwordOf, type Realm, readClaims, startAuthServer, startRealm } from '../support/realm.ts';
import { administerResources } from '../support/resources.ts';
import { silentLog } from '../support/stores.ts';

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const expectRefusal = (answer: Awaited<ReturnType<Realm['send']>>, error: string, description: RegExp) => {
  expect([answer.status, answer.headers['cache-control']]).toEqual([400, 'no-store']);
  expect(answer.json()).toEqual({ error, error_description: expect.stringMatching(description) });
};

describe.each(testDialects)('dynamic registration on %s', (dialect) => {
  let realm: Realm;
  let dynamic: DynamicClients;
  beforeAll(async () => {
    ({ realm, dynamic } = await startOpenRealm(dialect));
  });
  afterAll(() => realm.close());
  const find = (clientId: string) => realm.send(`/clients/${clientId}`, { basic: administrator });

  it('registers a public client of whom nothing is known, and says what is in force', async () => {
    const answer = await dynamic.send({ ...openBody, software_id: 'unknown to this server', contacts: 7 });
    expect([answer.status, answer.headers['cache-control']]).toEqual([201, 'no-store']);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    const registered = answer.json<Record<string, string>>();
    expect(registered).toEqual({
      client_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      client_id_issued_at: expect.any(Number),
      registration_access_token: expect.stringMatching(/^[\w-]{43}$/),
      registration_client_uri: `${realm.url}/oauth/register/${registered.client_id}`,
      redirect_uris: [webCallback],
      client_name: 'An agent',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: 'openid profile email',
      require_consent: true,
    });
  });

  it('says since when it is registered, in seconds', async () => {
    const registered = await dynamic.register();
    const { created_at } = (await find(registered.client_id)).json<{ created_at: string }>();
    expect(registered.client_id_issued_at).toBe(Math.floor(Date.parse(created_at) / 1000));
  });

  it('shows it to administrators as any other client, with an empty ceiling and without its token', async () => {
    const registered = await dynamic.register();
    const answer = await find(registered.client_id);
    expect(answer.json()).toMatchObject({
      client_id: registered.client_id,
      scope: ['openid', 'profile', 'email'],
      authorized_grant_types: ['authorization_code'],
      require_consent: true,
      ceiling: [],
      public: true,
    });
    expect(answer.json()).not.toHaveProperty('redirect_uris');
    expect(answer.text).not.toContain(registered.registration_access_token);
    const path = `/clients/${registered.client_id}`;
    expect((await realm.send(path, { method: 'DELETE', basic: administrator })).status).toBe(204);
  });

  it('gives offline access to a client that refreshes', async () => {
    const refreshing = { ...openBody, grant_types: ['authorization_code', 'refresh_token'] };
    expect((await dynamic.register(refreshing)).scope).toBe('openid profile email offline_access');
    expect((await dynamic.register({ ...refreshing, scope: 'openid' })).scope).toBe('openid');
  });

  it('keeps what a client says of itself', async () => {
    const said = {
      redirect_uris: [webCallback, 'https://agent.example.com/other', 'http://127.0.0.1:9/cb', 'com.example.app:/cb'],
      post_logout_redirect_uris: ['https://agent.example.com/bye'],
      client_uri: 'https://agent.example.com/',
      policy_uri: 'https://agent.example.com/privacy',
      tos_uri: 'https://agent.example.com/terms',
      logo_uri: 'https://cdn.example.net/logo.png',
      application_type: 'native',
      loopback_ports: 'any',
      id_token_signed_response_alg: 'ES256',
      require_pushed_authorization_requests: true,
      dpop_bound_access_tokens: true,
    };
    expect(await dynamic.register(said)).toMatchObject(said);
  });

  it('keeps where a sign-in begins by an initial access token, and passes it over without one', async () => {
    const said = { ...openBody, initiate_login_uri: 'https://agent.example.com/login' };
    const registered = await dynamic.register(said, await dynamic.createToken());
    expect(registered).toMatchObject(said);
    expect((await dynamic.manage(registered, 'GET')).json()).toMatchObject(said);
    for (const initiate_login_uri of ['https://agent.example.com/login', 'javascript:alert(1)', 7]) {
      expect(await dynamic.register({ ...openBody, initiate_login_uri })).not.toHaveProperty('initiate_login_uri');
    }
    const plain = { ...openBody, client_id: registered.client_id };
    expect((await dynamic.manage(registered, 'PUT', plain)).json()).not.toHaveProperty('initiate_login_uri');
    const http = { ...said, initiate_login_uri: 'http://agent.example.com/login' };
    const token = await dynamic.createToken();
    const refused = await dynamic.send(http, { authorization: `Bearer ${token}` });
    expect(refused.json()).toMatchObject({ error: 'invalid_client_metadata' });
  });

  it.each<[string, string[], string]>([
    ['another host', [webCallback], 'https://bank.example/'],
    ['a longer host', [webCallback], 'https://agent.example.com.evil.example/'],
    ['a host that only a loopback client names', ['http://127.0.0.1:8976/callback'], 'https://editor.example.com/'],
    ['the host of a private scheme', ['com.example.app://agent.example.com/cb'], 'https://agent.example.com/'],
  ])('leaves links to %s out: nothing shows whose pages they are', async (_what, redirect_uris, link) => {
    const links = { client_uri: link, policy_uri: link, tos_uri: link };
    const registered = await dynamic.register({ redirect_uris, ...links, logo_uri: link });
    expect(registered).toMatchObject({ redirect_uris, logo_uri: link });
    for (const name of Object.keys(links)) expect(registered).not.toHaveProperty(name);
    expect((await dynamic.manage(registered, 'GET')).json()).toEqual(registered);
  });

  describe('refuses', () => {
    it.each<[string, unknown, RegExp]>([
      ['no redirect URI', {}, /redirect_uris is required/],
      ['an empty list of them', { redirect_uris: [] }, /redirect_uris is required/],
      ['one that is no list', { redirect_uris: webCallback }, /redirect_uris must be an array/],
      ['one that is no text', { redirect_uris: [7] }, /redirect_uris must be an array/],
      ['a relative one', { redirect_uris: [webCallback, '/callback'] }, /redirect_uris entry 2 must be an absolute/],
      ['plain http', { redirect_uris: ['http://agent.example.com/'] }, /entry 1 must be https/],
      ['a fragment', { redirect_uris: [`${webCallback}#x`] }, /fragment/],
      ['javascript:', { redirect_uris: ['javascript:alert(1)'] }, /redirect_uris entry 1/],
      ['a repeated one', { redirect_uris: [webCallback, webCallback] }, /without repeats/],
    ])('%s, as invalid_redirect_uri', async (_what, body, description) =>
      expectRefusal(await dynamic.send(body), 'invalid_redirect_uri', description),
    );

    it.each<[string, object, RegExp]>([
      ['backchannel_logout_uri', { backchannel_logout_uri: webCallback }, /backchannel_logout_uri is not accepted/],
      ['jwks_uri', { jwks_uri: webCallback }, /jwks_uri is not accepted/],
      ['loopback_ports of a web client', { loopback_ports: 'any' }, /loopback_ports .* application_type native/],
      ['the grant type password', { grant_types: ['password'] }, /grant_types must be among authorization_code/],
      ['implicit', { grant_types: ['implicit'], response_types: ['token'] }, /grant_types must be among/],
      ['client_credentials', { grant_types: ['client_credentials'] }, /grant_types must be among/],
      ['service_account', { grant_types: ['service_account'] }, /grant_types must be among/],
      [
        'token exchange',
        { grant_types: ['urn:ietf:params:oauth:grant-type:token-exchange'] },
        /grant_types must be among/,
      ],
      ['device codes', { grant_types: ['urn:ietf:params:oauth:grant-type:device_code'] }, /grant_types must be among/],
      ['no grant type', { grant_types: [], response_types: [] }, /grant_types must be an array/],
      ['grant types that are text', { grant_types: 'authorization_code' }, /grant_types must be an array/],
      ['a secret', { token_endpoint_auth_method: 'client_secret_basic' }, /token_endpoint_auth_method must be none/],
      ['a key', { token_endpoint_auth_method: 'private_key_jwt' }, /token_endpoint_auth_method must be none/],
      [
        'an unknown method',
        { token_endpoint_auth_method: 'tls_client_auth' },
        /token_endpoint_auth_method must be one/,
      ],
      ['a FAPI 2.0 client', { profile: 'fapi2_message_signing' }, /token_endpoint_auth_method must be none/],
      ['another response type', { response_types: ['id_token'] }, /response_types must be code/],
      ['no response type', { response_types: [] }, /response_types must be code/],
      ['the scope roles', { scope: 'openid roles' }, /scope must hold only/],
      ['the scope phone', { scope: 'openid phone' }, /scope must hold only/],
      ['no scope', { scope: ' ' }, /scope must hold only/],
      ['scope as a list', { scope: ['openid'] }, /scope must be a string/],
      ['a name with a direction character', { client_name: 'a\u202eb' }, /client_name must/],
      ['a name of 129 characters', { client_name: 'x'.repeat(129) }, /client_name must/],
      ['a link by http', { client_uri: 'http://agent.example.com/' }, /client_uri must be an https URL/],
      ['a link that is no URL', { tos_uri: 'https://' }, /tos_uri must/],
      ['a link with a user name', { logo_uri: 'https://a@agent.example.com/' }, /logo_uri must/],
      ['an unknown application type', { application_type: 'desktop' }, /application_type must be web or native/],
      ['resources that are not open', { resources: ['https://closed.example/'] }, /resources entry 1 must be/],
      ['a default resource of its own', { default_resource: 'https://closed.example/' }, /default_resource must/],
      ['ID tokens without signature', { id_token_signed_response_alg: 'none' }, /id_token_signed_response_alg must/],
      ['the profile fapi2', { profile: 'fapi2' }, /token_endpoint_auth_method must be none/],
    ])('%s, as invalid_client_metadata', async (_what, changes, description) =>
      expectRefusal(await dynamic.send({ ...openBody, ...changes }), 'invalid_client_metadata', description),
    );

    it.each<[string, string, string, RegExp]>([
      ['a body that is no JSON', 'application/json', '{', /body must be valid JSON/],
      ['a list', 'application/json', '[]', /body must be a JSON object/],
      ['null', 'application/json', 'null', /body must be a JSON object/],
      ['a form', 'application/x-www-form-urlencoded', 'redirect_uris=x', /sent as application\/json/],
    ])('%s', async (_what, type, body, description) => {
      const headers = { 'content-type': type };
      const answer = await realm.send('/oauth/register', { method: 'POST', body, headers });
      expectRefusal(answer, 'invalid_client_metadata', description);
    });

    it.each([
      ['an unknown token', 'Bearer unknown'],
      ['credentials of another kind', 'Basic YTpi'],
      ['a token that cannot be read', 'Bearer ö'],
    ])('%s, though registration is open', async (_what, authorization) => {
      const answer = await dynamic.send({}, { authorization: Buffer.from(authorization).toString('latin1') });
      expect([answer.status, answer.json()]).toEqual([401, expect.objectContaining({ error: 'invalid_token' })]);
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="main", error="invalid_token"/);
    });
  });

  describe('by an initial access token', () => {
    it('registers a confidential client, with a secret that the server made', async () => {
      const token = await dynamic.createToken();
      const registered = await dynamic.register(openBody, token);
      expect(registered).toMatchObject({ token_endpoint_auth_method: 'client_secret_basic' });
      expect([registered.client_secret, registered.client_secret_expires_at]).toEqual([
        expect.stringMatching(/^[\w-]{43}$/),
        0,
      ]);
      const [asked] = await Promise.all([
        realm.tokenRequest(registered, {
          grant_type: 'authorization_code',
          code: 'unknown',
          redirect_uri: webCallback,
        }),
      ]);
      expect(asked.json()).toMatchObject({ error: 'invalid_grant' });
    });

    it('registers one that authenticates in the body, by a key, or not at all', async () => {
      const token = await dynamic.createToken({ uses: 3 });
      const post = await dynamic.register({ ...openBody, token_endpoint_auth_method: 'client_secret_post' }, token);
      expect(post).toHaveProperty('client_secret');
      const jwks = { keys: [createClientKey().jwk] };
      const keyed = { ...openBody, token_endpoint_auth_method: 'private_key_jwt', jwks };
      expect(await dynamic.register(keyed, token)).toMatchObject({ jwks });
      const none = await dynamic.register({ ...openBody, token_endpoint_auth_method: 'none' }, token);
      expect(none).not.toHaveProperty('client_secret');
    });

    it('registers a client that acts for itself, where the token allows that', async () => {
      const token = await dynamic.createToken({ grant_types: ['client_credentials'] });
      const registered = await dynamic.register({ scope: 'openid' }, token);
      expect(registered).toMatchObject({ grant_types: ['client_credentials'], response_types: [], redirect_uris: [] });
      expect(await realm.tokens(registered, { grant_type: 'client_credentials' })).toMatchObject({ scope: 'openid' });
    });

    it.each(['none', 'client_secret_basic'])(
      'registers a device by %s, where the token allows that; its user is asked each time',
      async (method) => {
        const grant_types = [deviceGrant, 'refresh_token'];
        const token = await dynamic.createToken({ grant_types });
        const asked = { grant_types, token_endpoint_auth_method: method, client_name: 'A television' };
        const registered = await dynamic.register(asked, token);
        expect(registered).toMatchObject({ grant_types, response_types: [], require_consent: true });
        const devices = useDevices(realm);
        for (const round of [1, 2]) {
          const started = await devices.start(registered, { scope: 'openid profile' });
          const page = await devices.open(await devices.signIn(), started.user_code);
          expect([round, page.text.includes('A television'), page.text.includes('value="allow"')]).toEqual([
            round,
            true,
            true,
          ]);
        }
        const tokens = await devices.connect(registered, { scope: 'openid profile' });
        expect(readClaims(tokens.access_token)).toMatchObject({ third_party: true, scope: 'openid profile' });
        const refused = await devices.authorize(registered, { scope: 'openid roles' });
        expect([refused.status, refused.json<{ error: string }>().error]).toEqual([400, 'invalid_scope']);
      },
    );

    it('chooses how its answers are signed, which open registration passes over', async () => {
      const chosen = {
        authorization_signed_response_alg: 'ES256',
        userinfo_signed_response_alg: 'RS256',
        introspection_signed_response_alg: 'ES256',
      };
      const token = await dynamic.createToken({ uses: 2 });
      const registered = await dynamic.register({ ...openBody, ...chosen }, token);
      expect(registered).toMatchObject(chosen);
      expect((await dynamic.manage(registered, 'GET')).json()).toMatchObject(chosen);
      const replaced = { ...openBody, client_id: registered.client_id, userinfo_signed_response_alg: 'ES256' };
      const answer = await dynamic.manage(registered, 'PUT', replaced);
      expect(answer.json()).toMatchObject({ userinfo_signed_response_alg: 'ES256' });
      expect(answer.json()).not.toHaveProperty('authorization_signed_response_alg');
      for (const name of Object.keys(chosen)) {
        const refused = await dynamic.send({ ...openBody, [name]: 'none' }, bearer(token));
        expectRefusal(refused, 'invalid_client_metadata', new RegExp(`${name} must be one of RS256, ES256`));
        for (const value of ['none', 'ES256']) {
          const open = await dynamic.register({ ...openBody, [name]: value });
          expect(open).not.toHaveProperty(name);
          const json = { ...openBody, client_id: open.client_id, [name]: value };
          expect((await dynamic.manage(open, 'PUT', json)).json()).not.toHaveProperty(name);
        }
      }
    });

    it('registers a FAPI 2.0 client', async () => {
      const jwks = { keys: [createClientKey().jwk] };
      const registered = await dynamic.register({ ...openBody, profile: 'fapi2', jwks }, await dynamic.createToken());
      expect(registered).toMatchObject({
        token_endpoint_auth_method: 'private_key_jwt',
        require_pushed_authorization_requests: true,
      });
    });

    it('registers a client of FAPI 2.0 Message Signing, and one of OAuth 2.1', async () => {
      const members = { jwks: { keys: [createClientKey().jwk] }, request_object_signing_alg: 'PS256' };
      const signing = { ...openBody, ...members, profile: 'fapi2_message_signing' };
      expect(await dynamic.register(signing, await dynamic.createToken())).toMatchObject({
        ...members,
        ...{ profile: 'fapi2_message_signing', require_signed_request_object: true },
        token_endpoint_auth_method: 'private_key_jwt',
      });
      const body = { ...openBody, profile: 'oauth21' };
      const usual = await dynamic.register(body, await dynamic.createToken());
      expect(usual).toMatchObject({ token_endpoint_auth_method: 'client_secret_basic', require_pkce: true });
      const open = await dynamic.register({ ...body, jwks: members.jwks, require_signed_request_object: true });
      expect(open).toMatchObject({ ...{ profile: 'oauth21', jwks: members.jwks }, token_endpoint_auth_method: 'none' });
      expect(open).not.toHaveProperty('require_signed_request_object');
    });

    it('hands on the ceiling of its maker', async () => {
      const tool = await realm.register({
        client_id: `tool-${dialect}`,
        client_secret: 'a-secret-of-a-tool',
        scope: ['openid', 'roles'],
        authorized_grant_types: ['password'],
      });
      const { access_token } = await realm.tokens(tool, { ...passwordOf('idp.admin') });
      const made = await realm.send('/registration-tokens', { bearer: access_token, json: {} });
      expect(made.json()).toMatchObject({ ceiling: ['IdpAdministrator', 'DirectoryReader'] });
      const { client_id } = await dynamic.register(openBody, made.json<{ token: string }>().token);
      expect((await find(client_id)).json()).toMatchObject({ ceiling: ['IdpAdministrator', 'DirectoryReader'] });
      const byAdministrator = await dynamic.register(openBody, await dynamic.createToken());
      const { ceiling } = (await find(byAdministrator.client_id)).json<{ ceiling: string[] }>();
      expect(ceiling).toContain('SystemAdministrator');
    });

    it.each<[string, object, object, RegExp]>([
      ['grant types', { grant_types: ['client_credentials'] }, { grant_types: ['authorization_code'] }, /grant_types/],
      ['scope', { scope: 'openid profile' }, { scope: 'openid email' }, /scope must hold only/],
      ['a scope that is a list', { scope: ['openid'] }, { scope: 'profile' }, /scope must hold only/],
      [
        'offline access without refresh tokens',
        { grant_types: ['authorization_code'] },
        { scope: 'openid offline_access' },
        /scope must hold only/,
      ],
      ['password all the same', {}, { grant_types: ['password'] }, /grant_types must be among/],
      [
        'a public client that acts for itself',
        { grant_types: ['client_credentials'] },
        { token_endpoint_auth_method: 'none' },
        /token_endpoint_auth_method must not be none/,
      ],
      [
        'a response type without authorization_code',
        { grant_types: ['client_credentials'] },
        { response_types: ['code'] },
        /response_types must be empty without authorization_code/,
      ],
    ])('keeps to its limits: %s', async (_what, limits, changes, description) => {
      const token = await dynamic.createToken(limits);
      const answer = await dynamic.send({ ...openBody, ...changes }, bearer(token));
      expectRefusal(answer, 'invalid_client_metadata', description);
    });

    it('loses no use to bad metadata, and has as many uses as it says', async () => {
      const token = await dynamic.createToken({ uses: 2 });
      for (let turn = 0; turn < 3; turn += 1) {
        expect((await dynamic.send({ redirect_uris: ['x'] }, bearer(token))).status).toBe(400);
      }
      await dynamic.register(openBody, token);
      await dynamic.register(openBody, token);
      const answer = await dynamic.send(openBody, bearer(token));
      expect([answer.status, answer.json()]).toEqual([401, expect.objectContaining({ error: 'invalid_token' })]);
    });

    it('registers one client of 16 at the same moment with its last use', async () => {
      const token = await dynamic.createToken();
      const answers = await Promise.all(Array.from({ length: 16 }, () => dynamic.send(openBody, bearer(token))));
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([201, ...Array.from({ length: 15 }, () => 401)]);
    });

    it('loses no use to a resource that is deleted at the same moment, and is asked to try again', async () => {
      const resources = administerResources(realm);
      const { id, resource } = await resources.create({ dynamic_clients: true });
      const token = await dynamic.createToken();
      const remove = () => resources.delete(id);
      const isMet = interruptNext(realm.deps.database, /^INSERT INTO clients/, { before: remove });
      const answer = await dynamic.send({ ...openBody, resources: [resource] }, bearer(token));
      expect([isMet(), answer.status, answer.headers['retry-after']]).toEqual([true, 503, '1']);
      expect(answer.json()).toMatchObject({ error: 'temporarily_unavailable' });
      await dynamic.register(openBody, token);
    });

    it('leaves its id and its limits with the client, and nothing else', async () => {
      const { client_id } = await dynamic.register(openBody, await dynamic.createToken({ scope: 'openid' }));
      const sql = 'SELECT registration FROM clients WHERE client_id = ?';
      const [row] = await realm.deps.database.query<{ registration: string }>(sql, [client_id]);
      expect(JSON.parse(row?.registration ?? '')).toEqual({
        initialToken: {
          id: expect.any(String),
          limits: { grantTypes: ['authorization_code', 'refresh_token'], scope: ['openid'] },
        },
      });
    });

    it('ends', async () => {
      const token = await dynamic.createToken({ expires_in: 60 });
      realm.advance(60_000);
      expect((await dynamic.send(openBody, bearer(token))).status).toBe(401);
    });
  });

  describe('resources', () => {
    it('are those with dynamic_clients, with their scopes; the client may ask for each, and for org-api', async () => {
      const resources = administerResources(realm);
      const open = await resources.create({ dynamic_clients: true });
      const closed = await resources.create();
      const [read = '', write = ''] = open.scopes.map(({ name }) => name);
      const registered = await dynamic.register();
      expect(registered.resources).toEqual(expect.arrayContaining([realm.orgUrl, open.resource]));
      expect(registered.resources).not.toContain(closed.resource);
      expect(registered.scope.split(' ')).toEqual(expect.arrayContaining(['openid', 'profile', 'email', read, write]));

      const named = await dynamic.register({ ...openBody, resources: [open.resource], scope: `openid ${read}` });
      expect(named).toMatchObject({ resources: [open.resource], default_resource: open.resource });
      const refused = await dynamic.send({ ...openBody, resources: [realm.orgUrl, closed.resource] });
      expectRefusal(refused, 'invalid_client_metadata', /resources entry 2/);
      const beyond = await dynamic.send({ ...openBody, resources: [realm.orgUrl], scope: read });
      expectRefusal(beyond, 'invalid_client_metadata', /scope must hold only/);

      const limited = await dynamic.createToken({ uses: 9, resources: [open.resource], scope: `openid ${read}` });
      const byToken = await dynamic.register(openBody, limited);
      expect(byToken).toMatchObject({ resources: [open.resource], scope: `openid ${read}` });
      const other = await dynamic.send({ ...openBody, resources: [realm.orgUrl] }, bearer(limited));
      expectRefusal(other, 'invalid_client_metadata', /resources entry 1/);

      // What is closed again is open to nobody who registers from then on.
      await resources.change(open.id, { dynamic_clients: false });
      expect(await dynamic.register()).not.toHaveProperty('resources');
      await expect(obtainAllowedCode(realm, byToken, { scope: `openid ${read}` })).rejects.toThrow(/invalid_target/);
      expectRefusal(await dynamic.send(openBody, bearer(limited)), 'invalid_client_metadata', /resources must not be/);
    });

    it('may be several without org-api, of which the client names the default', async () => {
      const resources = administerResources(realm);
      const [first, second] = [
        (await resources.create({ dynamic_clients: true })).resource,
        (await resources.create({ dynamic_clients: true })).resource,
      ];
      const asked = { ...openBody, resources: [first, second] };
      expect(await dynamic.register(asked)).toMatchObject({ default_resource: first });
      expect(await dynamic.register({ ...asked, default_resource: second })).toMatchObject({
        default_resource: second,
      });
    });
  });

  it('gives no device codes to a client of open registration, whatever an administrator changed of it', async () => {
    const { client_id } = await dynamic.register();
    const json = { authorized_grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'] };
    expect((await realm.send(`/clients/${client_id}`, { method: 'PATCH', basic: administrator, json })).status).toBe(
      200,
    );
    const refused = await realm.send('/oauth/device_authorization', { form: { client_id } });
    expect([refused.status, refused.json()]).toEqual([400, expect.objectContaining({ error: 'unauthorized_client' })]);
  });

  it('lets 20 clients of one network register in an hour of the clock', async () => {
    const from = { 'x-forwarded-for': createAddress() };
    for (let turn = 0; turn < 20; turn += 1) expect((await dynamic.send(openBody, from)).status).toBe(201);
    expect((await dynamic.send({}, from)).status).toBe(400);
    const refused = await dynamic.send(openBody, from);
    expect([refused.status, refused.json()]).toEqual([
      429,
      expect.objectContaining({ error: 'temporarily_unavailable' }),
    ]);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(3600);
    expect((await dynamic.send(openBody)).status).toBe(201);
    const token = await dynamic.createToken();
    expect((await dynamic.send(openBody, { ...from, ...bearer(token) })).status).toBe(201);
    realm.advance(3_600_000);
    expect((await dynamic.send(openBody, from)).status).toBe(201);
  });

  it('lets no more register at two replicas together, at the same moment', async () => {
    realm.advance(3_600_000 - (realm.clock() % 3_600_000));
    const replica = await startAuthServer(0, realm.env, realm.clock);
    const headers = { 'x-forwarded-for': createAddress() };
    const register = async (turn: number) => {
      if (turn % 2 === 0) return (await dynamic.send(openBody, headers)).status;
      const payload = openBody;
      return (await replica.app.inject({ method: 'POST', url: '/oauth/register', payload, headers })).statusCode;
    };
    const statuses = await Promise.all(Array.from({ length: 26 }, (_, turn) => register(turn)));
    expect(statuses.sort()).toEqual([...Array<number>(20).fill(201), ...Array<number>(6).fill(429)]);
    await replica.stop();
  });

  it('is in the audit trail: who registered it, never its token', async () => {
    const made = await realm.send('/registration-tokens', { basic: administrator, json: {} });
    const { id, token } = made.json<{ id: string; token: string }>();
    const { client_id } = await dynamic.register(openBody, token);
    const answer = await realm.send('/audit-events?limit=20', { basic: administrator });
    const { events } = answer.json<{ events: { type: string; actor: object; subject: { name?: string } }[] }>();
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'client.registered',
        actor: { kind: 'initial_token', id },
        subject: expect.objectContaining({ kind: 'client', name: client_id }),
        details: { grant_types: ['authorization_code'] },
      }),
    );
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'initial_token.created',
        actor: expect.objectContaining({ kind: 'user' }),
        subject: { kind: 'initial_token', id },
      }),
    );
    expect(answer.text).not.toContain(token);
  });
});

describe('a fault at the registration endpoints', () => {
  it.each<[string, Error, number, string]>([
    ['one of the metadata', new ProblemError(400, 'scope must'), 400, 'invalid_client_metadata'],
    ['one of another status', new ProblemError(404, 'no such client'), 400, 'invalid_request'],
    ['one that passes', new ProblemError(503, 'try again'), 503, 'temporarily_unavailable'],
    ['one that has its code', new OAuthError('invalid_request', 'no'), 400, 'invalid_request'],
  ])('is answered by the code of its kind: %s', async (_what, error, status, code) => {
    const app = createServer({ log: silentLog, trustProxy: false, publicUrl: 'https://auth.example.com' });
    app.setErrorHandler(createRegistrationErrorHandler('main'));
    app.post('/oauth/register', () => Promise.reject(error));
    const answer = await app.inject({ method: 'POST', url: '/oauth/register' });
    expect([answer.statusCode, answer.json()]).toEqual([status, { error: code, error_description: error.message }]);
    await app.close();
  });
});

describe('the registration endpoint', () => {
  it('is not there where it is off, and registration tokens can be made all the same', async () => {
    const realm = await startRealm();
    const { send, createToken } = registerDynamically(realm);
    expect((await send(openBody)).status).toBe(404);
    expect((await send(openBody, bearer(await createToken()))).status).toBe(404);
    const metadata = await realm.send('/.well-known/openid-configuration');
    expect(metadata.json()).not.toHaveProperty('registration_endpoint');
    await realm.close();
  });

  it.each(['token', 'open'])('is in both metadata documents where it is %s', async (mode) => {
    const realm = await startRealm({ DYNAMIC_REGISTRATION: mode });
    for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']) {
      expect((await realm.send(path)).json()).toMatchObject({ registration_endpoint: `${realm.url}/oauth/register` });
    }
    const { paths } = (await realm.send('/openapi.json')).json<{ paths: Record<string, { post: object }> }>();
    const byToken = { initialAccessToken: [] };
    expect(paths['/oauth/register']?.post).toMatchObject({ security: mode === 'open' ? [byToken, {}] : [byToken] });
    const answer = await registerDynamically(realm).send({ redirect_uris: 7 });
    expect([answer.status, answer.headers['www-authenticate']]).toEqual(
      mode === 'open' ? [400, undefined] : [401, 'Bearer realm="main"'],
    );
    await realm.close();
  });
});
