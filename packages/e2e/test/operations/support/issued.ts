import { type Answer, call, createTestBrowser, type Gatehouse, type TestBrowser } from '@gatehouse/test-kit';
import { buildAuthorizeUrl, createPkce, getLocation } from '../../support/authorization.ts';
import { type Credentials, redirectUri } from '../../support/clients.ts';
import { plainUser } from '../../support/people.ts';
import { getTokens, postToken, type TokenResponse } from '../../support/tokens.ts';
import { getUserDetails } from '../../support/users.ts';

/** What a user was issued at one moment: tokens, and the session of a browser. */
export interface Issued {
  tokens: TokenResponse;
  browser: TestBrowser;
}

/** Of what is issued: nothing works any more. */
export const over = { details: 401, userinfo: 401, refresh: 400, session: false };

/** Signs users in at one application, and says whether what they were issued works. */
export function createIssuing(gatehouse: Gatehouse, app: Credentials) {
  const buildRequest = (more: Record<string, string> = {}) => {
    const { verifier, parameters } = createPkce();
    const code = { response_type: 'code', client_id: app[0], redirect_uri: redirectUri, state: 'the-state' };
    const url = buildAuthorizeUrl(gatehouse, { ...code, scope: 'openid profile', ...parameters, ...more });
    return { url, verifier };
  };
  const refresh = ({ tokens }: Issued): Promise<Answer> => {
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' };
    return postToken(gatehouse, { basic: app, form });
  };
  const isSignedIn = async ({ browser }: Issued): Promise<boolean> =>
    getLocation(await browser.get(buildRequest({ prompt: 'none' }).url)).searchParams.has('code');
  return {
    async signIn([username, password] = plainUser): Promise<Issued> {
      const browser = createTestBrowser();
      const { url, verifier } = buildRequest();
      const answer = await browser.submit(await browser.get(url), url, { username, password });
      const code = getLocation(answer).searchParams.get('code') ?? '';
      const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
      return { tokens: await getTokens(gatehouse, app, form), browser };
    },
    refresh,
    isSignedIn,
    revoke: ({ tokens }: Issued) =>
      call(`${gatehouse.authUrl}/oauth/revoke`, { basic: app, form: { token: tokens.refresh_token ?? '' } }),
    /** What it still does at org-api, at auth-server and at the browser. */
    async use(issued: Issued): Promise<typeof over> {
      const { access_token: bearer } = issued.tokens;
      return {
        details: (await getUserDetails(gatehouse, plainUser[0], bearer)).status,
        userinfo: (await call(`${gatehouse.authUrl}/oauth/userinfo`, { bearer })).status,
        refresh: (await refresh(issued)).status,
        session: await isSignedIn(issued),
      };
    },
  };
}
