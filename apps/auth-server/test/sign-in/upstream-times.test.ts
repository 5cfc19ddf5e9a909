import { createTestBrowser, type TestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startGithubServer } from '../support/github-server.ts';
import type { Realm } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';
import { playUpstream, type UpstreamPlay } from '../support/upstream-play.ts';
import { startUpstreamServer, type UpstreamServer } from '../support/upstream-server.ts';

/** Seconds: so long ago, from now. */
const ago = (seconds: number) => Math.floor(Date.now() / 1000) - seconds;

describe.each(testDialects)('the time of a sign-in at an upstream on %s', (dialect) => {
  let realm: Realm;
  let server: UpstreamServer;
  let play: UpstreamPlay;

  beforeAll(async () => {
    [realm, server] = await Promise.all([startRealmOn(dialect), startUpstreamServer()]);
    play = await playUpstream(realm, server);
  });
  afterAll(async () => {
    server.close();
    await realm.close();
  });
  beforeEach(() => play.register());

  it.each<[string, Record<string, string>, number | undefined, number]>([
    ['older than max_age', { max_age: '600' }, 3_000, 400],
    ['missing where max_age asks for it', { max_age: '600' }, undefined, 400],
    ['within max_age', { max_age: '600' }, 100, 200],
    ['of before the request with prompt=login', { prompt: 'login' }, 100, 400],
    ['missing with prompt=login', { prompt: 'login' }, undefined, 400],
    ['since the request with prompt=login', { prompt: 'login' }, 0, 200],
    ['of before the request with prompt=login, though within max_age', { prompt: 'login', max_age: '600' }, 100, 400],
    ['of before the request with prompt=select_account', { prompt: 'select_account' }, 100, 400],
    ['missing with prompt=select_account', { prompt: 'select_account' }, undefined, 200],
    ['old where nothing asks for it', {}, 3_000, 200],
  ])('%s', async (_what, parameters, seconds, status) => {
    play.account(seconds === undefined ? {} : { auth_time: ago(seconds) });
    expect((await play.goThere(createTestBrowser(), play.startPage(parameters))).status).toBe(status);
  });

  it('is asked for by prompt=login and max_age=0', async () => {
    const address = new URL(await play.leave(createTestBrowser(), play.startPage({ prompt: 'login' })));
    expect(Object.fromEntries(address.searchParams)).toMatchObject({ prompt: 'login', max_age: '0' });
  });

  it('is never later than now', async () => {
    play.account({ auth_time: ago(-86_400) });
    await play.link(await play.addUser());
    const { auth_time: authTime } = (await play.claimsOf(createTestBrowser())).claims as { auth_time: number };
    expect(Math.abs(authTime - ago(0))).toBeLessThan(60);
  });

  /** Goes there from the sign-in page at an address, and comes back. */
  const signInFrom = async (browser: TestBrowser, url: string) => {
    const there = new URL(play.locationOf(await browser.submit(await browser.get(url), url, { upstream: 'corp' })));
    const back = await play.comeBack(browser, await play.signInThere(there.href));
    return { asked: Object.fromEntries(there.searchParams), back };
  };

  it('is new for a page of the account that changes methods, and such a sign-in leads there', async () => {
    const sub = play.account({ auth_time: ago(3_000) });
    await play.link(await play.addUser());
    const browser = createTestBrowser();
    const first = await signInFrom(browser, `${realm.url}/account`);
    expect(first.asked).not.toHaveProperty('prompt');
    expect([first.back.status, first.back.headers.location]).toEqual([303, '/account']);
    const page = `${realm.url}/account/password`;
    const old = await signInFrom(browser, page);
    expect(old.asked).toMatchObject({ prompt: 'login', max_age: '0' });
    expect([old.back.status, old.back.text]).toEqual([400, expect.stringContaining('name="password"')]);
    server.said.idToken = { sub, auth_time: ago(0) };
    const fresh = await signInFrom(browser, page);
    expect([fresh.back.status, fresh.back.headers.location]).toEqual([303, '/account/password']);
    const shown = await browser.get(page);
    expect([shown.status, shown.text]).toEqual([200, expect.not.stringContaining('name="upstream"')]);
  });

  it('is new for a device; a page of this server takes an upstream at its word that never says when', async () => {
    const sub = play.account({ auth_time: ago(3_000) });
    await play.link(await play.addUser());
    const page = `${realm.url}/oauth/device`;
    const old = await signInFrom(createTestBrowser(), page);
    expect(old.asked).toMatchObject({ prompt: 'login', max_age: '0' });
    expect(old.back.status).toBe(400);
    for (const authTime of [ago(0), undefined]) {
      server.said.idToken = { sub, auth_time: authTime };
      const fresh = await signInFrom(createTestBrowser(), page);
      expect([fresh.back.status, fresh.back.text]).toEqual([200, expect.stringContaining('name="user_code"')]);
    }
  });

  it('cannot be proven by GitHub, whose users choose the account there', async () => {
    const github = await startGithubServer();
    try {
      await play.register({ kind: 'github', issuer: github.issuer });
      const url = play.startPage({ prompt: 'login' });
      const browser = createTestBrowser();
      const there = new URL(await play.leave(browser, url));
      expect(there.searchParams.get('prompt')).toBe('select_account');
      expect((await play.comeBack(browser, await play.signInThere(there.href))).status).toBe(200);
      const refused: Record<string, string>[] = [{ max_age: '0' }, { max_age: '600', prompt: 'login' }];
      for (const parameters of refused) {
        expect((await play.goThere(createTestBrowser(), play.startPage(parameters))).status).toBe(400);
      }
    } finally {
      github.close();
    }
  });
});
