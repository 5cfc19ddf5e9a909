import { call, createClientKey, type Gatehouse } from '@gatehouse/test-kit';
import { beforeAll, expect, it } from '@jest/globals';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { type Credentials, serviceAccountKind } from '../support/clients.ts';
import { forge, signEs256, signHs256 } from '../support/forged-tokens.ts';
import { idpAdministrator, plainUser } from '../support/people.ts';
import { getTokens, getUserTokens, readClaims, readHeader } from '../support/tokens.ts';
import { getUserDetails } from '../support/users.ts';
import { obtainTokens } from './authorization-request.ts';
import { describeStandard, register } from './realm.ts';

describeStandard('RFC 9068, JWT access tokens', (getGatehouse) => {
  let gatehouse: Gatehouse;
  let app: Credentials;
  let machine: Credentials;
  let plain: Credentials;
  let token: string;

  beforeAll(async () => {
    gatehouse = getGatehouse();
    [app, machine, plain] = await Promise.all([
      register(gatehouse),
      register(gatehouse, { ...serviceAccountKind(), redirect_uri: undefined }),
      register(gatehouse, { authorized_grant_types: ['client_credentials'], redirect_uri: undefined }),
    ]);
    token = (await getUserTokens(gatehouse, app)).access_token;
  });
  const statusWith = async (bearer: string) => (await getUserDetails(gatehouse, plainUser[0], bearer)).status;

  it('RFC 9068 2.1: an access token is signed, with typ at+jwt and never alg none', () => {
    expect(readHeader(token)).toMatchObject({ typ: 'at+jwt', alg: 'ES256', kid: expect.any(String) });
  });

  it('RFC 9068 2.1: its signature can be checked with the published keys', async () => {
    const keys = createRemoteJWKSet(new URL(`${gatehouse.authUrl}/oauth/jwks`));
    const { payload } = await jwtVerify(token, keys, { issuer: gatehouse.authUrl, audience: gatehouse.baseUrl });
    expect(payload.client_id).toBe(app[0]);
  });

  it('RFC 9068 2.2: iss, exp, aud, sub, client_id, iat and jti are there', () => {
    expect(readClaims(token)).toMatchObject({
      iss: gatehouse.authUrl,
      aud: gatehouse.baseUrl,
      sub: expect.any(String),
      client_id: app[0],
      exp: expect.any(Number),
      iat: expect.any(Number),
      jti: expect.any(String),
    });
  });

  it('RFC 9068 2.2: every token has a jti of its own', async () => {
    const second = (await getUserTokens(gatehouse, app)).access_token;
    expect(readClaims(second).jti).not.toBe(readClaims(token).jti);
  });

  it('RFC 9068 2.2: sub is the user where one granted it, and the client where none did', async () => {
    const own = (await getTokens(gatehouse, plain, { grant_type: 'client_credentials', scope: 'profile' }))
      .access_token;
    expect(readClaims(own)).toMatchObject({ sub: plain[0], client_id: plain[0] });
    expect(readClaims(token).sub).not.toBe(app[0]);
  });

  it('RFC 9068 2.2.1: auth_time does not change when the token is refreshed', async () => {
    const first = await obtainTokens(gatehouse, app);
    const refresh_token = first.refresh_token ?? '';
    const second = await getTokens(gatehouse, app, { grant_type: 'refresh_token', refresh_token });
    expect(readClaims(first.access_token).auth_time).toEqual(expect.any(Number));
    expect(readClaims(second.access_token).auth_time).toBe(readClaims(first.access_token).auth_time);
  });

  it('RFC 9068 2.2.3: scope is what was granted', async () => {
    const { access_token, scope } = await obtainTokens(gatehouse, app, { scope: 'openid email' });
    expect(readClaims(access_token).scope).toBe('openid email');
    expect(scope).toBe('openid email');
  });

  it('RFC 9068 2.2.3.1: roles stand there only with scope roles', async () => {
    const { access_token } = await obtainTokens(gatehouse, app, { scope: 'openid email' });
    expect(readClaims(access_token)).not.toHaveProperty('roles');
    expect(readClaims(token).roles).toEqual([]);
  });

  it('RFC 9068 3: without a resource asked for, aud is the default one', async () => {
    const { access_token } = await getTokens(gatehouse, machine, { grant_type: 'client_credentials' });
    expect(readClaims(access_token).aud).toBe(gatehouse.baseUrl);
  });

  it('RFC 9068 4: the resource server takes such a token', async () => {
    expect(await statusWith(token)).toBe(200);
  });

  it('RFC 9068 4: the resource server refuses another typ: an ID token is no access token', async () => {
    const { id_token = '' } = await obtainTokens(gatehouse, app);
    expect(await statusWith(id_token)).toBe(401);
    expect((await call(`${gatehouse.authUrl}/oauth/userinfo`, { bearer: id_token })).status).toBe(401);
  });

  it('RFC 9068 4: the resource server refuses alg none', async () => {
    expect(await statusWith(forge({ ...readHeader(token), alg: 'none' }, readClaims(token)))).toBe(401);
  });

  it('RFC 9068 4: the resource server refuses a signature of another key, under whatever algorithm', async () => {
    const header = readHeader(token);
    const { privateKey, jwk } = createClientKey();
    expect(await statusWith(signEs256(header, readClaims(token), privateKey))).toBe(401);
    expect(await statusWith(signEs256({ ...header, jwk }, readClaims(token), privateKey))).toBe(401);
    const { keys } = (await call(`${gatehouse.authUrl}/oauth/jwks`)).json<{ keys: { kid: string }[] }>();
    const published = JSON.stringify(keys.find(({ kid }) => kid === header.kid));
    expect(await statusWith(signHs256({ typ: 'at+jwt', kid: header.kid }, readClaims(token), published))).toBe(401);
  });

  it('RFC 9068 4: the resource server refuses changed claims: audience, issuer, expiry', async () => {
    const [head, , signature] = token.split('.');
    for (const change of [{ aud: 'https://another.example' }, { iss: 'https://another.example' }, { exp: 9e9 }]) {
      const claims = Buffer.from(JSON.stringify({ ...readClaims(token), ...change })).toString('base64url');
      expect(await statusWith(`${head}.${claims}.${signature}`)).toBe(401);
    }
  });

  it('RFC 9068 5: a client cannot choose a client_id to pass for a user', async () => {
    const userId = String(readClaims((await getUserTokens(gatehouse, app, idpAdministrator)).access_token).sub);
    const impostor = await register(gatehouse, {
      client_id: userId,
      authorized_grant_types: ['client_credentials'],
      redirect_uri: undefined,
    });
    const { access_token } = await getTokens(gatehouse, impostor, { grant_type: 'client_credentials' });
    expect(await statusWith(access_token)).toBe(403);
    expect((await call(`${gatehouse.authUrl}/oauth/userinfo`, { bearer: access_token })).status).toBe(401);
  });

  it('RFC 9068 6: claims about the person beyond what was granted do not stand in the token', async () => {
    const { access_token } = await obtainTokens(gatehouse, app, { scope: 'openid' });
    for (const name of ['email', 'name', 'given_name', 'family_name']) {
      expect(readClaims(access_token)).not.toHaveProperty(name);
    }
  });
});
