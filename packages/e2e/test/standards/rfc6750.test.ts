import { call, createClientKey, type Gatehouse } from '@gatehouse/test-kit';
import { beforeAll, expect, it } from '@jest/globals';
import { signEs256 } from '../support/forged-tokens.ts';
import { plainUser } from '../support/people.ts';
import { getUserTokens, readClaims, readHeader } from '../support/tokens.ts';
import { getUserDetails, userDetailsUrl } from '../support/users.ts';
import { waitFor } from '../support/wait.ts';
import { describeStandard, register } from './realm.ts';

/** RFC 9728 5.1: org-api says where its metadata stands. */
const bareChallenge = expect.stringMatching(/^Bearer( resource_metadata="[^"]+")?$/);

describeStandard('RFC 6750, bearer tokens', (getGatehouse) => {
  let gatehouse: Gatehouse;
  let userinfo: string;
  let details: string;
  let token: string;
  /** Without scope openid. */
  let lesserToken: string;

  beforeAll(async () => {
    gatehouse = getGatehouse();
    userinfo = `${gatehouse.authUrl}/oauth/userinfo`;
    details = userDetailsUrl(gatehouse, plainUser[0]);
    token = (await getUserTokens(gatehouse, await register(gatehouse))).access_token;
    const lesser = await register(gatehouse, { scope: ['profile'] });
    lesserToken = (await getUserTokens(gatehouse, lesser)).access_token;
  });

  it('RFC 6750 2.1: a resource server takes the token from the Authorization header', async () => {
    expect((await call(userinfo, { bearer: token })).status).toBe(200);
    expect((await call(details, { bearer: token })).status).toBe(200);
  });

  it('RFC 6750 2.1: the scheme is told without regard to case (RFC 9110 11.1)', async () => {
    const headers = { authorization: `bearer ${token}` };
    expect((await call(userinfo, { headers })).status).toBe(200);
    expect((await call(details, { headers })).status).toBe(200);
  });

  it('RFC 6750 2.2: a form that is posted may carry the token', async () => {
    expect((await call(userinfo, { form: { access_token: token } })).status).toBe(200);
  });

  it('RFC 6750 2.2: a body that is not form-encoded does not', async () => {
    const answer = await call(userinfo, { json: { access_token: token } });
    expect([answer.status, answer.json().error]).toEqual([415, 'invalid_request']);
  });

  it('RFC 6750 2.2: a form with the token twice is invalid_request', async () => {
    const form: [string, string][] = [
      ['access_token', token],
      ['access_token', token],
    ];
    const { status, json } = await call(userinfo, { form });
    expect({ status, error: json().error }).toEqual({ status: 400, error: 'invalid_request' });
  });

  it('RFC 6750 2: the token in more than one way is invalid_request', async () => {
    const { status, json } = await call(userinfo, { bearer: token, form: { access_token: token } });
    expect({ status, error: json().error }).toEqual({ status: 400, error: 'invalid_request' });
  });

  it('RFC 6750 2.3: a token in the query is never taken', async () => {
    for (const url of [userinfo, details]) {
      expect((await call(`${url}?access_token=${token}`)).status).toBe(401);
    }
  });

  it('RFC 6750 3: without a token the answer is 401 with a challenge that names no error', async () => {
    for (const url of [userinfo, details]) {
      const { status, headers } = await call(url);
      expect({ status, challenge: headers['www-authenticate'] }).toEqual({ status: 401, challenge: bareChallenge });
    }
  });

  it('RFC 6750 3: another scheme counts as no token', async () => {
    for (const url of [userinfo, details]) {
      const { status, headers } = await call(url, { basic: plainUser });
      expect({ status, challenge: headers['www-authenticate'] }).toEqual({ status: 401, challenge: bareChallenge });
    }
  });

  it('RFC 6750 3.1: a malformed token is 401 invalid_token', async () => {
    for (const url of [userinfo, details]) {
      for (const bearer of ['nonsense', 'a b', '', `${token}x`, token.slice(0, -4)]) {
        const { status, headers } = await call(url, { bearer });
        expect(status).toBe(401);
        expect(headers['www-authenticate']).toMatch(/^Bearer error="invalid_token"/);
      }
    }
  });

  it('RFC 6750 3.1: an expired token is 401 invalid_token', async () => {
    const shortLived = await register(gatehouse, { access_token_validity: 1 });
    const { access_token } = await getUserTokens(gatehouse, shortLived);
    for (const url of [userinfo, details]) {
      const refused = await waitFor(
        () => call(url, { bearer: access_token }),
        ({ status }) => status === 401,
        5_000,
      );
      expect(refused.status).toBe(401);
      expect(refused.headers['www-authenticate']).toMatch(/^Bearer error="invalid_token"/);
    }
  });

  it('RFC 6750 3.1: a revoked token is 401 invalid_token', async () => {
    const client = await register(gatehouse);
    const { access_token } = await getUserTokens(gatehouse, client);
    await call(`${gatehouse.authUrl}/oauth/revoke`, { basic: client, form: { token: access_token } });
    const { status, headers } = await call(userinfo, { bearer: access_token });
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toMatch(/^Bearer error="invalid_token"/);
  });

  it('RFC 6750 3.1: a token that lacks the scope is 403 insufficient_scope', async () => {
    const { status, headers, json } = await call(userinfo, { bearer: lesserToken });
    expect({ status, error: json().error }).toEqual({ status: 403, error: 'insufficient_scope' });
    expect(headers['www-authenticate']).toMatch(/^Bearer error="insufficient_scope"/);
  });

  it('RFC 6750 3: each parameter of the challenge stands there once', async () => {
    for (const url of [userinfo, details]) {
      const challenge = String((await call(url, { bearer: 'nonsense' })).headers['www-authenticate']);
      for (const name of ['error', 'error_description']) {
        expect(challenge.match(new RegExp(`\\b${name}="`, 'g'))).toHaveLength(1);
      }
      expect(challenge).toMatch(/^[\x20-\x7e]+$/);
    }
  });

  it('RFC 6750 5.2: a token issued by somebody else is refused', async () => {
    const { privateKey } = createClientKey();
    const forged = signEs256(readHeader(token), readClaims(token), privateKey);
    expect((await getUserDetails(gatehouse, plainUser[0], forged)).status).toBe(401);
    expect((await call(userinfo, { bearer: forged })).status).toBe(401);
  });

  it('RFC 6750 5.3: what a token opens is not kept by caches', async () => {
    expect((await call(userinfo, { bearer: token })).headers['cache-control']).toBe('no-store');
    expect((await call(details, { bearer: token })).headers['cache-control']).toBe('no-store');
  });
});
