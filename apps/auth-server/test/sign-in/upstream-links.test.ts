import { createTestBrowser, showCode, showEarlierCode, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { en } from '../../src/pages/messages/en.ts';
import { readRedirect } from '../support/browser.ts';
import { administrator, type Realm } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';
import { password, playUpstream, type UpstreamPlay } from '../support/upstream-play.ts';
import { startUpstreamServer, type UpstreamServer } from '../support/upstream-server.ts';

const minute = 60_000;

describe.each(testDialects)('the link of an account at an upstream, on %s', (dialect) => {
  let realm: Realm;
  let server: UpstreamServer;
  let play: UpstreamPlay;
  let username: string;

  beforeAll(async () => {
    [realm, server] = await Promise.all([startRealmOn(dialect), startUpstreamServer()]);
    play = await playUpstream(realm, server);
  });
  afterAll(async () => {
    server.close();
    await realm.close();
  });
  beforeEach(async () => {
    await play.register();
    username = await play.addUser();
  });

  const reasonsOf = async () => {
    const answer = await realm.send('/audit-events?limit=50&type=sign_in.refused', { basic: administrator });
    return answer
      .json<{ events: { reason?: string; details?: { upstream?: string } }[] }>()
      .events.filter(({ details }) => details?.upstream === 'corp')
      .map(({ reason }) => reason);
  };

  it('is refused where the user has another account of the issuer, or another user has this one', async () => {
    play.account();
    await play.link(username);
    const others = { same_issuer: async () => username, other_user: () => play.addUser() };
    const attempt = async (by: string, before: () => Promise<unknown>) => {
      const browser = createTestBrowser();
      const asked = await play.signInHere(browser, await play.goThere(browser), by);
      await before();
      return play.submit(browser, asked, { decision: 'link' });
    };
    play.account();
    const same = await attempt(await others.same_issuer(), async () => undefined);
    expect([same.status, same.text]).toEqual([409, expect.stringContaining(en.upstream.linkFaults.same_issuer)]);
    play.account();
    const other = await attempt(await others.other_user(), async () => play.link(await play.addUser()));
    expect([other.status, other.text]).toEqual([409, expect.stringContaining(en.upstream.linkFaults.other_user)]);
  });

  it('is no more where the user cancels: the application is told', async () => {
    play.account();
    const browser = createTestBrowser();
    const page = await play.goThere(browser);
    const { error } = readRedirect(await play.submit(browser, page, { decision: 'cancel' })).parameters;
    expect(error).toBe('access_denied');
  });

  it('leaves an event where the account is unknown, the upstream fails, or the user is disabled', async () => {
    const before = (await reasonsOf()).length;
    const newest = async () => (await reasonsOf())[0];
    play.account();
    await play.goThere(createTestBrowser());
    expect(await newest()).toBe('unknown_account');
    server.said.statuses = { '/token': 500 };
    await play.goThere(createTestBrowser());
    expect(await newest()).toBe('upstream_failed');
    server.said.statuses = {};
    await play.link(username);
    await play.organization.change(username, { enabled: false });
    await play.goThere(createTestBrowser());
    expect(await newest()).toBe('user_disabled');
    expect((await reasonsOf()).length).toBeGreaterThanOrEqual(before + 3);
  });

  it('stays where the upstream is disabled, deleted, or has another name; so do sessions', async () => {
    play.account();
    await play.link(username);
    const browser = createTestBrowser();
    expect(play.codeOf(await play.goThere(browser))).toEqual(expect.any(String));
    const isSignedIn = async () => play.codeOf(await browser.get(play.startPage())) !== undefined;
    await play.administer('PATCH', '/corp', { enabled: false });
    expect(await isSignedIn()).toBe(true);
    await play.administer('DELETE', '/corp');
    expect(await isSignedIn()).toBe(true);
    await play.register({ alias: 'renamed' });
    const visitor = createTestBrowser();
    const url = play.startPage({ upstream: 'renamed' });
    const there = play.locationOf(await visitor.get(url));
    expect(play.codeOf(await play.comeBack(visitor, await play.signInThere(there)))).toEqual(expect.any(String));
    await play.administer('DELETE', '/renamed');
  });

  it('is over after ten minutes, at each of its steps', async () => {
    play.account();
    const browser = createTestBrowser();
    const back = await play.signInThere(await play.leave(browser));
    realm.advance(10 * minute);
    expect((await play.comeBack(browser, back)).status).toBe(400);

    const led = await browser.get(await play.signInThere(await play.leave(browser)));
    const result = new URL(play.locationOf(led), realm.url).href;
    realm.advance(10 * minute);
    expect((await browser.get(result)).status).toBe(400);

    const page = await play.goThere(browser);
    realm.advance(10 * minute);
    // The sign-in goes on, and asks nothing of the account.
    expect(play.codeOf(await play.signInHere(browser, page, username))).toEqual(expect.any(String));
  });

  it('begins no more often than 10,000 times at once', async () => {
    await play.leave(createTestBrowser());
    const { database } = realm.deps;
    const [row = {}] = await database.query<Record<string, unknown>>('SELECT * FROM upstream_attempts LIMIT 1');
    const columns = Object.keys(row);
    const expiresAt = realm.clock() + 10 * minute;
    const places = `(${columns.map(() => '?').join(', ')})`;
    for (let batch = 0; batch < 100; batch += 1) {
      const rows = Array.from({ length: 100 }, (_, index) => {
        const stateHash = Buffer.alloc(32);
        stateHash.writeUInt32BE(batch * 100 + index);
        return Object.values({ ...row, state_hash: stateHash, expires_at: expiresAt });
      });
      const sql = `INSERT INTO upstream_attempts (${columns.join(', ')}) VALUES ${rows.map(() => places).join(', ')}`;
      await database.execute(sql, rows.flat());
    }
    const page = await createTestBrowser().get(play.startPage({ upstream: 'corp' }));
    expect([page.status, page.text]).toEqual([503, expect.stringContaining(en.signIn.unavailable)]);
    await database.execute('DELETE FROM upstream_attempts', []);
    expect((await createTestBrowser().get(play.startPage({ upstream: 'corp' }))).status).toBe(303);
  });
});

describe.each(testDialects)('the link of a user whom REQUIRE_MFA names, on %s', (dialect) => {
  it('comes after the set-up of a second step', async () => {
    const [realm, server] = await Promise.all([
      startRealmOn(dialect, { REQUIRE_MFA: 'DirectoryReader' }),
      startUpstreamServer(),
    ]);
    try {
      const play = await playUpstream(realm, server);
      await play.register();
      play.account();
      const username = await play.addUser({ roles: ['DirectoryReader'] });
      const browser = createTestBrowser();
      const page = await play.submit(browser, await play.goThere(browser), { username, password });
      expect(page.text).not.toContain(en.upstream.linkTitle);
      const secret = /name="secret" value="([A-Z2-7]{32})"/.exec(page.text)?.[1] ?? '';
      const codes = await play.submit(browser, page, { code: await showEarlierCode(secret) });
      const asked = await play.submit(browser, codes, { kept: 'yes' });
      expect(asked.text).toContain(en.upstream.linkTitle);
      expect(play.codeOf(await play.submit(browser, asked, { decision: 'link' }))).toEqual(expect.any(String));

      const again = createTestBrowser();
      const step = await play.goThere(again);
      expect([step.headers.location, step.text]).toEqual([undefined, expect.stringContaining(en.secondStep.prompt)]);
      expect(play.codeOf(await play.submit(again, step, { code: showCode(secret) }))).toEqual(expect.any(String));
      await play.administer('PATCH', '/corp', { levels: { strong: 'urn:gatehouse:acr:mfa' } });
      Object.assign(server.said.idToken, { acr: 'strong' });
      expect(play.codeOf(await play.goThere(createTestBrowser()))).toEqual(expect.any(String));
      Object.assign(server.said.idToken, { acr: 'weak' });
      expect(play.codeOf(await play.goThere(createTestBrowser()))).toBeUndefined();
    } finally {
      server.close();
      await realm.close();
    }
  });
});
