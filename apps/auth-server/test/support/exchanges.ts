import { randomBytes } from 'node:crypto';
import { accessTokenType, createTestBrowser, type TestBrowser, tokenExchange } from '@gatehouse/test-kit';
import { authorizePath, createPkce, readRedirect } from './browser.ts';
import { administrator, callback, passwordOf, type Realm, readClaims, type TokenAnswer } from './realm.ts';
import { administerResources, type RegisteredResource } from './resources.ts';

export { accessTokenType, tokenExchange };

export interface ExchangeAnswer extends TokenAnswer {
  issued_token_type: string;
}

export type ExchangedClaims = Record<string, unknown> & {
  sub: string;
  aud: string;
  scope: string;
  exp: number;
  iat: number;
  ceiling?: string[];
  act?: object;
};

export interface Secretive {
  client_id: string;
  client_secret: string;
}

/** Clients that sign users in, and APIs that exchange the tokens which they are called with. */
export function createExchanges(realm: Realm) {
  const uniqueSecretive = (kind: string): Secretive => ({
    client_id: `${kind}-${randomBytes(6).toString('hex')}`,
    client_secret: 'a secret of the client',
  });
  const basicOf = ({ client_id, client_secret }: Secretive): [string, string] => [client_id, client_secret];
  const send = (client: Secretive, form: Record<string, string>, headers: Record<string, string> = {}) =>
    realm.tokenRequest(client, form, headers);
  const buildForm = (token: string, form: Record<string, string>) => ({
    grant_type: tokenExchange,
    subject_token: token,
    subject_token_type: accessTokenType,
    ...form,
  });

  const request = (client: Secretive, token: string, form: Record<string, string> = {}, headers = {}) =>
    send(client, buildForm(token, form), headers);
  const exchange = async (...asked: Parameters<typeof request>): Promise<ExchangeAnswer> => {
    const answer = await request(...asked);
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    return answer.json<ExchangeAnswer>();
  };

  return {
    basicOf,
    resources: administerResources(realm),
    /** A client through which users sign in, for these resources with their scopes. */
    registerApp: (resources: readonly RegisteredResource[], changes: object = {}) =>
      realm.register({
        ...uniqueSecretive('app'),
        scope: ['openid', 'profile', 'email', 'offline_access', 'roles', ...scopesOf(resources)],
        authorized_grant_types: ['authorization_code', 'password', 'refresh_token', 'client_credentials'],
        redirect_uri: callback,
        ...{ resources: [realm.orgUrl, ...resources.map(({ resource }) => resource)] },
        ...changes,
      }),
    /** An API that exchanges tokens of `from` that are meant for `audience`. */
    registerApi: (
      from: readonly Secretive[],
      audience: RegisteredResource | string,
      resources: readonly RegisteredResource[],
      changes: object = {},
    ) =>
      realm.register({
        ...uniqueSecretive('api'),
        scope: ['openid', 'profile', 'email', 'roles', ...scopesOf(resources)],
        authorized_grant_types: [tokenExchange, 'client_credentials'],
        ...(from.length === 0 ? {} : { exchange_from: from.map(({ client_id }) => client_id) }),
        ...{ exchange_audiences: [typeof audience === 'string' ? audience : audience.resource] },
        ...{ resources: [realm.orgUrl, ...resources.map(({ resource }) => resource)] },
        ...changes,
      }),
    createCredentials: uniqueSecretive,
    request,
    /** The answer, or an error that holds it. */
    exchange,
    /** The claims of the token, or an error. */
    claims: async (...asked: Parameters<typeof request>) =>
      readClaims<ExchangedClaims>((await exchange(...asked)).access_token),
    /** The status and the error of a refusal. */
    async fault(...asked: Parameters<typeof request>): Promise<unknown[]> {
      const answer = await request(...asked);
      return [answer.status, answer.json<{ error?: string }>().error];
    },
    /** Signs in at the browser and gives the tokens of the code. `allow`: answers the consent page. */
    async signIn(
      client: Secretive,
      scope: string,
      resources: readonly string[],
      options: { browser?: TestBrowser; form?: Record<string, string>; user?: string; allow?: boolean } = {},
    ): Promise<TokenAnswer> {
      const { browser = createTestBrowser(), form = {}, user = 'user', allow = false } = options;
      const { verifier, parameters } = createPkce();
      const asked: [string, string][] = [
        ...Object.entries({ response_type: 'code', redirect_uri: callback, scope, ...parameters }),
        ['client_id', client.client_id],
        ...resources.map((uri): [string, string] => ['resource', uri]),
      ];
      const credentials = { username: `${user}@example.com`, password: `${user}-password` };
      const page = await browser.get(realm.url + authorizePath(asked));
      // No page where the browser is signed in.
      let answer =
        page.status === 200 ? await browser.submit(page, realm.url + authorizePath(asked), credentials) : page;
      if (allow) answer = await browser.submit(answer, `${realm.url}/oauth/consent`, { decision: 'allow' });
      const { code = '' } = readRedirect(answer).parameters;
      const redemption = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier };
      return realm.tokens(client, { ...redemption, ...form });
    },
    byPassword: (client: Secretive, name: Parameters<typeof passwordOf>[0], form: Record<string, string>) =>
      realm.tokens(client, { ...passwordOf(name), ...form }),
    async introspect(client: Secretive, token: string) {
      return (await realm.send('/oauth/introspect', { basic: basicOf(client), form: { token } })).json<
        { active: boolean } & Record<string, unknown>
      >();
    },
    revoke: (client: Secretive, token = '') => realm.send('/oauth/revoke', { basic: basicOf(client), form: { token } }),
    /** The bit of the token in its published status list. */
    async isRevokedInList(token: string): Promise<boolean> {
      const { status } = readClaims<{ status: { status_list: { idx: number; uri: string } } }>(token);
      const { idx, uri } = status.status_list;
      const { readBits } = await import('./status.ts');
      const { text } = await realm.send(new URL(uri).pathname);
      return readBits(text).revoked.includes(idx);
    },
    /** Calls org-api by the token. */
    askOrgApi: (path: string, token: string, init: RequestInit = {}) =>
      fetch(`${realm.orgUrl}/organization/api/organization/${path}`, {
        ...init,
        headers: { authorization: `Bearer ${token}`, ...init.headers },
      }),
    async change(client: Secretive, json: object): Promise<void> {
      const path = `/clients/${client.client_id}`;
      const answer = await realm.send(path, { method: 'PATCH', basic: administrator, json });
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    },
    async delete(client: Secretive): Promise<void> {
      const answer = await realm.send(`/clients/${client.client_id}`, { method: 'DELETE', basic: administrator });
      if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
    },
  };
}

export function scopesOf(resources: readonly RegisteredResource[]): string[] {
  return resources.flatMap(({ scopes }) => scopes.map(({ name }) => name));
}
