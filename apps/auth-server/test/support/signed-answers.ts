import type { Answer, TestBrowser } from '@gatehouse/test-kit';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { authorizePath, codeRequest, readRedirect } from './browser.ts';
import { accessTokenType, tokenExchange } from './exchanges.ts';
import { type Realm, webClient } from './realm.ts';

/** Signs users in by every flow, exchanges its own tokens for org-api, and goes somewhere after a sign-out. */
export const buildSignedClient = (realm: Realm, changes: object = {}) => ({
  ...webClient,
  client_id: 'signed',
  authorized_grant_types: ['authorization_code', 'implicit', 'password', 'refresh_token', tokenExchange],
  ...{ exchange_audiences: [realm.orgUrl] },
  ...changes,
});

/** Verifies an answer by the published keys as its client does; gives its header and its claims. */
export async function verifyAnswer(realm: Realm, jwt: string, audience: string) {
  const keys = (await realm.send('/oauth/jwks')).json<JSONWebKeySet>();
  const options = { issuer: realm.authUrl, audience, currentDate: new Date(realm.clock()) };
  const { protectedHeader, payload } = await jwtVerify(jwt, createLocalJWKSet(keys), options);
  return { header: protectedHeader, claims: payload };
}

/** The errors that a text is answered with where an ID token, or a subject token, of `signed` belongs. */
export async function presentAsToken(realm: Realm, browser: TestBrowser, text: string) {
  const hint = { id_token_hint: text };
  const authorization = await browser.get(
    realm.url + authorizePath({ ...codeRequest, client_id: 'signed', prompt: 'none', ...hint }),
  );
  const exchange = await realm.tokenRequest(buildSignedClient(realm), {
    grant_type: tokenExchange,
    subject_token: text,
    subject_token_type: accessTokenType,
  });
  const logout: Answer = await browser.get(`${realm.url}/oauth/logout?${new URLSearchParams(hint)}`);
  return {
    atAuthorize: readRedirect(authorization).parameters.error,
    atExchange: exchange.json<{ error?: string }>().error,
    atLogout: logout.status,
  };
}

/** What is answered to that where the text is neither. */
export const refusedEverywhere = { atAuthorize: 'invalid_request', atExchange: 'invalid_request', atLogout: 400 };
