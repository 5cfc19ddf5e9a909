import { randomUUID } from 'node:crypto';
import {
  type Answer,
  assertionType,
  type CallOptions,
  type ClientKey,
  call,
  callWithProof,
  createClientKey,
  createTestBrowser,
  type Gatehouse,
  type SigningAlgorithm,
  type TestBrowser,
} from '@gatehouse/test-kit';
import { buildAuthorizeUrl, createPkce, getLocation, signIn } from './authorization.ts';
import { postClient, redirectUri } from './clients.ts';
import { plainUser } from './people.ts';
import type { TokenResponse } from './tokens.ts';
import { uniqueName } from './unique.ts';

/** A key for client assertions and DPoP proofs, with a name of its own in the key set. */
export const createFapi2Key = (algorithm?: SigningAlgorithm): ClientKey => createClientKey(algorithm, randomUUID());

/** What a test changes of a request that is good otherwise; undefined takes a claim or a parameter away. */
export interface Changes {
  form?: Record<string, string | undefined>;
  /** Claims of the assertion; `false` sends none. */
  assertion?: Record<string, unknown> | false;
  /** Claims of the proof; `false` sends none. */
  proof?: Record<string, unknown> | false;
  key?: ClientKey;
  proofKey?: ClientKey;
}

export type Fapi2Client = Awaited<ReturnType<typeof registerFapi2Client>>;

/** Registers a client and speaks for it: each request has a fresh assertion, and a proof where tokens are issued. */
export async function registerFapi2Client(
  gatehouse: Gatehouse,
  metadata: Record<string, unknown> = {},
  options: CallOptions = {},
) {
  const key = createFapi2Key();
  const fields: Record<string, unknown> = {
    client_id: uniqueName('fapi2'),
    scope: ['openid', 'profile', 'email', 'offline_access'],
    authorized_grant_types: ['authorization_code', 'refresh_token'],
    redirect_uri: redirectUri,
    profile: 'fapi2',
    jwks: { keys: [key.jwk] },
    ...metadata,
  };
  const { status, text } = await postClient(gatehouse, fields);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return createFapi2Client(gatehouse, String(fields.client_id), key, options);
}

/** `options` go with every form that it posts. */
export function createFapi2Client(gatehouse: Gatehouse, clientId: string, key: ClientKey, options: CallOptions = {}) {
  const { authUrl } = gatehouse;
  let nonce = '';

  /** Posts a form, once more where the server wants another nonce. */
  const post = async (path: string, form: Record<string, string>, changes: Changes = {}): Promise<Answer> => {
    const { assertion = {}, proof = false, proofKey = key } = changes;
    const url = authUrl + path;
    const send = async () => {
      const credentials: Record<string, string> =
        assertion === false
          ? {}
          : {
              client_assertion_type: assertionType,
              client_assertion: (changes.key ?? key).assertion(clientId, authUrl, assertion),
            };
      const headers: Record<string, string> =
        proof === false ? {} : { dpop: proofKey.proof({ htm: 'POST', htu: url, nonce, ...proof }) };
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
    const { verifier, parameters } = createPkce();
    const asked = {
      ...{ response_type: 'code', redirect_uri: redirectUri, scope: 'openid profile', state: 'the-state' },
      ...parameters,
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
    present: (url: string, accessToken: string, by = key) => callWithProof(url, by, { accessToken }),
  };
}

function isNonceWanted({ status, text }: Answer): boolean {
  return status >= 400 && text.includes('use_dpop_nonce');
}
