import {
  type Answer,
  createPkce,
  createTestBrowser,
  type Gatehouse,
  signIn as signInAt,
  type TestBrowser,
} from '@gatehouse/test-kit';
import { type Credentials, redirectUri } from './clients.ts';
import { plainUser } from './people.ts';

export { createPkce };

export function buildAuthorizeUrl({ authUrl }: Pick<Gatehouse, 'authUrl'>, parameters: Record<string, string>): string {
  return `${authUrl}/oauth/authorize?${new URLSearchParams(parameters)}`;
}

/** Opens an authorization URL in a browser and signs in there; gives the answer to the form. */
export function signIn(
  url: string,
  [username, password]: [string, string] = plainUser,
  browser?: TestBrowser,
): Promise<Answer> {
  return signInAt(url, { username, password }, browser);
}

export function getLocation({ headers, status, text }: Answer): URL {
  if (typeof headers.location !== 'string') throw new Error(`no redirect: ${status} ${text}`);
  return new URL(headers.location);
}

/** A code that the test needs, and the form that redeems it. */
export async function obtainCode(
  gatehouse: Gatehouse,
  [clientId]: Credentials,
  parameters: Record<string, string> = {},
  browser: TestBrowser = createTestBrowser(),
): Promise<{ code: string; redemption: Record<string, string> }> {
  const { verifier, parameters: pkce } = createPkce();
  const url = buildAuthorizeUrl(gatehouse, {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    ...pkce,
    state: 'the-state',
    ...parameters,
  });
  const code = getLocation(await signIn(url, plainUser, browser)).searchParams.get('code') ?? '';
  const redemption = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
  return { code, redemption };
}
