import { type Answer, type CallOptions, call, createPkce, createTestBrowser } from '@gatehouse/test-kit';
import type { Lab } from '../lab.ts';
import { userDetailsPath } from '../product/access-tokens.ts';

/** A request, by its name in the report. It rejects where its answer is not the right one. */
export type Step = [name: string, send: () => Promise<unknown>];

interface Tokens {
  access_token: string;
  refresh_token: string;
}

/** The requests of a journey in their order. Each journey is of another person. */
export function listRequests({ product, population }: Lab, administratorToken: string, journey: number): Step[] {
  const { webClient, people, serviceClients, password } = population;
  const authUrl = product.authServer.url;
  const username = people[journey % people.length]?.username ?? '';
  const [machine = webClient] = serviceClients;
  const { clientId: client_id, secret, redirectUri: redirect_uri } = webClient;
  const { verifier, parameters: pkce } = createPkce();
  const browser = createTestBrowser();
  const signInUrl = `${authUrl}/oauth/authorize?${new URLSearchParams({
    ...{ response_type: 'code', client_id, redirect_uri, scope: 'openid profile email' },
    ...pkce,
  })}`;
  const send = async (path: string, options: CallOptions) => expectOk(await call(`${authUrl}${path}`, options));
  const sendForm = (path: string, form: Record<string, string>) => send(path, { basic: [client_id, secret], form });
  const askForTokens = async (form: Record<string, string>) => {
    tokens = (await sendForm('/oauth/token', form)).json<Tokens>();
  };
  const openPage = async () => {
    page = expectOk(await browser.get(signInUrl));
  };
  const typePassword = async () => {
    const { status, headers } = await browser.submit(page, signInUrl, { username, password });
    code = new URL(String(headers.location ?? ''), authUrl).searchParams.get('code') ?? '';
    if (code === '') throw new Error(`a password was answered ${status}, without a code`);
  };
  const introspect = async () => {
    const { active } = (await sendForm('/oauth/introspect', { token: tokens.access_token })).json();
    if (active !== true) throw new Error('a token is not active');
  };
  const readDetails = async () => {
    const url = `${product.orgApi.url}${userDetailsPath}${encodeURIComponent(username)}`;
    expectOk(await call(url, { bearer: tokens.access_token }));
  };
  const registerClient = () => {
    const json = {
      client_id: `registered-${Math.random()}`,
      client_secret: secret,
      scope: ['openid', 'profile'],
      authorized_grant_types: ['authorization_code', 'refresh_token'],
      redirect_uri,
    };
    return send('/clients', { bearer: administratorToken, json });
  };
  let page: Answer;
  let code = '';
  let tokens: Tokens = { access_token: '', refresh_token: '' };
  const asMachine: CallOptions = {
    basic: [machine.clientId, machine.secret],
    form: { grant_type: 'client_credentials' },
  };
  return [
    ['client_credentials', () => send('/oauth/token', asMachine)],
    ['the sign-in page', openPage],
    ['the password, up to the code', typePassword],
    [
      'code exchange',
      () => askForTokens({ grant_type: 'authorization_code', code, redirect_uri, code_verifier: verifier }),
    ],
    ['userinfo', () => send('/oauth/userinfo', { bearer: tokens.access_token })],
    ['user details, of org-api', readDetails],
    ['introspection', introspect],
    ['refresh', () => askForTokens({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token })],
    ['revocation of the refresh token', () => sendForm('/oauth/revoke', { token: tokens.refresh_token })],
    ['POST /clients', registerClient],
  ];
}

function expectOk(answer: Answer): Answer {
  if (answer.status === 200) return answer;
  throw new Error(`a request was answered ${answer.status}: ${answer.text.slice(0, 300)}`);
}
