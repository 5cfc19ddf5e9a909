import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { formatDay } from '../../src/account/account-page.ts';
import { en } from '../../src/pages/messages/en.ts';
import {
  type Accounts,
  type Credentials,
  readEntries,
  readForms,
  resultOf,
  useAccounts,
  type Visitor,
} from '../support/account.ts';
import { obtainTokens, registerDynamically } from '../support/dynamic-clients.ts';
import { administrator, type Realm } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const path = '/account/applications';
const done = [303, path];
const { applications: texts } = en;
/** Neither lives longer than a day. */
const days = 40 * 86_400_000;

describe.each(testDialects)('the applications that can use an account, on %s,', (dialect) => {
  let realm: Realm;
  let accounts: Accounts;
  let own: Credentials;
  let foreign: Credentials;

  beforeAll(async () => {
    realm = await startRealmOn(dialect, { DYNAMIC_REGISTRATION: 'token' });
    accounts = await useAccounts(realm);
    own = await accounts.registerClient({ client_name: 'Intranet' });
    foreign = await accounts.registerClient({ client_name: 'Calendar <i>of</i> others', require_consent: true });
  });
  afterAll(() => realm.close());

  const list = async (visitor: Visitor) =>
    readEntries(await visitor.get(path)).map((entry) => ({
      name: /<strong>(.*?)<\/strong>/.exec(entry)?.[1],
      words: /<p class="quiet">(.*?)<\/p>/.exec(entry)?.[1],
    }));
  const namesOf = async (visitor: Visitor) => (await list(visitor)).map(({ name }) => name).sort();
  const calendar = 'Calendar &lt;i&gt;of&lt;/i&gt; others';
  const registrationOf = async (visitor: Visitor, index = 0) =>
    readForms(await visitor.get(path))[index]?.fields.registration ?? '';
  const takeBack = async (visitor: Visitor, index = 0) =>
    resultOf(await visitor.submit(path, path, {}, { registration: await registrationOf(visitor, index) }));

  it('are none at first', async () => {
    expect((await (await accounts.signIn()).get(path)).text).toContain(`<p>${texts.none}</p>`);
  });

  it('are those that the user allowed, and those of the organization with a refresh token, with what they may do', async () => {
    const visitor = await accounts.signIn();
    await accounts.obtainTokens(visitor, own, 'openid profile');
    await accounts.obtainTokens(visitor, own, 'openid offline_access');
    await accounts.obtainTokens(visitor, foreign, 'openid');
    const since = `since ${formatDay(realm.clock(), en, 'UTC')}`;
    expect(await list(visitor)).toEqual([
      { name: calendar, words: expect.stringContaining(since) },
      { name: 'Intranet', words: expect.stringContaining(since) },
    ]);
    const [, { words }] = (await list(visitor)) as [object, { words: string }];
    for (const scope of ['openid', 'profile', 'offline_access'] as const) expect(words).toContain(en.scopes[scope]);
  });

  it('are linked to where a sign-in to them begins, with the issuer (OpenID Connect Core 4)', async () => {
    const visitor = await accounts.signIn();
    const linked = await accounts.registerClient({ initiate_login_uri: 'https://app.example.com/login?a=1&iss=x' });
    const third = { initiate_login_uri: 'https://third.example.com/#/login', require_consent: true };
    for (const client of [linked, await accounts.registerClient(third), own]) {
      await accounts.obtainTokens(visitor, client);
    }
    const entries = readEntries(await visitor.get(path));
    const links = entries.map((entry) => /<a href="([^"]*)"><strong>/.exec(entry)?.[1]);
    const iss = encodeURIComponent(realm.authUrl);
    const expected = [
      `https://app.example.com/login?a=1&amp;iss=${iss}`,
      `https://third.example.com/?iss=${iss}#/login`,
    ];
    expect(links.sort()).toEqual([...expected, undefined]);
  });

  it('are not those of another user', async () => {
    await accounts.obtainTokens(await accounts.signIn(), own);
    expect(await list(await accounts.signIn())).toEqual([]);
  });

  it('are not those of the organization whose refresh tokens are over: by their time, session, or password', async () => {
    const visitor = await accounts.signIn();
    await accounts.obtainTokens(visitor, own);
    await visitor.signOut();
    await visitor.signIn();
    expect(await list(visitor)).toEqual([]);
    await accounts.obtainTokens(visitor, own, 'openid offline_access');
    expect(await namesOf(visitor)).toEqual(['Intranet']);
    const next = 'another long enough password';
    await visitor.submit('/account/password', '/account/password', {
      old_password: visitor.user.password,
      password: next,
    });
    expect(await list(visitor)).toEqual([]);
    await accounts.obtainTokens(visitor, own, 'openid offline_access');
    realm.advance(days);
    expect(resultOf(await visitor.signIn('/account', next))).toEqual([303, '/account']);
    expect(await list(visitor)).toEqual([]);
  });

  it('are those that the user allowed, also once their tokens are over', async () => {
    const visitor = await accounts.signIn();
    await accounts.obtainTokens(visitor, foreign);
    realm.advance(days);
    await visitor.signIn();
    expect(await namesOf(visitor)).toEqual([calendar]);
  });

  it('are not those that were deleted', async () => {
    const visitor = await accounts.signIn();
    const gone = await accounts.registerClient();
    await accounts.obtainTokens(visitor, gone);
    expect(await namesOf(visitor)).toEqual([gone.client_id]);
    expect((await realm.send(`/clients/${gone.client_id}`, { method: 'DELETE', basic: administrator })).status).toBe(
      204,
    );
    expect(await list(visitor)).toEqual([]);
  });

  it('lose it when the user takes it back: all grants end, and who asks for consent asks again', async () => {
    const visitor = await accounts.signIn();
    const ofForeign = await accounts.obtainTokens(visitor, foreign, 'openid offline_access');
    const ofOwn = [
      await accounts.obtainTokens(visitor, own),
      await accounts.obtainTokens(visitor, own, 'openid offline_access'),
    ];
    expect(await takeBack(visitor)).toEqual(done);
    expect(await namesOf(visitor)).toEqual(['Intranet']);
    expect(await accounts.isRefreshed(foreign, ofForeign)).toBe(false);
    expect(await accounts.isActive(foreign, ofForeign.access_token)).toBe(false);
    expect(await accounts.isActive(own, ofOwn[0]?.access_token ?? '')).toBe(true);
    expect(await takeBack(visitor)).toEqual(done);
    expect(await list(visitor)).toEqual([]);
    for (const tokens of ofOwn) {
      expect(await accounts.isActive(own, tokens.access_token)).toBe(false);
      expect(await accounts.isRefreshed(own, tokens)).toBe(false);
    }
    expect(await visitor.isSignedIn()).toBe(true);
    expect((await visitor.get('/account/activity')).text.split(en.activity.events['consent.withdrawn'])).toHaveLength(
      3,
    );
  });

  it.each<(strange: string) => Record<string, string>>([
    () => ({}),
    () => ({ registration: 'x' }),
    () => ({ registration: "' OR 1=1 --" }),
    (registration) => ({ registration }),
  ])('keep it where the form names none of them, nor one of another user (%#)', async (choose) => {
    const [visitor, stranger] = [await accounts.signIn(), await accounts.signIn()];
    const tokens = await accounts.obtainTokens(visitor, own);
    const another = await accounts.registerClient();
    const ofStranger = await accounts.obtainTokens(stranger, another);
    expect(resultOf(await visitor.post(path, choose(await registrationOf(stranger))))).toEqual(done);
    expect(await namesOf(visitor)).toEqual(['Intranet']);
    expect(await accounts.isRefreshed(own, tokens)).toBe(true);
    expect(await accounts.isRefreshed(another, ofStranger)).toBe(true);
    expect((await visitor.get('/account/activity')).text).not.toContain(en.activity.events['consent.withdrawn']);
  });

  it('of one name are told apart by the host of those that registered themselves', async () => {
    const visitor = await accounts.signIn();
    const dynamic = registerDynamically(realm);
    const body = { client_name: 'Intranet', redirect_uris: ['https://agent.example.com/callback'] };
    const agent = await dynamic.register(body, await dynamic.createToken());
    await obtainTokens(realm, agent, { browser: visitor.browser });
    const [entry] = readEntries(await visitor.get(path));
    expect(entry).toContain('<strong>Intranet</strong> (<bdi>agent.example.com</bdi>)');
  });
});
