import { type Answer, createTestBrowser, type Gatehouse, type TestBrowser } from '@gatehouse/test-kit';
import { buildAuthorizeUrl, createPkce, signIn as signInAt } from '../support/authorization.ts';
import { type Credentials, redirectUri } from '../support/clients.ts';
import { postToken, type TokenResponse } from '../support/tokens.ts';

type Changes = Record<string, string | undefined>;

/** A good request for a code, with changes; undefined leaves a parameter out. */
export function codeRequest(clientId: string, changes: Changes = {}) {
  const { verifier, parameters: pkce } = createPkce();
  const parameters = withChanges(
    {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope: 'openid',
      state: 'the-state',
      ...pkce,
    },
    changes,
  );
  return { parameters, verifier };
}

/** A good request of the implicit grant, with changes. */
export function implicitRequest(clientId: string, changes: Changes = {}): Record<string, string> {
  return withChanges(
    {
      response_type: 'id_token token',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope: 'openid profile',
      state: 'the-state',
      nonce: 'the-nonce',
    },
    changes,
  );
}

function withChanges(parameters: Record<string, string>, changes: Changes): Record<string, string> {
  const all: Changes = { ...parameters, ...changes };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Opens the authorization endpoint. */
export function open(
  gatehouse: Gatehouse,
  parameters: Record<string, string>,
  browser: TestBrowser = createTestBrowser(),
): Promise<Answer> {
  return browser.get(buildAuthorizeUrl(gatehouse, parameters));
}

/** Opens the authorization endpoint and signs in on the page it shows. */
export function signIn(
  gatehouse: Gatehouse,
  parameters: Record<string, string>,
  browser?: TestBrowser,
  user?: [string, string],
): Promise<Answer> {
  return signInAt(buildAuthorizeUrl(gatehouse, parameters), user, browser);
}

export function isSignInPage({ status, text }: Answer): boolean {
  return status === 200 && text.includes('action="sign-in"');
}

/** What an answer brings to the client: the parameters of its redirect, of the query or of the fragment. */
export function readRedirect({ status, headers, text }: Answer): {
  target: string;
  query: Record<string, string>;
  fragment: Record<string, string>;
} {
  const location = headers.location;
  if (typeof location !== 'string') throw new Error(`no redirect: ${status} ${text}`);
  const { origin, pathname, search, hash } = new URL(location);
  return {
    target: origin + pathname,
    query: Object.fromEntries(new URLSearchParams(search)),
    fragment: Object.fromEntries(new URLSearchParams(hash.slice(1))),
  };
}

/** The fields of a page that posts them on to the client. */
export function readFormPost(page: Answer): { action: string; fields: Record<string, string> } {
  const inputs = page.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  return {
    action: /<form method="post" action="([^"]*)"/.exec(page.text)?.[1] ?? '',
    fields: Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value])),
  };
}

/** A code of the plain user, with the form that redeems it. */
export async function obtainCode(
  gatehouse: Gatehouse,
  [clientId]: Credentials,
  changes: Changes = {},
  browser: TestBrowser = createTestBrowser(),
): Promise<{ code: string; form: Record<string, string> }> {
  const { parameters, verifier } = codeRequest(clientId, changes);
  const { code = '' } = readRedirect(await signIn(gatehouse, parameters, browser)).query;
  const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
  return { code, form };
}

/** Redeems a code, or whatever else the form asks for; a client without a secret names itself in the form. */
export function redeem(gatehouse: Gatehouse, client: Credentials, form: Record<string, string>): Promise<Answer> {
  const [clientId, secret] = client;
  return postToken(gatehouse, secret === '' ? { form: { client_id: clientId, ...form } } : { basic: client, form });
}

/** Tokens of the plain user by the code flow. */
export async function obtainTokens(
  gatehouse: Gatehouse,
  client: Credentials,
  changes: Changes = {},
  browser: TestBrowser = createTestBrowser(),
): Promise<TokenResponse> {
  const { form } = await obtainCode(gatehouse, client, changes, browser);
  const answer = await redeem(gatehouse, client, form);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer.json() as unknown as TokenResponse;
}
