import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { languageTags } from '../../src/pages/messages/language-tags.ts';
import { administrator, type Realm, startRealm, webClient } from '../support/realm.ts';

type Metadata = Record<string, unknown> & Record<`${string}_endpoint`, string>;

describe('what the realm tells of itself', () => {
  let realm: Realm;
  let metadata: Metadata;
  beforeAll(async () => {
    realm = await startRealm({ EXTRA_SCOPES: 'orders.read' });
    await realm.register(webClient);
    metadata = (await realm.send('/.well-known/openid-configuration')).json<Metadata>();
  });
  afterAll(() => realm.close());

  it('names the issuer exactly, and every endpoint below it (OpenID Connect Discovery 3)', () => {
    expect(metadata.issuer).toBe(realm.authUrl);
    const paths = Object.entries(metadata)
      .filter(([name]) => /_(endpoint|uri)$/.test(name))
      .map(([name, address]) => [name, String(address).replace(realm.authUrl, '')]);
    expect(Object.fromEntries(paths)).toEqual({
      authorization_endpoint: '/oauth/authorize',
      token_endpoint: '/oauth/token',
      userinfo_endpoint: '/oauth/userinfo',
      jwks_uri: '/oauth/jwks',
      introspection_endpoint: '/oauth/introspect',
      revocation_endpoint: '/oauth/revoke',
      pushed_authorization_request_endpoint: '/oauth/par',
      device_authorization_endpoint: '/oauth/device_authorization',
      end_session_endpoint: '/oauth/logout',
    });
  });

  it('is the same at both well-known paths (RFC 8414 3)', async () => {
    const answer = await realm.send('/.well-known/oauth-authorization-server');
    expect(answer.json()).toEqual(metadata);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
  });

  it('promises what the contract says', () => {
    const { issuer: _issuer, ...promises } = Object.fromEntries(
      Object.entries(metadata).filter(([name]) => !/_(endpoint|uri)$/.test(name)),
    );
    const [methods, algorithms] = [
      ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      ['ES256', 'RS256', 'PS256', 'Ed25519', 'EdDSA'],
    ];
    expect(promises).toEqual({
      scopes_supported: [
        'openid',
        'profile',
        'email',
        'phone',
        'address',
        'offline_access',
        'roles',
        'groups',
        'orders.read',
      ],
      response_types_supported: [
        ...['code', 'id_token', 'id_token token', 'token'],
        ...['code id_token', 'code id_token token', 'code token'],
      ],
      response_modes_supported: [
        ...['query', 'fragment', 'form_post'],
        ...['jwt', 'query.jwt', 'fragment.jwt', 'form_post.jwt'],
      ],
      grant_types_supported: [
        ...['authorization_code', 'client_credentials', 'password', 'refresh_token', 'implicit'],
        'urn:ietf:params:oauth:grant-type:device_code',
        'urn:ietf:params:oauth:grant-type:token-exchange',
      ],
      subject_types_supported: ['public'],
      prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
      acr_values_supported: ['urn:gatehouse:acr:password', 'urn:gatehouse:acr:mfa', 'phr'],
      ui_locales_supported: languageTags,
      id_token_signing_alg_values_supported: ['RS256', 'ES256'],
      authorization_signing_alg_values_supported: ['RS256', 'ES256'],
      userinfo_signing_alg_values_supported: ['RS256', 'ES256'],
      token_endpoint_auth_methods_supported: [...methods, 'none'],
      introspection_endpoint_auth_methods_supported: methods,
      revocation_endpoint_auth_methods_supported: [...methods, 'none'],
      token_endpoint_auth_signing_alg_values_supported: algorithms,
      introspection_endpoint_auth_signing_alg_values_supported: algorithms,
      revocation_endpoint_auth_signing_alg_values_supported: algorithms,
      introspection_signing_alg_values_supported: ['RS256', 'ES256'],
      request_object_signing_alg_values_supported: algorithms,
      dpop_signing_alg_values_supported: ['ES256', 'Ed25519', 'EdDSA', 'PS256', 'RS256'],
      code_challenge_methods_supported: ['S256'],
      claim_types_supported: ['normal'],
      claims_supported: [
        ...['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'sid', 'acr', 'amr', 'at_hash'],
        ...['name', 'given_name', 'family_name', 'middle_name', 'nickname', 'preferred_username', 'profile'],
        ...['picture', 'website', 'gender', 'birthdate', 'locale', 'zoneinfo', 'updated_at', 'external_id'],
        ...['email', 'email_verified', 'phone_number', 'phone_number_verified', 'address', 'roles', 'groups'],
      ],
      claims_parameter_supported: true,
      request_parameter_supported: true,
      request_uri_parameter_supported: true,
      require_request_uri_registration: true,
      require_signed_request_object: false,
      require_pushed_authorization_requests: false,
      authorization_response_iss_parameter_supported: true,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      service_documentation: `${realm.authUrl}/docs`,
      protected_resources: [realm.orgUrl],
    });
  });

  it('lists the APIs that clients come upon by themselves: org-api, then the open ones by their text (RFC 9728 4)', async () => {
    const listed = async () => (await realm.send('/.well-known/openid-configuration')).json<Metadata>();
    const register = async (resource: string, open: boolean) => {
      const json = { resource, name: 'Notes', dynamic_clients: open };
      return (await realm.send('/resources', { basic: administrator, json })).json<{ id: string }>().id;
    };
    const [later, closed] = ['https://b.example.com/mcp', 'https://aa.example.com'];
    const id = await register(later, true);
    await register(closed, false);
    await register('https://a.example.com/mcp', true);
    const all = [realm.orgUrl, 'https://a.example.com/mcp', later];
    expect((await listed()).protected_resources).toEqual(all);
    const change = (json: object) => realm.send(`/resources/${id}`, { basic: administrator, method: 'PATCH', json });
    await change({ dynamic_clients: false });
    expect((await listed()).protected_resources).toEqual(all.slice(0, 2));
    await change({ dynamic_clients: true });
    expect((await listed()).protected_resources).toEqual(all);
    await realm.send(`/resources/${id}`, { basic: administrator, method: 'DELETE' });
    expect((await listed()).protected_resources).toEqual(all.slice(0, 2));
  });

  it('lists org-api once, also where its URI was that of an open API before', async () => {
    const other = await startRealm();
    const sql = 'UPDATE resources SET dynamic_clients = 1 WHERE resource = ?';
    expect(await other.deps.database.execute(sql, [other.orgUrl])).toBe(1);
    const answer = (await other.send('/.well-known/openid-configuration')).json<Metadata>();
    expect(answer.protected_resources).toEqual([other.orgUrl]);
    await other.close();
  });

  it('names the pages of the organization where they are set', async () => {
    const pages = { PRIVACY_URL: 'https://example.com/privacy', TERMS_URL: 'https://example.com/terms' };
    const other = await startRealm(pages);
    for (const path of ['openid-configuration', 'oauth-authorization-server']) {
      expect((await other.send(`/.well-known/${path}`)).json()).toMatchObject({
        op_policy_uri: pages.PRIVACY_URL,
        op_tos_uri: pages.TERMS_URL,
      });
    }
    await other.close();
  });

  it('names no endpoint that is not there', async () => {
    for (const [name, address] of Object.entries(metadata)) {
      if (!/_(endpoint|uri)$/.test(name)) continue;
      const path = String(address).replace(realm.authUrl, '');
      const [get, post] = [await realm.send(path), await realm.send(path, { form: {} })];
      expect([name, get.status === 404 && post.status === 404]).toEqual([name, false]);
    }
  });

  it('shows the public keys, which may be cached, and nothing private (RFC 7517)', async () => {
    const answer = await realm.send('/oauth/jwks');
    const { keys } = answer.json<{ keys: Record<string, string>[] }>();
    expect(keys.map(({ alg, kty, use }) => [alg, kty, use]).sort()).toEqual([
      ['ES256', 'EC', 'sig'],
      ['RS256', 'RSA', 'sig'],
    ]);
    for (const key of keys)
      for (const member of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) expect(key).not.toHaveProperty(member);
    expect(answer.headers['cache-control']).toMatch(/max-age=\d+/);
    expect(answer.headers['content-type']).toMatch(/^application\/(json|jwk-set\+json)/);
  });

  it('is ready, and tells of its parts', async () => {
    expect((await realm.send('/health/live')).json()).toEqual({ status: 'ok' });
    const ready = await realm.send('/health/ready');
    expect([ready.status, ready.json()]).toEqual([
      200,
      { status: 'ok', checks: { database: 'ok', 'signing-keys': 'ok' } },
    ]);
  });

  it('counts its answers for Prometheus, by route and not by what stands in a URL', async () => {
    await realm.send('/clients/some-client-id?code=hush');
    const { text } = await realm.send('/metrics');
    expect(text).toContain(
      'http_request_duration_seconds_count{method="GET",route="/clients/:client_id",status="401"}',
    );
    expect(text).not.toMatch(/some-client-id|hush/);
  });

  it('describes its interface in OpenAPI, with every route of the contract', async () => {
    const document = (await realm.send('/openapi.json')).json<{ openapi: string; paths: Record<string, object> }>();
    const servers = [{ url: realm.authUrl }];
    // Its version is that of the package, of which tests in process know nothing.
    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: 'development' }, servers });
    for (const path of [
      '/clients',
      '/clients/{client_id}',
      '/clients/{client_id}/secret',
      '/oauth/token',
      '/oauth/authorize',
      '/oauth/introspect',
      '/oauth/revoke',
      '/oauth/userinfo',
      '/oauth/logout',
      '/oauth/jwks',
      '/oauth/par',
      '/oauth/status-lists/{listId}',
    ]) {
      expect(document.paths).toHaveProperty([path]);
    }
    const description = 'RFC 7662, for confidential clients.';
    expect(document.paths['/oauth/introspect']).toMatchObject({ post: { description } });
    expect((await realm.send('/docs/')).status).toBe(200);
  });

  it.each([
    ['GET', '/nothing', 404],
    ['DELETE', '/clients', 405],
    ['DELETE', '/nothing', 404],
    ['GET', '/%ff', 400],
    ['GET', '/clients/%zz', 400],
    ['GET', '/../../etc/passwd', 404],
  ])('answers %s %s with a problem document and a request id', async (method, path, status) => {
    const answer = await realm.send(path, { method });
    expect([answer.status, answer.headers['content-type']]).toEqual([
      status,
      expect.stringMatching(/^application\/problem\+json/),
    ]);
    expect(answer.headers['x-request-id']).toMatch(/^[\w.-]{8,}$/);
    expect(answer.text).not.toMatch(/stack|node_modules/);
  });

  it.each([
    ['GET', '/oauth/token', 'POST'],
    ['TRACE', '/oauth/token', 'POST'],
    ['DELETE', '/oauth/par', 'POST'],
    ['PATCH', '/oauth/userinfo', 'GET, HEAD, POST'],
  ])('answers %s %s with 405, Allow and an OAuth error', async (method, path, allow) => {
    const form = method === 'PATCH' ? { form: { a: 'b' } } : {};
    const answer = await realm.send(path, { method, ...form });
    expect([answer.status, answer.headers.allow]).toEqual([405, allow]);
    expect(answer.json()).toEqual({ error: 'invalid_request', error_description: `this path takes only ${allow}` });
  });

  it.each(['token', 'par', 'revoke', 'introspect', 'device_authorization'])(
    'answers JSON at /oauth/%s with 415, and says how to send the parameters',
    async (name) => {
      const answer = await realm.send(`/oauth/${name}`, { json: { client_id: 'web' } });
      expect([answer.status, answer.json()]).toEqual([
        415,
        {
          error: 'invalid_request',
          error_description: 'send the parameters as application/x-www-form-urlencoded, not JSON',
        },
      ]);
    },
  );

  it('answers another method at a page with a page', async () => {
    const answer = await realm.send('/oauth/authorize', { method: 'DELETE' });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD, POST']);
    expect(answer.headers['content-type']).toMatch(/^text\/html/);
  });

  it('gives the key set where tools look for it without the metadata, too', async () => {
    const [one, other] = [await realm.send('/oauth/jwks'), await realm.send('/.well-known/jwks.json')];
    expect(other.json()).toEqual(one.json());
    expect(other.headers['cache-control']).toBe(one.headers['cache-control']);
    expect(other.headers['access-control-allow-origin']).toBe('*');
  });

  it('passes a request id on that is harmless, and makes one where it is not', async () => {
    const idOf = async (id: string) =>
      (await realm.send('/health/live', { headers: { 'x-request-id': id } })).headers['x-request-id'];
    expect(await idOf('my-request.0001')).toBe('my-request.0001');
    for (const bad of ['x', 'a b c d e f g h', '<script>alert</script>', 'x'.repeat(200)])
      expect(await idOf(bad)).not.toBe(bad);
  });
});
