import { createHash, randomUUID } from 'node:crypto';
import {
  type Answer,
  type CallOptions,
  call,
  createTestBrowser,
  type Gatehouse,
  type TestBrowser,
} from '@gatehouse/test-kit';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import { buildAuthorizeUrl, createPkce, getLocation, signIn } from './authorization.ts';
import { postClient, redirectUri } from './clients.ts';
import { plainUser } from './people.ts';
import type { TokenResponse } from './tokens.ts';
import { uniqueName } from './unique.ts';

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** A key of one algorithm, for client assertions and DPoP proofs. */
export interface Fapi2Key {
  alg: string;
  privateKey: CryptoKey;
  publicJwk: JWK;
  jkt: string;
}

export async function createFapi2Key(alg = 'ES256'): Promise<Fapi2Key> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const publicJwk = { ...(await exportJWK(publicKey)), kid: randomUUID() };
  return { alg, privateKey, publicJwk, jkt: await calculateJwkThumbprint(publicJwk) };
}

/** The same RSA key, signing by another algorithm: its public part says nothing of either. */
export async function signingBy(key: Fapi2Key, alg: 'PS256' | 'RS256'): Promise<Fapi2Key> {
  const privateKey = await importJWK(await exportJWK(key.privateKey), alg);
  if (privateKey instanceof Uint8Array) throw new Error('the key is no RSA key');
  return { ...key, alg, privateKey };
}

/** What a test changes of a request that is good otherwise; undefined takes a claim or a parameter away. */
export interface Changes {
  form?: Record<string, string | undefined>;
  /** Claims of the assertion; `false` sends none. */
  assertion?: Record<string, unknown> | false;
  /** Claims of the proof; `false` sends none. */
  proof?: Record<string, unknown> | false;
  /** The header of both. */
  alg?: string;
  key?: Fapi2Key;
  proofKey?: Fapi2Key;
}

export type Fapi2Client = Awaited<ReturnType<typeof registerFapi2Client>>;

/** Registers a client and speaks for it: each request has a fresh assertion, and a proof where tokens are issued. */
export async function registerFapi2Client(
  gatehouse: Gatehouse,
  metadata: Record<string, unknown> = {},
  options: CallOptions = {},
) {
  const key = await createFapi2Key();
  const fields: Record<string, unknown> = {
    client_id: uniqueName('fapi2'),
    scope: ['openid', 'profile', 'email', 'offline_access'],
    authorized_grant_types: ['authorization_code', 'refresh_token'],
    redirect_uri: redirectUri,
    profile: 'fapi2',
    jwks: { keys: [key.publicJwk] },
    ...metadata,
  };
  const { status, text } = await postClient(gatehouse, fields);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return createFapi2Client(gatehouse, String(fields.client_id), key, options);
}

