import { type Answer, signIn as signInAt, type TestBrowser } from '@gatehouse/test-kit';
import { callback, encodeForm, type Realm } from './realm.ts';

export { createPkce } from '@gatehouse/test-kit';

export type Parameters = Record<string, string> | [string, string][];

export const codeRequest = { response_type: 'code', client_id: 'web', redirect_uri: callback, scope: 'openid' };
export const userForm = { username: 'user@example.com', password: 'user-password' };

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
export function signIn(
  realm: Pick<Realm, 'url'>,
  parameters: Parameters,
  { browser, user = userForm }: { browser?: TestBrowser; user?: Record<string, string> } = {},
): Promise<Answer> {
  return signInAt(realm.url + authorizePath(parameters), user, browser);
}

/** An authorization code for the demo user. */
export async function obtainCode(realm: Pick<Realm, 'url'>, parameters: Record<string, string> = {}): Promise<string> {
  const answer = await signIn(realm, { ...codeRequest, ...parameters });
  const { code } = readRedirect(answer).parameters;
  if (code === undefined) throw new Error(`${answer.status} ${String(answer.headers.location)} ${answer.text}`);
  return code;
}
