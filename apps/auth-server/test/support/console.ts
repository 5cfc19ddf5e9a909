import {
  type CallOptions,
  type ClientKey,
  callWithProof,
  createClientKey,
  createTestBrowser,
  type TestBrowser,
} from '@gatehouse/test-kit';
import { createPkce, readRedirect, signIn } from './browser.ts';
import type { Realm, TokenAnswer } from './realm.ts';

export const consoleClientId = 'gatehouse-console';
export const adminForm = { username: 'admin@example.com', password: 'admin-password' };

type Served = Pick<Realm, 'url' | 'authUrl'>;

/** Signs in as the page of the console does: by code, PKCE and DPoP. Gives its tokens, and requests by them. */
export async function signInAtConsole(
  realm: Served,
  { user = adminForm, browser = createTestBrowser(), scope = 'openid profile roles' } = {},
) {
  const key = createClientKey();
  const redirectUri = `${realm.authUrl}/console/callback`;
  const { verifier, parameters } = createPkce();
  const request = { response_type: 'code', client_id: consoleClientId, redirect_uri: redirectUri, scope };
  const code = await obtainCode(realm, { ...request, ...parameters }, user, browser);
  const redeem = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
  const tokens = await askForTokens(realm, key, redeem);
  return {
    key,
    browser,
    tokens,
    call: (url: string, options: CallOptions = {}) =>
      callWithProof(url, key, { accessToken: tokens.access_token, ...options }),
    refresh: (by: { refresh_token?: string } = tokens) =>
      askForTokens(realm, key, { grant_type: 'refresh_token', refresh_token: by.refresh_token ?? '' }),
  };
}

/** The code, also where a session of the browser answers without a page. */
async function obtainCode(
  realm: Served,
  parameters: Record<string, string>,
  user: Record<string, string>,
  browser: TestBrowser,
): Promise<string> {
  const isSignedIn = browser.cookies()['gatehouse-session'] !== undefined;
  const answer = isSignedIn
    ? await browser.get(`${realm.url}/oauth/authorize?${new URLSearchParams(parameters)}`)
    : await signIn(realm, parameters, { browser, user });
  const { code } = readRedirect(answer).parameters;
  if (code === undefined) throw new Error(`${answer.status} ${String(answer.headers.location)} ${answer.text}`);
  return code;
}

async function askForTokens(realm: Served, key: ClientKey, form: Record<string, string>): Promise<TokenAnswer> {
  const options = { form: { client_id: consoleClientId, ...form } };
  const answer = await callWithProof(`${realm.url}/oauth/token`, key, options);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer.json<TokenAnswer>();
}