/** `options` go with every form that it posts. */
export function createFapi2Client(gatehouse: Gatehouse, clientId: string, key: Fapi2Key, options: CallOptions = {}) {
  const { authUrl } = gatehouse;
  let nonce = '';

  const sign = (by: Fapi2Key, header: Record<string, unknown>, claims: Record<string, unknown>) =>
    new SignJWT(claims).setProtectedHeader({ alg: by.alg, ...header }).sign(by.privateKey);
  const now = () => Math.floor(Date.now() / 1000);
  const assert = (by: Fapi2Key, claims: Record<string, unknown>, header: Record<string, unknown>) =>
    sign(
      by,
      { kid: by.publicJwk.kid, ...header },
      {
        ...{ iss: clientId, sub: clientId, aud: authUrl, jti: randomUUID(), iat: now(), exp: now() + 60 },
        ...claims,
      },
    );
  const prove = (by: Fapi2Key, request: Record<string, unknown>, header: Record<string, unknown> = {}) =>
    sign(by, { typ: 'dpop+jwt', jwk: by.publicJwk, ...header }, { jti: randomUUID(), iat: now(), nonce, ...request });

  /** Posts a form, once more where the server wants another nonce. */
  const post = async (path: string, form: Record<string, string>, changes: Changes = {}): Promise<Answer> => {
    const { assertion = {}, proof = false, proofKey = key, alg } = changes;
    const url = authUrl + path;
    const header = alg === undefined ? {} : { alg };
    const send = async () => {
      const credentials: Record<string, string> =
        assertion === false
          ? {}
          : {
              client_assertion_type: assertionType,
              client_assertion: await assert(changes.key ?? key, assertion, header),
            };
      const headers: Record<string, string> =
        proof === false ? {} : { dpop: await prove(proofKey, { htm: 'POST', htu: url, ...proof }, header) };
      const all: Changes['form'] = { ...form, ...credentials, ...changes.form };
      const entries = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
      return call(url, { ...options, form: Object.fromEntries(entries), headers });
    };
    const first = await send();
    nonce = String(first.headers['dpop-nonce'] ?? nonce);
    return first.status < 500 && isNonceWanted(first) ? send() : first;
  };

  const push = (parameters: Record<string, string>, changes: Changes = {}) => post('/oauth/par', parameters, changes);
  /** Pushes a request, signs in, and gives the address that the browser comes back to. */
  const authorize = async (changes: Changes = {}, browser: TestBrowser = createTestBrowser(), user = plainUser) => {
    const { verifier, challenge } = createPkce();
    const asked = {
      ...{ response_type: 'code', redirect_uri: redirectUri, scope: 'openid profile', state: 'the-state' },
      ...{ code_challenge: challenge, code_challenge_method: 'S256' },
    };
    const pushed = await push(asked, changes);
    if (pushed.status !== 201) throw new Error(`${pushed.status} ${pushed.text}`);
    const { request_uri: requestUri } = pushed.json<{ request_uri: string }>();
    const url = buildAuthorizeUrl(gatehouse, { client_id: clientId, request_uri: requestUri });
    const answer = await signIn(url, user, browser);
    return { url, answer, verifier, callback: getLocation(answer) };
  };
  const token = (form: Record<string, string>, changes: Changes = {}) =>
    post('/oauth/token', form, { proof: {}, ...changes });
  const redeem = (code: string, verifier: string, changes: Changes = {}) =>
    token({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }, changes);

  return {
    clientId,
    key,
    post,
    push,
    authorize,
    token,
    redeem,
    /** Tokens of the plain user. */
    async obtain(changes: Changes = {}, redemption: Changes = {}): Promise<TokenResponse> {
      const { callback, verifier } = await authorize(changes);
      const answer = await redeem(callback.searchParams.get('code') ?? '', verifier, redemption);
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
      return answer.json<TokenResponse & Record<string, unknown>>();
    },
    refresh: (refreshToken = '', changes: Changes = {}) =>
      token({ grant_type: 'refresh_token', refresh_token: refreshToken }, changes),
    async isActive(text: string): Promise<unknown> {
      return (await post('/oauth/introspect', { token: text })).json().active;
    },
    revoke: (text: string) => post('/oauth/revoke', { token: text }),
    /** Asks a resource server with a token and a proof. */
    async present(url: string, accessToken: string, by: Fapi2Key = key, header: Record<string, unknown> = {}) {
      const ath = createHash('sha256').update(accessToken).digest('base64url');
      const send = async (given: object) => {
        const dpop = await prove(by, { htm: 'GET', htu: url, ath, ...given }, header);
        return call(url, { headers: { authorization: `DPoP ${accessToken}`, dpop } });
      };
      const first = await send({});
      const wanted = first.headers['dpop-nonce'];
      return first.status === 401 && wanted !== undefined ? send({ nonce: wanted }) : first;
    },
  };
}

function isNonceWanted({ status, text }: Answer): boolean {
  return status >= 400 && text.includes('use_dpop_nonce');
}
