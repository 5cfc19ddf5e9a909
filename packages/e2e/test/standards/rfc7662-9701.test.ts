import { call, type Gatehouse } from '@gatehouse/test-kit';
import { beforeAll, expect, it } from '@jest/globals';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { type Credentials, serviceAccountKind } from '../support/clients.ts';
import { administrator, plainUser } from '../support/people.ts';
import { getTokens, getUserTokens, readClaims, readHeader } from '../support/tokens.ts';
import { uniqueName } from '../support/unique.ts';
import { createUserAdministration } from '../support/users.ts';
import { waitFor } from '../support/wait.ts';
import { obtainCode, obtainTokens } from './authorization-request.ts';
import { describeStandard, publicKind, register } from './realm.ts';

describeStandard('RFC 7662 and RFC 9701, token introspection', (getGatehouse) => {
  let gatehouse: Gatehouse;
  let app: Credentials;
  let resourceServer: Credentials;
  let url: string;

  beforeAll(async () => {
    gatehouse = getGatehouse();
    url = `${gatehouse.authUrl}/oauth/introspect`;
    [app, resourceServer] = await Promise.all([
      register(gatehouse),
      register(gatehouse, { ...serviceAccountKind(), redirect_uri: undefined }),
    ]);
  });
  const introspect = async (token: string, basic: Credentials = resourceServer) => {
    const answer = await call(url, { basic, form: { token } });
    expect(answer.status).toBe(200);
    return answer.json();
  };
  const jwt = { accept: 'application/token-introspection+jwt' };

  it('RFC 7662 2.1: POST with a form is supported, and the answer is JSON that is not cached', async () => {
    const { access_token } = await getUserTokens(gatehouse, app);
    const { status, headers } = await call(url, { basic: resourceServer, form: { token: access_token } });
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(headers['cache-control']).toBe('no-store');
  });

  it('RFC 7662 2.1: a token in the query of a GET is not looked at', async () => {
    const { status } = await call(`${url}?token=x`, { basic: resourceServer });
    expect(status).toBeGreaterThanOrEqual(404);
  });

  it('RFC 7662 2.1: the token is required', async () => {
    const { status, json } = await call(url, { basic: resourceServer, form: {} });
    expect({ status, error: json().error }).toEqual({ status: 400, error: 'invalid_request' });
  });

  it('RFC 7662 2.1: who asks must be authorized, so that tokens cannot be scanned for', async () => {
    const spa = await register(gatehouse, publicKind);
    const { access_token: token } = await getUserTokens(gatehouse, app);
    const forms: Record<string, string>[] = [{ token }, { token, client_id: spa[0] }, { token, client_id: app[0] }];
    for (const form of forms) {
      const { status, json } = await call(url, { form });
      expect({ status, error: json().error }).toEqual({ status: 401, error: 'invalid_client' });
    }
  });

  it('RFC 7662 2.1: an unknown token_type_hint is ignored', async () => {
    const { access_token: token } = await getUserTokens(gatehouse, app);
    const answer = await call(url, { basic: app, form: { token, token_type_hint: 'nonsense' } });
    expect(answer.json().active).toBe(true);
  });

  it('RFC 7662 2.2: an active access token is told with what it stands for', async () => {
    const { access_token } = await getUserTokens(gatehouse, app);
    const { iss, sub, aud, exp, iat, jti } = readClaims(access_token);
    expect(await introspect(access_token)).toMatchObject({
      active: true,
      token_type: 'Bearer',
      client_id: app[0],
      username: plainUser[0],
      scope: 'openid profile email roles',
      ...{ iss, sub, aud, exp, iat, jti },
    });
  });

  it('RFC 7662 2.2: an active refresh token is told to its own client', async () => {
    const { refresh_token = '' } = await getUserTokens(gatehouse, app);
    expect(await introspect(refresh_token, app)).toMatchObject({ active: true, client_id: app[0] });
    expect(await introspect(refresh_token, resourceServer)).toEqual({ active: false });
  });

  it('RFC 7662 2.2: of an inactive token nothing is said but that', async () => {
    const { access_token } = await getUserTokens(gatehouse, app);
    await call(`${gatehouse.authUrl}/oauth/revoke`, { basic: app, form: { token: access_token } });
    const { code } = await obtainCode(gatehouse, app);
    for (const token of [access_token, 'nonsense', code, `${access_token}x`]) {
      expect(await introspect(token)).toEqual({ active: false });
    }
  });

  it('RFC 7662 4: an expired token is not active', async () => {
    const shortLived = await register(gatehouse, { access_token_validity: 1 });
    const { access_token } = await getUserTokens(gatehouse, shortLived);
    const last = await waitFor(
      () => introspect(access_token),
      ({ active }) => active === false,
      5_000,
    );
    expect(last).toEqual({ active: false });
  });

  it('RFC 7662 4: a token is checked to be signed by this server', async () => {
    const { access_token } = await getUserTokens(gatehouse, app);
    const [head, , signature] = access_token.split('.');
    const claims = { ...readClaims(access_token), sub: 'somebody else' };
    const changed = `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`;
    expect(await introspect(changed)).toEqual({ active: false });
  });

  it('RFC 7662 4: an ID token is not an access token', async () => {
    const { id_token = '' } = await obtainTokens(gatehouse, app);
    expect(await introspect(id_token)).toEqual({ active: false });
  });

  it('RFC 7662 4: the token of a user who was disabled is not active', async () => {
    const administratorToken = (await getUserTokens(gatehouse, app, administrator)).access_token;
    const users = createUserAdministration(gatehouse, administratorToken);
    const person: [string, string] = [`${uniqueName('person')}@example.com`, 'person-password'];
    await users.create({ username: person[0], password: person[1], userType: 'Person' });
    const { access_token } = await getUserTokens(gatehouse, app, person);
    expect(await introspect(access_token)).toMatchObject({ active: true });
    await users.change(person[0], { enabled: false });
    const last = await waitFor(
      () => introspect(access_token),
      ({ active }) => active === false,
      3_000,
    );
    expect(last).toEqual({ active: false });
  });

  it('RFC 7662 2.3: with wrong credentials the answer is 401', async () => {
    const { status, headers } = await call(url, { basic: [app[0], 'wrong'], form: { token: 'x' } });
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toMatch(/^Basic/);
  });

  it('RFC 9701 4: who accepts application/token-introspection+jwt gets a JWT of that type', async () => {
    const { access_token: token } = await getUserTokens(gatehouse, app);
    const { status, headers, text } = await call(url, { basic: resourceServer, form: { token }, headers: jwt });
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^application\/token-introspection\+jwt/);
    expect(readHeader(text)).toMatchObject({ typ: 'token-introspection+jwt', alg: 'RS256', kid: expect.any(String) });
  });

  it('RFC 9701 5: the JWT is signed, and names its issuer, the resource server that asked, and its time', async () => {
    const { access_token: token } = await getUserTokens(gatehouse, app);
    const { text } = await call(url, { basic: resourceServer, form: { token }, headers: jwt });
    const keys = createRemoteJWKSet(new URL(`${gatehouse.authUrl}/oauth/jwks`));
    const { payload } = await jwtVerify(text, keys, {
      issuer: gatehouse.authUrl,
      audience: resourceServer[0],
      typ: 'token-introspection+jwt',
      requiredClaims: ['iss', 'aud', 'iat', 'token_introspection'],
    });
    expect(payload.token_introspection).toMatchObject({ active: true, client_id: app[0], sub: readClaims(token).sub });
  });

  it('RFC 9701 5: of an inactive token the JWT says nothing but that', async () => {
    const { text } = await call(url, { basic: resourceServer, form: { token: 'nonsense' }, headers: jwt });
    expect(readClaims(text).token_introspection).toEqual({ active: false });
  });

  it('RFC 9701 8.1: the JWT cannot pass for an access token or an ID token', async () => {
    const { access_token: token } = await getTokens(gatehouse, resourceServer, { grant_type: 'client_credentials' });
    const { text } = await call(url, { basic: resourceServer, form: { token }, headers: jwt });
    expect(readClaims(text)).not.toHaveProperty('sub');
    expect(readClaims(text)).not.toHaveProperty('exp');
    expect((await call(`${gatehouse.authUrl}/oauth/userinfo`, { bearer: text })).status).toBe(401);
  });

  it('RFC 9701 6: the signing algorithm is in the metadata', async () => {
    const metadata = await call(`${gatehouse.authUrl}/.well-known/oauth-authorization-server`);
    expect(metadata.json().introspection_signing_alg_values_supported).toEqual(['RS256', 'ES256']);
  });
});
