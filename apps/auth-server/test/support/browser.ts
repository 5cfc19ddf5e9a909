import { createHash, randomBytes } from 'node:crypto';
import { type Answer, createTestBrowser, type TestBrowser } from '@gatehouse/test-kit';
import { callback, encodeForm, type Realm } from './realm.ts';

export type Parameters = Record<string, string> | [string, string][];

export const codeRequest = { response_type: 'code', client_id: 'web', redirect_uri: callback, scope: 'openid' };
export const userForm = { username: 'user@example.com', password: 'user-password' };

export function createPkce() {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  return { verifier, parameters: { code_challenge: challenge, code_challenge_method: 'S256' } };
}

/** The address of the authorization endpoint with these parameters. */
export function authorizePath(parameters: Parameters): string {
  return `/oauth/authorize?${encodeForm(parameters)}`;
}

/** The parameters a redirect carries, in its query or its fragment. */
export function readRedirect(answer: Answer) {
  const location = String(answer.headers.location);
  const [target = '', encoded = ''] = location.split(/[?#]/, 2);
  return {
    location,
    target,
    inFragment: location.includes('#'),
    parameters: Object.fromEntries(new URLSearchParams(encoded)),
  };
}

/** Asks for authorization and fills in the sign-in form; gives the answer to the form. */
export async function signIn(
  realm: Pick<Realm, 'url'>,
  parameters: Parameters,
  options: { browser?: TestBrowser; user?: Record<string, string> } = {},
): Promise<Answer> {
  const { browser = createTestBrowser(), user = userForm } = options;
  const url = realm.url + authorizePath(parameters);
  return browser.submit(await browser.get(url), url, user);
}

/** An authorization code for the demo user. */
export async function obtainCode(realm: Pick<Realm, 'url'>, parameters: Record<string, string> = {}): Promise<string> {
  const answer = await signIn(realm, { ...codeRequest, ...parameters });
  const { code } = readRedirect(answer).parameters;
  if (code === undefined) throw new Error(`${answer.status} ${String(answer.headers.location)} ${answer.text}`);
  return code;
}
