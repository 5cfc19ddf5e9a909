import { randomBytes } from 'node:crypto';
import { type Answer, createAuthenticator, createTestBrowser, showCode, type TestBrowser } from '@gatehouse/test-kit';
import { expect } from '@jest/globals';
import { getGlobalDispatcher } from 'undici';
import { html } from '../../src/pages/page.ts';
import { authorizePath, readRedirect } from './browser.ts';
import { administerOrganization } from './organization.ts';
import { callback, type Realm, type TokenAnswer } from './realm.ts';

export interface Person {
  username: string;
  password: string;
}

/** A form of a page, with the values that a browser posts where its user changes nothing. */
export interface Form {
  action: string;
  fields: Record<string, string>;
}

export type Authenticator = ReturnType<typeof createAuthenticator>;
export type Credentials = { client_id: string; client_secret: string };
export type Visitor = ReturnType<ReturnType<typeof createVisits>>;
export type Accounts = Awaited<ReturnType<typeof useAccounts>>;

/** Just beyond the ten minutes for which a sign-in counts as fresh. */
export const tooLong = 601_000;
export const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0';
export const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';

/** A browser that sends these headers with each request. */
export function createBrowserWith(headers: Record<string, string>): TestBrowser {
  const dispatcher = getGlobalDispatcher().compose(
    (dispatch) => (options, handler) =>
      dispatch({ ...options, headers: { ...(options.headers as Record<string, string>), ...headers } }, handler),
  );
  return createTestBrowser(dispatcher);
}

export const escaped = (text: string): string => html`${text}`.text;

function unescapeHtml(text: string): string {
  const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_entity, name: string) => characters[name] as string);
}

function attributeOf(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  return value === undefined ? undefined : unescapeHtml(value);
}

/** A box that is not ticked is not posted. */
const isPosted = ([, input = '']: RegExpMatchArray): boolean =>
  attributeOf(input, 'type') !== 'checkbox' || / checked\b/.test(input);

/** The posted forms of a page. Of a list without a choice a browser posts the first entry. */
export function readForms({ text }: Pick<Answer, 'text'>): Form[] {
  return [...text.matchAll(/<form method="post"([^>]*)>(.*?)<\/form>/gs)].map(([, tag = '', content = '']) => {
    const inputs = [...content.matchAll(/<input\b([^>]*)>/g)].filter(isPosted).map(([, input = '']) => {
      const value = attributeOf(input, 'value') ?? '';
      // A field of one line has one (HTML, value sanitization).
      return [attributeOf(input, 'name'), attributeOf(input, 'type') === 'text' ? value.replace(/[\r\n]/g, '') : value];
    });
    const lists = [...content.matchAll(/<select\b([^>]*)>(.*?)<\/select>/gs)].map(([, list = '', options = '']) => {
      const all = [...options.matchAll(/<option\b([^>]*)>/g)].map(([, option = '']) => option);
      const chosen = all.find((option) => option.endsWith(' selected')) ?? all[0] ?? '';
      return [attributeOf(list, 'name'), attributeOf(chosen, 'value') ?? ''];
    });
    const texts = [...content.matchAll(/<textarea\b([^>]*)>(.*?)<\/textarea>/gs)].map(([, area = '', value = '']) => [
      attributeOf(area, 'name'),
      unescapeHtml(value).replace(/\r?\n/g, '\r\n'),
    ]);
    const fields = Object.fromEntries([...inputs, ...lists, ...texts]);
    return { action: attributeOf(tag, 'action') ?? '', fields };
  });
}

/** Whether a page asks for a step of the sign-in. */
export const asksForSignIn = (page: Pick<Answer, 'text'>): boolean =>
  readForms(page).some(({ action }) => /\/account\/(sign-in|second-step)$/.test(action));

/** Where an answer leads to, with the text of its fault where it leads nowhere. */
export const resultOf = ({ status, headers, text }: Answer) => [
  status,
  headers.location ?? unescapeHtml(/<p class="alarm"[^>]*>(.*?)<\/p>/.exec(text)?.[1] ?? ''),
];

