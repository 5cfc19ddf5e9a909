import { createHash, randomBytes } from 'node:crypto';
import { type Answer, createTestBrowser, type Gatehouse, type TestBrowser } from '@gatehouse/test-kit';
import { type Credentials, redirectUri } from './clients.ts';
import { plainUser } from './people.ts';

/** RFC 7636: a verifier and its S256 challenge. */
export function createPkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

export function buildAuthorizeUrl({ authUrl }: Gatehouse, parameters: Record<string, string>): string {
  return `${authUrl}/oauth/authorize?${new URLSearchParams(parameters)}`;
}

/** Opens an authorization URL in a browser and signs in there; gives the answer to the form. */
export async function signIn(
  url: string,
  [username, password]: [string, string] = plainUser,
  browser: TestBrowser = createTestBrowser(),
): Promise<Answer> {
  const page = await browser.get(url);
  if (page.status !== 200) throw new Error(`${page.status} ${page.headers.location} ${page.text}`);
  return browser.submit(page, url, { username, password });
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
  const { verifier, challenge } = createPkce();
  const url = buildAuthorizeUrl(gatehouse, {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'the-state',
    ...parameters,
  });
  const code = getLocation(await signIn(url, plainUser, browser)).searchParams.get('code') ?? '';
  const redemption = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
  return { code, redemption };
}
