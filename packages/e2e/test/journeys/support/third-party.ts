import { type Answer, call, createTestBrowser, type Gatehouse, type TestBrowser } from '@gatehouse/test-kit';
import { buildAuthorizeUrl, createPkce, getLocation, signIn } from '../../support/authorization.ts';
import { type Credentials, redirectUri } from '../../support/clients.ts';
import { administrator, plainUser } from '../../support/people.ts';
import { postToken, type TokenResponse } from '../../support/tokens.ts';
import { readItems } from './consent-pages.ts';
import { registerWith } from './registration.ts';

/** Claims asked for one by one (OpenID Connect Core 5.5), as the parameter `claims` says it. */
export interface AskedClaims {
  userinfo?: readonly string[];
  id_token?: readonly string[];
}

export interface Asked {
  scope: string;
  claims?: AskedClaims;
  parameters?: Record<string, string>;
  user?: [string, string];
  browser?: TestBrowser;
}

/** The grant types of a client that asks its users. */
export const askingGrantTypes = ['authorization_code', 'refresh_token', 'implicit'];

/** The journeys of third-party clients, step by step. */
export function createThirdParties(gatehouse: Gatehouse) {
  const buildRequest = ([clientId]: Credentials, { scope, claims = {}, parameters = {} }: Asked) => {
    const { verifier, challenge } = createPkce();
    const url = buildAuthorizeUrl(gatehouse, {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope,
      claims: JSON.stringify(mapMembers(claims)),
      state: 'the-state',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...parameters,
    });
    return { url, verifier };
  };
  /** To the consent page, or to the answer where nobody is asked. */
  const ask = async (client: Credentials, asked: Asked) => {
    const { browser = createTestBrowser(), user = plainUser } = asked;
    const { url, verifier } = buildRequest(client, asked);
    const first = await browser.get(url);
    const isSignInPage = first.text.includes('name="password"');
    const page = isSignInPage ? await signIn(url, user, browser) : first;
    return { page, url, verifier, browser, items: readItems(page) };
  };
  const answerOf = (answer: Answer) => {
    const { searchParams, hash } = getLocation(answer);
    return Object.fromEntries([...searchParams, ...new URLSearchParams(hash.slice(1))]);
  };
  /** Allows what is asked for, where it is asked. */
  const allow = async (client: Credentials, asked: Asked) => {
    const { page, url, ...rest } = await ask(client, asked);
    const answer = page.status === 200 ? await rest.browser.submit(page, url, { decision: 'allow' }) : page;
    return { answer: answerOf(answer), ...rest };
  };
  const redeem = (client: Credentials, { answer, verifier }: { answer: Record<string, string>; verifier: string }) =>
    postToken(gatehouse, {
      basic: client,
      form: {
        grant_type: 'authorization_code',
        code: answer.code ?? '',
        redirect_uri: redirectUri,
        code_verifier: verifier,
      },
    });
  return {
    register: (metadata: Record<string, unknown> = {}) =>
      registerWith(gatehouse, { require_consent: true, authorized_grant_types: askingGrantTypes, ...metadata }),
    registerFirstParty: (metadata: Record<string, unknown> = {}) =>
      registerWith(gatehouse, { authorized_grant_types: askingGrantTypes, ...metadata }),
    change: ([clientId]: Credentials, json: Record<string, unknown>) =>
      call(`${gatehouse.authUrl}/clients/${clientId}`, { method: 'PATCH', basic: administrator, json }),
    buildRequest,
    ask,
    answerOf,
    allow,
    redeem,
    /** The tokens of a code that the user allowed. */
    async obtain(client: Credentials, asked: Asked) {
      const allowed = await allow(client, asked);
      const answer = await redeem(client, allowed);
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
      return { ...(answer.json() as unknown as TokenResponse), items: allowed.items, browser: allowed.browser };
    },
    refresh: (client: Credentials, refreshToken = '', form: Record<string, string> = {}) =>
      postToken(gatehouse, {
        basic: client,
        form: { grant_type: 'refresh_token', refresh_token: refreshToken, ...form },
      }),
    userinfo: (bearer: string) => call(`${gatehouse.authUrl}/oauth/userinfo`, { bearer }),
    introspect: async (client: Credentials, token = '') =>
      (await call(`${gatehouse.authUrl}/oauth/introspect`, { basic: client, form: { token } })).json(),
  };
}

function mapMembers({ userinfo, id_token }: AskedClaims) {
  const mapNames = (names: readonly string[] | undefined) =>
    names && Object.fromEntries(names.map((name) => [name, null]));
  return { userinfo: mapNames(userinfo), id_token: mapNames(id_token) };
}
