import { type Answer, call, type Gatehouse } from '@gatehouse/test-kit';
import { beforeAll, expect, it } from '@jest/globals';
import { decodeProtectedHeader } from 'jose';
import type { Credentials } from '../support/clients.ts';
import { getUserTokens, readClaims } from '../support/tokens.ts';
import { obtainTokens } from './authorization-request.ts';
import { describeStandard, register } from './realm.ts';

describeStandard('RFC 8414 and OpenID Connect Discovery', (getGatehouse) => {
  let gatehouse: Gatehouse;
  let app: Credentials;
  let answer: Answer;
  let metadata: Record<string, unknown>;
  const list = (name: string) => metadata[name] as string[];

  beforeAll(async () => {
    gatehouse = getGatehouse();
    app = await register(gatehouse);
    answer = await call(`${gatehouse.authUrl}/.well-known/oauth-authorization-server`);
    metadata = answer.json();
  });

  it('RFC 8414 2: what is required stands there', () => {
    expect(metadata).toMatchObject({
      issuer: expect.any(String),
      authorization_endpoint: expect.any(String),
      token_endpoint: expect.any(String),
      jwks_uri: expect.any(String),
      response_types_supported: expect.arrayContaining(['code']),
    });
  });

  it('RFC 8414 2: the issuer has neither query nor fragment, and is the iss of tokens', async () => {
    const { href, search, hash } = new URL(String(metadata.issuer));
    expect({ search, hash }).toEqual({ search: '', hash: '' });
    expect(href.replace(/\/$/, '')).toBe(gatehouse.authUrl);
    const { access_token, id_token = '' } = await getUserTokens(gatehouse, app);
    expect(readClaims(access_token).iss).toBe(metadata.issuer);
    expect(readClaims(id_token).iss).toBe(metadata.issuer);
  });

  it('RFC 8414 2: every endpoint that stands there is one', async () => {
    const endpoints = Object.entries(metadata).filter(([name]) => /_endpoint$|_uri$/.test(name));
    expect(endpoints.length).toBe(9);
    for (const [, url] of endpoints) {
      const statuses = [(await call(String(url))).status, (await call(String(url), { form: {} })).status];
      expect(statuses).not.toEqual([404, 404]);
    }
  });

  it('RFC 8414 2: jwks_uri has the keys that tokens are signed with, each with its use', async () => {
    const { keys } = (await call(String(metadata.jwks_uri))).json<{ keys: Record<string, string>[] }>();
    const { access_token, id_token = '' } = await getUserTokens(gatehouse, app);
    for (const token of [access_token, id_token]) {
      const { kid, alg } = decodeProtectedHeader(token);
      expect(keys).toContainEqual(expect.objectContaining({ kid, alg, use: 'sig' }));
    }
  });

  it('RFC 7517 4, RFC 8414 6.2: no private part of a key is published', async () => {
    const { keys } = (await call(String(metadata.jwks_uri))).json<{ keys: object[] }>();
    expect(keys.length).toBeGreaterThanOrEqual(2);
    for (const key of keys) {
      for (const member of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) expect(key).not.toHaveProperty(member);
    }
  });

  it('RFC 8414 2: signature algorithms of client assertions are listed, and none is not among them', () => {
    for (const endpoint of ['token', 'introspection', 'revocation']) {
      expect(list(`${endpoint}_endpoint_auth_methods_supported`)).toContain('private_key_jwt');
      const algorithms = list(`${endpoint}_endpoint_auth_signing_alg_values_supported`);
      expect(algorithms).toContain('ES256');
      expect(algorithms).not.toContain('none');
    }
  });

  it('RFC 8414 2: the grant types that stand there are known to the token endpoint', async () => {
    for (const grant_type of list('grant_types_supported').filter((name) => name !== 'implicit')) {
      const { json } = await call(String(metadata.token_endpoint), { basic: app, form: { grant_type } });
      expect(json().error).not.toBe('unsupported_grant_type');
    }
  });

  it('RFC 8414 2: the response types and modes that stand there are known, and no others', async () => {
    const errorOf = async (parameters: Record<string, string>) => {
      const url = `${metadata.authorization_endpoint}?${new URLSearchParams({ client_id: app[0], ...parameters })}`;
      const { headers } = await call(url);
      const { search, hash } = new URL(String(headers.location));
      return new URLSearchParams(search || hash.slice(1)).get('error');
    };
    for (const response_type of list('response_types_supported')) {
      expect(await errorOf({ response_type, scope: 'nonsense' })).not.toBe('unsupported_response_type');
    }
    expect(await errorOf({ response_type: 'code none' })).toBe('unsupported_response_type');
    expect(await errorOf({ response_type: 'code', response_mode: 'web_message' })).toBe('invalid_request');
  });

  it('RFC 8414 3.1: the document is asked for by GET at the well-known path', () => {
    expect(answer.status).toBe(200);
  });

  it('RFC 8414 3.2: the answer is a JSON object with media type application/json', () => {
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.text).toMatch(/^\{/);
  });

  it('RFC 8414 3.2: claims without a value are left out', () => {
    for (const value of Object.values(metadata)) expect([undefined, null, '']).not.toContain(value);
    for (const value of Object.values(metadata).filter(Array.isArray)) expect(value.length).toBeGreaterThan(0);
  });

  it('RFC 8414 3.3: the issuer is the URL that the document was asked for with', () => {
    expect(metadata.issuer).toBe(gatehouse.authUrl);
  });

  it('RFC 8414 5, Discovery 4: the OpenID document says the same', async () => {
    const openid = await call(`${gatehouse.authUrl}/.well-known/openid-configuration`);
    expect(openid.status).toBe(200);
    expect(openid.headers['content-type']).toMatch(/^application\/json/);
    expect(openid.json()).toEqual(metadata);
  });

  it('Discovery 3: what is required of an OpenID provider stands there', () => {
    expect(metadata).toMatchObject({
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: expect.arrayContaining(['RS256']),
      scopes_supported: expect.arrayContaining(['openid']),
      userinfo_endpoint: expect.any(String),
    });
  });

  it('Discovery 3: what is not supported is said not to be', () => {
    expect(metadata).toMatchObject({ request_uri_parameter_supported: true, require_signed_request_object: false });
    expect(metadata).not.toHaveProperty('registration_endpoint');
  });

  it('Discovery 3: the claims that are issued are listed', async () => {
    const { id_token = '', access_token } = await obtainTokens(gatehouse, app, { scope: 'openid profile email roles' });
    const userinfo = await call(String(metadata.userinfo_endpoint), { bearer: access_token });
    for (const name of [...Object.keys(readClaims(id_token)), ...Object.keys(userinfo.json())]) {
      expect(list('claims_supported')).toContain(name);
    }
  });
});
