import { createTestBrowser, type Gatehouse } from '@gatehouse/test-kit';
import { exportJWK } from 'jose';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { getLocation, signIn } from '../../support/authorization.ts';
import { redirectUri } from '../../support/clients.ts';
import { plainUser } from '../../support/people.ts';

/** What openid-client knows of the server and of a client, with every ID token's signature checked. */
export async function discover(
  { authUrl }: Gatehouse,
  clientId: string,
  authenticate: openid.ClientAuth,
  metadata: Partial<openid.ClientMetadata> = {},
): Promise<openid.Configuration> {
  return openid.discovery(new URL(authUrl), clientId, metadata, authenticate, {
    execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks],
  });
}

/** A key as libraries take it, and the key set that a client registers for it. */
export async function createLibraryKey(alg: string) {
  const { privateKey, publicKey } = await oauth.generateKeyPair(alg);
  const kid = 'the-key';
  return { privateKey, kid, jwks: { keys: [{ ...(await exportJWK(publicKey)), kid, use: 'sig' }] } };
}

export interface Flow {
  config: openid.Configuration;
  /** Of the authorization request, beside what every one of them has. */
  parameters?: Record<string, string>;
  /** Pushes the authorization request (RFC 9126). */
  push?: boolean;
  /** Goes with the token request, and with the pushed one. */
  dpop?: openid.DPoPHandle;
  browser?: ReturnType<typeof createTestBrowser>;
}

/** Where the browser comes back to, and what is needed to redeem what it brings. */
export async function authorize({ config, parameters = {}, push = false, dpop, browser = createTestBrowser() }: Flow) {
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const checks = {
    pkceCodeVerifier,
    expectedState: openid.randomState(),
    expectedNonce: openid.randomNonce(),
    idTokenExpected: true,
  };
  const asked = {
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    ...parameters,
  };
  const url = push
    ? await openid.buildAuthorizationUrlWithPAR(config, asked, dpop === undefined ? {} : { DPoP: dpop })
    : openid.buildAuthorizationUrl(config, asked);
  const callback = getLocation(await signIn(url.href, plainUser, browser));
  return { url, callback, checks };
}

/** The authorization-code flow from its beginning to its tokens. */
export async function completeFlow(flow: Flow) {
  const { callback, checks } = await authorize(flow);
  const options = flow.dpop === undefined ? {} : { DPoP: flow.dpop };
  return openid.authorizationCodeGrant(flow.config, callback, checks, undefined, options);
}

/** Keeps what a library sends and what it is answered, and lets both pass. */
export function watch(config: openid.Configuration) {
  const exchanges: { url: string; status: number; form: URLSearchParams }[] = [];
  config[openid.customFetch] = async (url, options) => {
    const answer = await fetch(url, options as RequestInit);
    const form = options.body instanceof URLSearchParams ? options.body : new URLSearchParams(String(options.body));
    exchanges.push({ url, status: answer.status, form: new URLSearchParams(form) });
    return answer;
  };
  return exchanges;
}