/** The options that a page gives its script. */
export function readPasskeyOptions({ text }: Pick<Answer, 'text'>) {
  const json = /<script type="application\/json" id="webauthn">(.*?)<\/script>/.exec(text)?.[1];
  if (json === undefined) throw new Error(`no options of a passkey: ${text}`);
  return JSON.parse(json) as {
    get?: { challenge: string };
    create?: { challenge: string; user: { id: string; name: string }; excludeCredentials: { id: string }[] };
  };
}

/** The recovery codes that a page shows. */
export function readRecoveryCodes({ text }: Pick<Answer, 'text'>): string[] {
  return [...text.matchAll(/<code>((?:[0-9A-Z]{4}-){3}[0-9A-Z]{4})<\/code>/g)].map(([, code]) => code as string);
}

/** The text of a page, without the tokens that differ each time. */
export function readContent({ text }: Pick<Answer, 'text'>): string {
  return text.replaceAll(/name="form_token" value="[^"]*"/g, '');
}

/** The entries of the lists of a page. */
export function readEntries({ text }: Pick<Answer, 'text'>): string[] {
  return [...text.matchAll(/<(?:ul|ol) class="rows">(.*?)<\/(?:ul|ol)>/gs)].flatMap(([, list = '']) =>
    list.split('<li>').slice(1),
  );
}

/** Makes the visits of people to the pages of their accounts. */
export function createVisits(realm: Pick<Realm, 'url' | 'authUrl'>) {
  const base = new URL(realm.authUrl).pathname.replace(/\/$/, '');
  return (user: Person, browser: TestBrowser = createTestBrowser()) => {
    /** Whatever it is, no answer of these pages is kept. */
    const check = (answer: Answer) => {
      expect(answer.headers['cache-control']).toBe('no-store');
      return answer;
    };
    const get = async (path: string) => check(await browser.get(realm.url + path));
    const sendTo = async (path: string, fields: Record<string, string>) =>
      check(await browser.post(realm.url + path, fields));
    /** Fills in the form of a page that is posted there and has these values, and posts it. */
    const send = (page: Answer, path: string, fields: Record<string, string> = {}, about: object = {}) => {
      const isMeant = (form: Form) =>
        form.action === base + path && Object.entries(about).every(([name, value]) => form.fields[name] === value);
      const form = readForms(page).find(isMeant);
      if (form === undefined) {
        const found = readForms(page).map(({ action }) => action);
        throw new Error(`no form for ${path} with ${JSON.stringify(about)}: ${page.status} ${found}`);
      }
      return sendTo(path, { ...form.fields, ...fields });
    };
    const submit = async (page: string, path: string, fields: Record<string, string> = {}, about: object = {}) =>
      send(await get(page), path, fields, about);
    /** A good form token: one page has a form at every level, however old the sign-in is. */
    const readToken = async () => readForms(await get('/account/sessions')).at(0)?.fields.form_token ?? '';
    return {
      user,
      browser,
      get,
      send,
      sendTo,
      submit,
      readToken,
      /** Posts what no page offers, with a good form token. */
      post: async (path: string, fields: Record<string, string> = {}) =>
        sendTo(path, { form_token: await readToken(), ...fields }),
      /** Asks for a page, and answers the sign-in page in its place. */
      signIn: async (path = '/account', password = user.password) =>
        submit(path, '/account/sign-in', { username: user.username, password }),
      async signInByPasskey(authenticator: Authenticator, path = '/account') {
        const page = await get(path);
        const { challenge = '' } = readPasskeyOptions(page).get ?? {};
        return send(page, '/account/sign-in', { credential: authenticator.get({ challenge }) });
      },
      signOut: () => submit('/account/sessions', '/account/sessions/end', {}, { all: 'every' }),
      isSignedIn: async () => !asksForSignIn(await get('/account')),
      sessionCookie: () => Object.entries(browser.cookies()).find(([name]) => name.endsWith('gatehouse-session'))?.[1],
    };
  };
}

