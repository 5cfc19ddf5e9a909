import {
  type Answer,
  askNonce,
  assertionType,
  type CallOptions,
  call,
  createClientKey,
  createTestBrowser,
  type Gatehouse,
  type ServiceProcess,
} from '@gatehouse/test-kit';
import { publicKind, register } from '../../standards/realm.ts';
import { buildAuthorizeUrl, createPkce, getLocation, signIn } from '../../support/authorization.ts';
import { type Credentials, passwordKind, redirectUri, registerClient } from '../../support/clients.ts';
import { getUserTokens } from '../../support/tokens.ts';
import type { Step } from './load.ts';

/** Something that may be used once, and what came of presenting it to every replica at the same moment. */
export interface Presentation {
  kind: string;
  request: CallOptions;
  /** Undefined where the replica gave no answer. */
  answers: (Answer | undefined)[];
}

/** A code, a client assertion or a DPoP proof: new ones again and again, each presented to all replicas at once. */
export async function presentOneTimeThings(gatehouse: Gatehouse, replicas: readonly ServiceProcess[]) {
  const presentations: Presentation[] = [];
  const present = (kind: string, make: () => Promise<CallOptions>): Step => {
    return async () => {
      const request = await make();
      const sending = replicas.map(({ url }) => call(`${url}/oauth/token`, request).catch(() => undefined));
      presentations.push({ kind, request, answers: await Promise.all(sending) });
    };
  };
  const app = await registerClient(gatehouse, passwordKind());
  const makers = {
    'authorization code': await createCodeMaker(gatehouse, app),
    'client assertion': await createAssertionMaker(gatehouse),
    'DPoP proof': await createProofMaker(gatehouse),
    'refresh token': createRefreshTokenMaker(gatehouse, app),
  };
  const entries = Object.entries(makers).map(([kind, make]): [string, Step] => [kind, present(kind, make)]);
  return { steps: Object.fromEntries(entries), presentations };
}

/** Of a browser that is signed in already. */
async function createCodeMaker(gatehouse: Gatehouse, app: Credentials): Promise<() => Promise<CallOptions>> {
  const browser = createTestBrowser();
  const { verifier, challenge } = createPkce();
  const url = buildAuthorizeUrl(gatehouse, {
    response_type: 'code',
    client_id: app[0],
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  await signIn(url, undefined, browser);
  return async () => {
    const code = getLocation(await browser.get(url)).searchParams.get('code') ?? '';
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
    return { basic: app, form };
  };
}

async function createAssertionMaker(gatehouse: Gatehouse): Promise<() => Promise<CallOptions>> {
  const key = createClientKey();
  const [clientId] = await register(gatehouse, {
    client_secret: undefined,
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [key.jwk] },
    authorized_grant_types: ['client_credentials'],
    redirect_uri: undefined,
  });
  return async () => {
    const assertion = key.assertion(clientId, gatehouse.authUrl);
    return {
      form: {
        grant_type: 'client_credentials',
        client_id: clientId,
        client_assertion_type: assertionType,
        client_assertion: assertion,
      },
    };
  };
}

async function createProofMaker(gatehouse: Gatehouse): Promise<() => Promise<CallOptions>> {
  const key = createClientKey();
  const [asking] = await register(gatehouse, publicKind);
  const machine = await register(gatehouse, {
    authorized_grant_types: ['client_credentials'],
    redirect_uri: undefined,
  });
  return async () => {
    const nonce = await askNonce(gatehouse, asking, key);
    const proof = key.proof({ htm: 'POST', htu: `${gatehouse.authUrl}/oauth/token`, nonce });
    return { basic: machine, headers: { dpop: proof }, form: { grant_type: 'client_credentials' } };
  };
}

function createRefreshTokenMaker(gatehouse: Gatehouse, app: Credentials): () => Promise<CallOptions> {
  return async () => {
    const { refresh_token: refreshToken = '' } = await getUserTokens(gatehouse, app);
    return { basic: app, form: { grant_type: 'refresh_token', refresh_token: refreshToken } };
  };
}
