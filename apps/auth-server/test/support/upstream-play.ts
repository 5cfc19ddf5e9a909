import { randomBytes } from 'node:crypto';
import { type Answer, createTestBrowser, type TestBrowser } from '@gatehouse/test-kit';
import { authorizePath, codeRequest, createPkce, readRedirect } from './browser.ts';
import { administerOrganization } from './organization.ts';
import { administrator, callback, type Realm, readClaims, webClient } from './realm.ts';
import type { UpstreamServer } from './upstream-server.ts';

export const password = 'a long enough password';

export type UpstreamPlay = Awaited<ReturnType<typeof playUpstream>>;

/** Signs users in by the upstream `corp`, which is the server of the test. */
export async function playUpstream(realm: Realm, server: UpstreamServer) {
  await realm.register(webClient);
  const organization = await administerOrganization(realm);
  const administer = (method: string, path: string, json?: object) =>
    realm.send(`/upstreams${path}`, { method, basic: administrator, ...(json && { json }) });
  const unique = () => randomBytes(6).toString('hex');
  const startPage = (parameters: Record<string, string> = {}) =>
    realm.url + authorizePath({ ...codeRequest, state: unique(), ...parameters });
  const locationOf = ({ status, headers, text }: Answer): string => {
    if (typeof headers.location !== 'string') throw new Error(`no redirect: ${status} ${text}`);
    return headers.location;
  };
  const leave = async (browser: TestBrowser, url = startPage()) =>
    locationOf(await browser.submit(await browser.get(url), url, { upstream: 'corp' }));
  const signInThere = async (address: string) => locationOf(await createTestBrowser().get(address));
  const comeBack = async (browser: TestBrowser, address: string) => {
    const answer = await browser.get(address);
    return answer.status === 303 ? browser.get(new URL(locationOf(answer), realm.url).href) : answer;
  };
  const goThere = async (browser: TestBrowser, url?: string) =>
    comeBack(browser, await signInThere(await leave(browser, url)));
  const submit = (browser: TestBrowser, page: Answer, fields: Record<string, string>) =>
    browser.submit(page, `${realm.url}/oauth/sign-in`, fields);
  const codeOf = (answer: Answer) => readRedirect(answer).parameters.code;
  return {
    organization,
    administer,
    unique,
    /** A user who signs in by a password. */
    async addUser(members: object = {}): Promise<string> {
      const username = `${unique()}@example.com`;
      await organization.create({ username, password, userType: 'Person', firstName: 'A', lastName: 'B', ...members });
      return username;
    },
    /** Registers `corp`, or another one, in place of the one before. */
    async register(members: { alias?: string; [member: string]: unknown } = {}): Promise<void> {
      Object.assign(server.said, { metadata: {}, answer: {}, statuses: {}, cacheControl: undefined });
      await administer('DELETE', `/${members.alias ?? 'corp'}`);
      const answer = await administer('POST', '', {
        ...{ alias: 'corp', display_name: 'Corp <SSO>', kind: 'oidc', issuer: server.issuer },
        ...{ client_id: 'gatehouse', client_secret: 'a secret there', ...members },
      });
      if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
    },
    /** The account that signs in there from now on; gives its subject. */
    account(claims: object = {}): string {
      const sub = `subject-${unique()}`;
      server.said.idToken = { sub, ...claims };
      server.said.userinfo = { sub };
      return sub;
    },
    startPage,
    locationOf,
    /** Presses the button of the upstream on a page; gives the address there. */
    leave,
    /** Signs in there; gives the address at which the browser comes back. */
    signInThere,
    /** Comes back; gives the page or the redirect after it. */
    comeBack,
    /** All of these. */
    goThere,
    submit,
    signInHere: (browser: TestBrowser, page: Answer, username: string) => submit(browser, page, { username, password }),
    codeOf,
    /** Links the account to a user. */
    async link(username: string, browser = createTestBrowser()): Promise<void> {
      const asked = await submit(browser, await goThere(browser), { username, password });
      const done = await submit(browser, asked, { decision: 'link' });
      if (codeOf(done) === undefined) throw new Error(`not linked: ${done.status} ${done.text}`);
    },
    /** Signs in there, and gives the claims of the tokens. */
    async claimsOf(browser: TestBrowser, parameters: Record<string, string> = {}) {
      const { verifier, parameters: pkce } = createPkce();
      const done = await goThere(browser, startPage({ ...pkce, ...parameters }));
      const code = codeOf(done);
      if (code === undefined) throw new Error(`no code: ${done.status} ${done.text}`);
      const form = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier };
      const tokens = await realm.tokens(webClient, form);
      return { ...tokens, claims: readClaims(tokens.id_token ?? '') };
    },
  };
}