/** What people do with their accounts at a realm, each test with a person of its own. */
export async function useAccounts(realm: Realm) {
  const organization = await administerOrganization(realm);
  const visit = createVisits(realm);
  const { hostname, origin } = new URL(realm.authUrl);

  const createPerson = async (more: object = {}): Promise<Person> => {
    const user = { username: `${randomBytes(6).toString('hex')}@example.com`, password: 'a long enough password' };
    await organization.create({ ...user, userType: 'Person', ...more });
    return user;
  };
  const signInAs = async (user: Person, browser?: TestBrowser): Promise<Visitor> => {
    const visitor = visit(user, browser);
    const answer = await visitor.signIn();
    if (answer.status !== 303) throw new Error(`${user.username} is not signed in: ${answer.status} ${answer.text}`);
    return visitor;
  };
  const createKey = (options: object = {}) => createAuthenticator({ rpId: hostname, origin, ...options });

  return {
    organization,
    visit,
    createPerson,
    createKey,
    /** A new user who has just signed in, in another browser of a known user where one is named. */
    signInAs,
    signIn: async (more: object = {}, browser?: TestBrowser) => signInAs(await createPerson(more), browser),

    /** The user sets a code app up. The app shows the code of the step that follows for a while. */
    async addCodeApp(visitor: Visitor) {
      const page = await visitor.get('/account/code-app');
      const { secret = '' } = readForms(page)[0]?.fields ?? {};
      const answer = await visitor.send(page, '/account/code-app', { code: showCode(secret) });
      return { answer, secret, recoveryCodes: readRecoveryCodes(answer), nextCode: () => showCode(secret, 1) };
    },
    async addPasskey(visitor: Visitor, name = 'A passkey', options: object = {}) {
      const authenticator = createKey(options);
      const page = await visitor.get('/account/passkeys');
      const { challenge = '', user } = readPasskeyOptions(page).create ?? {};
      const credential = authenticator.create({ challenge, userHandle: user?.id ?? '' });
      const answer = await visitor.send(page, '/account/passkeys', { credential, name });
      return { answer, authenticator, recoveryCodes: readRecoveryCodes(answer) };
    },

    async registerClient(more: object = {}): Promise<Credentials> {
      const client = {
        client_id: `client-${randomBytes(6).toString('hex')}`,
        client_secret: 'a secret of the client',
      };
      await realm.register({
        ...client,
        scope: ['openid', 'profile', 'offline_access'],
        authorized_grant_types: ['authorization_code', 'refresh_token'],
        redirect_uri: callback,
        ...more,
      });
      return client;
    },
    /** The tokens of a client for a user who is signed in. */
    async obtainTokens({ browser }: Visitor, client: Credentials, scope = 'openid'): Promise<TokenAnswer> {
      const request = { response_type: 'code', client_id: client.client_id, redirect_uri: callback, scope };
      const url = realm.url + authorizePath(request);
      let answer = await browser.get(url);
      if (answer.status === 200) answer = await browser.submit(answer, url, { decision: 'allow' });
      const { code } = readRedirect(answer).parameters;
      if (code === undefined) throw new Error(`${answer.status} ${String(answer.headers.location)} ${answer.text}`);
      return realm.tokens(client, { grant_type: 'authorization_code', code, redirect_uri: callback });
    },
    isRefreshed: async (client: Credentials, { refresh_token = '' }: TokenAnswer) =>
      (await realm.tokenRequest(client, { grant_type: 'refresh_token', refresh_token })).status === 200,
    async isActive({ client_id, client_secret }: Credentials, token: string): Promise<boolean> {
      const answer = await realm.send('/oauth/introspect', { basic: [client_id, client_secret], form: { token } });
      return answer.json<{ active: boolean }>().active;
    },
  };
}
