import {
  type Answer,
  askNonce,
  type ClientKey,
  call,
  callWithProof,
  createClientKey,
  type Gatehouse,
  nowInSeconds,
} from '@gatehouse/test-kit';
import { beforeAll, expect, it } from '@jest/globals';
import { exportJWK, generateSecret, SignJWT } from 'jose';
import type { Credentials } from '../support/clients.ts';
import { plainUser } from '../support/people.ts';
import { getUserTokens, readClaims, type TokenResponse } from '../support/tokens.ts';
import { userDetailsUrl } from '../support/users.ts';
import { codeRequest, obtainCode, open, readRedirect, signIn } from './authorization-request.ts';
import { describeStandard, publicKind, register } from './realm.ts';

describeStandard('RFC 9449, demonstrating proof of possession', (getGatehouse) => {
  let gatehouse: Gatehouse;
  let app: Credentials;
  let spa: Credentials;
  let key: ClientKey;
  let tokenUrl: string;
  let userinfo: string;
  let details: string;
  /** Of the plain user, bound to `key`. */
  let bound: TokenResponse;
  const [username, password] = plainUser;
  const login = { grant_type: 'password', username, password };

  beforeAll(async () => {
    gatehouse = getGatehouse();
    tokenUrl = `${gatehouse.authUrl}/oauth/token`;
    userinfo = `${gatehouse.authUrl}/oauth/userinfo`;
    details = userDetailsUrl(gatehouse, username);
    key = createClientKey();
    [app, spa] = await Promise.all([register(gatehouse), register(gatehouse, publicKind)]);
    const answer = await callWithProof(tokenUrl, key, { method: 'POST', basic: app, form: login });
    bound = answer.json() as unknown as TokenResponse;
  });

  const goodClaims = async () => ({ htm: 'POST', htu: tokenUrl, nonce: await askNonce(gatehouse, spa[0], key) });
  const postProof = (dpop: string, form: Record<string, string> = login): Promise<Answer> =>
    call(tokenUrl, { basic: app, form, headers: { dpop } });
  const expectRefused = async (dpop: string) => {
    const { status, json } = await postProof(dpop);
    expect({ status, error: json().error }).toEqual({ status: 400, error: 'invalid_dpop_proof' });
  };
  /** The refusal of a resource server: status and scheme with error of its challenge. */
  const readChallenge = ({ status, headers }: Answer) => {
    const challenge = String(headers['www-authenticate']);
    return [status, challenge.split(' ', 1)[0], /error="([^"]*)"/.exec(challenge)?.[1]];
  };
  const resources = () => [userinfo, details];
  const nonceOf = async (url: string) => {
    const { access_token: accessToken } = bound;
    const proof = key.proof({ htm: 'GET', htu: url, accessToken });
    const { headers } = await call(url, { headers: { authorization: `DPoP ${accessToken}`, dpop: proof } });
    return String(headers['dpop-nonce']);
  };
  /** Presents the bound token with a proof that is good but for the changes. */
  const present = async (url: string, claims: Record<string, unknown> = {}, by: ClientKey = key): Promise<Answer> => {
    const { access_token: accessToken } = bound;
    const good = { htm: 'GET', htu: url, accessToken, nonce: await nonceOf(url) };
    const dpop = by.proof({ ...good, ...claims });
    return call(url, { headers: { authorization: `DPoP ${accessToken}`, dpop } });
  };

  it('RFC 9449 4.3 (1): more than one proof in a request is refused', async () => {
    const claims = await goodClaims();
    await expectRefused(`${key.proof(claims)}, ${key.proof(claims)}`);
  });

  it('RFC 9449 4.3 (2): a proof that is no JWT is refused', async () => {
    for (const nonsense of ['nonsense', 'a.b.c', 'e30.e30.']) await expectRefused(nonsense);
  });

  it('RFC 9449 4.3 (3): jti, htm, htu and iat are required', async () => {
    const claims = await goodClaims();
    for (const name of ['jti', 'htm', 'htu', 'iat']) {
      await expectRefused(key.proof({ ...claims, [name]: undefined }));
    }
  });

  it('RFC 9449 4.3 (4): typ must be dpop+jwt', async () => {
    const claims = await goodClaims();
    for (const typ of ['JWT', undefined]) await expectRefused(key.proof(claims, { typ }));
  });

  it('RFC 9449 4.3 (5): alg must be an asymmetric signature, not none', async () => {
    const claims = { ...(await goodClaims()), jti: 'x', iat: nowInSeconds() };
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const header = { typ: 'dpop+jwt', alg: 'none', jwk: key.jwk };
    await expectRefused(`${encode(header)}.${encode(claims)}.`);
    const secret = await generateSecret('HS256', { extractable: true });
    const jwk = await exportJWK(secret);
    const symmetric = new SignJWT(claims).setProtectedHeader({ typ: 'dpop+jwt', alg: 'HS256', jwk });
    await expectRefused(await symmetric.sign(secret));
  });

  it('RFC 9449 4.3 (6): the signature must be of the key in the proof', async () => {
    const other = createClientKey();
    await expectRefused(other.proof(await goodClaims(), { jwk: key.jwk }));
  });

  it('RFC 9449 4.3 (7): the key in the proof must not be a private one', async () => {
    await expectRefused(key.proof(await goodClaims(), { jwk: key.privateJwk }));
    await expectRefused(key.proof(await goodClaims(), { jwk: undefined }));
  });

  it('RFC 9449 4.3 (8): htm must be the method of the request', async () => {
    for (const htm of ['GET', 'post']) await expectRefused(key.proof({ ...(await goodClaims()), htm }));
  });

  it('RFC 9449 4.3 (9): htu must be the URL of the request', async () => {
    const claims = await goodClaims();
    for (const htu of [userinfo, 'https://another.example/oauth/token', '/oauth/token', `${tokenUrl}/more`]) {
      await expectRefused(key.proof({ ...claims, htu }));
    }
  });

  it('RFC 9449 4.3 (9): query and fragment of htu are not compared', async () => {
    const claims = { ...(await goodClaims()), htu: `${tokenUrl}?a=b#c` };
    expect((await postProof(key.proof(claims))).status).toBe(200);
  });

  it('RFC 9449 4.3 (10): a proof with another nonce than the server’s is refused, and a new one given', async () => {
    const claims = { ...(await goodClaims()), nonce: 'invented' };
    const { status, headers, json } = await postProof(key.proof(claims));
    expect({ status, error: json().error }).toEqual({ status: 400, error: 'use_dpop_nonce' });
    expect(headers['dpop-nonce']).toEqual(expect.any(String));
  });

  it('RFC 9449 4.3 (11): a proof from too long ago, or from the future, is refused', async () => {
    const claims = await goodClaims();
    for (const seconds of [-600, 600]) {
      await expectRefused(key.proof({ ...claims, iat: nowInSeconds() + seconds }));
    }
  });

  it('RFC 9449 4.3 (11): a proof from up to 10 s ahead is taken, here and at org-api', async () => {
    const claims = await goodClaims();
    const ahead = nowInSeconds() + 10;
    expect((await postProof(key.proof({ ...claims, iat: ahead, nbf: ahead }))).status).toBe(200);
    for (const url of resources()) expect((await present(url, { iat: ahead, nbf: ahead })).status).toBe(200);
  });

  it('RFC 9449 4.3 (12): at a resource, ath must be the hash of the token', async () => {
    for (const url of resources()) {
      for (const claims of [{ ath: undefined }, { accessToken: 'another' }]) {
        expect(readChallenge(await present(url, claims))).toEqual([401, 'DPoP', 'invalid_dpop_proof']);
      }
    }
  });

  it('RFC 9449 4.3 (12): at a resource, the key must be the one the token is bound to', async () => {
    const thief = createClientKey();
    for (const url of resources()) {
      expect(readChallenge(await present(url, {}, thief))).toEqual([401, 'DPoP', 'invalid_dpop_proof']);
    }
  });

  it('RFC 9449 5: with a proof the token is of type DPoP, without one of type Bearer', async () => {
    expect(bound.token_type).toBe('DPoP');
    expect((await getUserTokens(gatehouse, app)).token_type).toBe('Bearer');
  });

  it('RFC 9449 5: a public client’s refresh token is bound to the key', async () => {
    const { form } = await obtainCode(gatehouse, spa);
    const options = { method: 'POST', form: { ...form, client_id: spa[0] } };
    const tokens = (await callWithProof(tokenUrl, key, options)).json() as unknown as TokenResponse;
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '', client_id: spa[0] };
    const thief = createClientKey();
    const stolen = await callWithProof(tokenUrl, thief, { method: 'POST', form: refresh });
    expect({ status: stolen.status, error: stolen.json().error }).toEqual({ status: 400, error: 'invalid_dpop_proof' });
    expect((await call(tokenUrl, { form: refresh })).status).toBe(400);
    expect((await callWithProof(tokenUrl, key, { method: 'POST', form: refresh })).json().token_type).toBe('DPoP');
  });

  it('RFC 9449 5: a confidential client may refresh with a new key, since its secret binds the token', async () => {
    const tokens = (await callWithProof(tokenUrl, key, { method: 'POST', basic: app, form: login })).json();
    const form = { grant_type: 'refresh_token', refresh_token: String(tokens.refresh_token) };
    const newKey = createClientKey();
    const answer = await callWithProof(tokenUrl, newKey, { method: 'POST', basic: app, form });
    expect(readClaims(String(answer.json().access_token)).cnf).toEqual({ jkt: newKey.jkt });
  });

  it('RFC 9449 5.1: the metadata lists the algorithms, none of them symmetric', async () => {
    const metadata = (await call(`${gatehouse.authUrl}/.well-known/oauth-authorization-server`)).json();
    const algorithms = metadata.dpop_signing_alg_values_supported as string[];
    expect(algorithms).toContain('ES256');
    expect(algorithms.filter((algorithm) => /^(HS|none)/.test(algorithm))).toEqual([]);
  });

  it('RFC 9449 5.2: a client registered for bound tokens is refused without a proof', async () => {
    const strict = await register(gatehouse, { dpop_bound_access_tokens: true });
    const { status, json } = await call(tokenUrl, { basic: strict, form: login });
    expect({ status, error: json().error }).toEqual({ status: 400, error: 'invalid_dpop_proof' });
    expect((await callWithProof(tokenUrl, key, { method: 'POST', basic: strict, form: login })).status).toBe(200);
  });

  it('RFC 9449 6.1: the token has the thumbprint of the key in cnf', () => {
    expect(readClaims(bound.access_token).cnf).toEqual({ jkt: key.jkt });
  });

  it('RFC 9449 6.2: introspection tells the thumbprint and the type', async () => {
    const answer = await call(`${gatehouse.authUrl}/oauth/introspect`, {
      basic: app,
      form: { token: bound.access_token },
    });
    expect(answer.json()).toMatchObject({ active: true, token_type: 'DPoP', cnf: { jkt: key.jkt } });
  });

  it('RFC 9449 7.1: a bound token with its proof opens the resource', async () => {
    for (const url of resources()) expect((await present(url)).status).toBe(200);
  });

  it('RFC 9449 7.1: a bound token without a proof is refused with a DPoP challenge that lists the algorithms', async () => {
    for (const url of resources()) {
      const answer = await call(url, { headers: { authorization: `DPoP ${bound.access_token}` } });
      expect(readChallenge(answer)).toEqual([401, 'DPoP', 'invalid_dpop_proof']);
      expect(answer.headers['www-authenticate']).toContain('algs="');
    }
  });

  it('RFC 9449 7.1: a proof for another method or URL does not open the resource', async () => {
    for (const url of resources()) {
      for (const claims of [{ htm: 'POST' }, { htu: `${url}/other` }]) {
        expect(readChallenge(await present(url, claims))).toEqual([401, 'DPoP', 'invalid_dpop_proof']);
      }
    }
  });

  it('RFC 9449 7.2: a bound token is not taken as a bearer token', async () => {
    for (const url of resources()) {
      expect(readChallenge(await call(url, { bearer: bound.access_token }))).toEqual([401, 'Bearer', 'invalid_token']);
    }
    expect((await call(userinfo, { form: { access_token: bound.access_token } })).status).toBe(401);
    expect((await call(`${gatehouse.authUrl}/clients`, { bearer: bound.access_token })).status).toBe(401);
  });

  it('RFC 9449 7.2: a bearer token is not taken as a bound one', async () => {
    const { access_token: accessToken } = await getUserTokens(gatehouse, app);
    for (const url of resources()) {
      expect((await callWithProof(url, key, { method: 'GET', accessToken })).status).toBe(401);
    }
  });

  it('RFC 9449 8: a proof without a nonce is answered 400 use_dpop_nonce with the nonce', async () => {
    const { status, headers, json } = await postProof(key.proof({ htm: 'POST', htu: tokenUrl }));
    expect({ status, error: json().error }).toEqual({ status: 400, error: 'use_dpop_nonce' });
    expect(headers['dpop-nonce']).toMatch(/^[\x21\x23-\x5b\x5d-\x7e]+$/);
  });

  it('RFC 9449 8.2: an answer to a good proof brings the nonce for the next', async () => {
    const { status, headers } = await postProof(key.proof(await goodClaims()));
    expect({ status, nonce: headers['dpop-nonce'] }).toEqual({ status: 200, nonce: expect.any(String) });
  });

  it('RFC 9449 9: a resource asks for its nonce by 401 use_dpop_nonce', async () => {
    for (const url of resources()) {
      const answer = await present(url, { nonce: undefined });
      expect(readChallenge(answer)).toEqual([401, 'DPoP', 'use_dpop_nonce']);
      expect(answer.headers['dpop-nonce']).toEqual(expect.any(String));
    }
  });

  it('RFC 9449 10: a code asked for with dpop_jkt is given out for that key only', async () => {
    const { form } = await obtainCode(gatehouse, spa, { dpop_jkt: key.jkt });
    const redemption = { method: 'POST', form: { ...form, client_id: spa[0] } };
    expect((await call(tokenUrl, redemption)).status).toBe(400);
    const stolen = await callWithProof(tokenUrl, createClientKey(), redemption);
    expect({ status: stolen.status, error: stolen.json().error }).toEqual({ status: 400, error: 'invalid_dpop_proof' });
    expect((await callWithProof(tokenUrl, key, redemption)).status).toBe(200);
  });

  it('RFC 9449 10: a dpop_jkt that is no thumbprint is invalid_request', async () => {
    const { query } = readRedirect(await open(gatehouse, codeRequest(spa[0], { dpop_jkt: 'short' }).parameters));
    expect(query.error).toBe('invalid_request');
  });

  it('RFC 9449 10.1: a proof at the pushed request endpoint binds the code to its key', async () => {
    const par = `${gatehouse.authUrl}/oauth/par`;
    const { parameters, verifier } = codeRequest(app[0]);
    const pushed = await callWithProof(par, key, { method: 'POST', basic: app, form: parameters });
    expect(pushed.status).toBe(201);
    const { request_uri } = pushed.json<{ request_uri: string }>();
    const { query } = readRedirect(await signIn(gatehouse, { client_id: app[0], request_uri }));
    const { redirect_uri = '' } = parameters;
    const grant_type = 'authorization_code';
    const form = { grant_type, code: query.code ?? '', redirect_uri, code_verifier: verifier };
    const redemption = { method: 'POST', basic: app, form };
    expect((await call(tokenUrl, redemption)).status).toBe(400);
    expect((await callWithProof(tokenUrl, createClientKey(), redemption)).status).toBe(400);
    expect((await callWithProof(tokenUrl, key, redemption)).status).toBe(200);
  });

  it('RFC 9449 10.1: a bad proof at the pushed request endpoint is refused', async () => {
    const par = `${gatehouse.authUrl}/oauth/par`;
    const { parameters } = codeRequest(app[0]);
    const dpop = key.proof({ htm: 'POST', htu: tokenUrl, nonce: await askNonce(gatehouse, spa[0], key) });
    const { status, json } = await call(par, { basic: app, form: parameters, headers: { dpop } });
    expect({ status, error: json().error }).toEqual({ status: 400, error: 'invalid_dpop_proof' });
  });

  it('RFC 9449 10.1: a pushed dpop_jkt of another key than the proof’s is refused', async () => {
    const par = `${gatehouse.authUrl}/oauth/par`;
    const { parameters } = codeRequest(app[0], { dpop_jkt: createClientKey().jkt });
    expect((await callWithProof(par, key, { method: 'POST', basic: app, form: parameters })).status).toBe(400);
  });

  it('RFC 9449 11.1: a proof is taken once', async () => {
    const proof = key.proof(await goodClaims());
    expect((await postProof(proof)).status).toBe(200);
    await expectRefused(proof);
  });

  it('RFC 9449 11.1: a proof is taken once at a resource, also of several at the same moment', async () => {
    for (const url of resources()) {
      const { access_token: accessToken } = bound;
      const claims = { htm: 'GET', htu: url, accessToken, nonce: await nonceOf(url) };
      const headers = { authorization: `DPoP ${accessToken}`, dpop: key.proof(claims) };
      const answers = await Promise.all([1, 2, 3].map(() => call(url, { headers })));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    }
  });
});
