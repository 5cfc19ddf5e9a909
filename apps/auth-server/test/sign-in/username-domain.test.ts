import { createTestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createVisits } from '../support/account.ts';
import { withinOneSecond } from '../support/organization.ts';
import { administrator, passwordOf, type Realm, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';
import { password, playUpstream, type UpstreamPlay } from '../support/upstream-play.ts';
import { startUpstreamServer, type UpstreamServer } from '../support/upstream-server.ts';

describe.each(testDialects)('a name that is typed without an @, with USERNAME_DOMAIN, on %s', (dialect) => {
  let realm: Realm;
  let server: UpstreamServer;
  let play: UpstreamPlay;
  const options = { orgEnv: { USERNAME_DOMAIN: 'example.com', ACCOUNT_DELETION: 'on' } };

  beforeAll(async () => {
    [realm, server] = await Promise.all([startRealmOn(dialect, {}, options), startUpstreamServer()]);
    play = await playUpstream(realm, server);
  });
  afterAll(async () => {
    server.close();
    await realm.close();
  });

  const shortOf = (username: string) => username.slice(0, username.indexOf('@'));

  it('signs its user in at the sign-in page of an application', async () => {
    const username = await play.addUser();
    const browser = createTestBrowser();
    const page = await browser.get(play.startPage());
    expect(play.codeOf(await play.signInHere(browser, page, shortOf(username)))).toEqual(expect.any(String));
  });

  it('signs its user in at /account', async () => {
    const username = await play.addUser();
    const visitor = createVisits(realm)({ username: shortOf(username), password });
    expect((await visitor.signIn()).status).toBe(303);
    expect((await visitor.get('/account')).text).toContain(username);
  });

  it('confirms the end of an account', async () => {
    const username = await play.addUser();
    const visitor = createVisits(realm)({ username, password });
    await visitor.signIn();
    const remove = (typed: string) => visitor.submit('/account/delete', '/account/delete', { username: typed });
    expect((await remove('another')).status).toBe(400);
    expect((await remove(shortOf(username))).status).toBe(200);
    expect(await visitor.isSignedIn()).toBe(false);
  });

  it('gets the tokens of its user by the grant type password', async () => {
    const form = { ...passwordOf('user'), username: 'user' };
    const { access_token: bearer } = await realm.tokens(webClient, form);
    expect((await realm.send('/oauth/userinfo', { bearer })).json()).toMatchObject({
      preferred_username: 'user@example.com',
    });
    const wrong = await realm.tokenRequest(webClient, { ...form, password: 'wrong' });
    expect([wrong.status, wrong.json().error]).toEqual([400, 'invalid_grant']);
    const query = new URLSearchParams({ subject: 'user@example.com', type: 'sign_in.refused' });
    await withinOneSecond(async () => {
      const events = await realm.send(`/audit-events?${query}`, { basic: administrator });
      expect(events.json()).toMatchObject({ events: [{ subject: { name: 'user@example.com' } }] });
    });
  });

  it('stays a client_id in Basic credentials', async () => {
    const [username, secret] = administrator;
    const answer = await realm.send('/clients', { basic: [shortOf(username), secret] });
    expect(answer.status).toBe(401);
    expect((await realm.send('/clients', { basic: administrator })).status).toBe(200);
  });

  it('leads to the upstream of the domain, with the whole name', async () => {
    await play.register({ domains: ['example.com'] });
    const username = await play.addUser();
    const browser = createTestBrowser();
    const page = await browser.get(play.startPage());
    const there = new URL(play.locationOf(await play.signInHere(browser, page, shortOf(username))));
    expect([there.origin, there.searchParams.get('login_hint')]).toEqual([server.issuer, username]);
    const empty = await play.submit(browser, page, { username: '', password: '' });
    expect(empty.status).toBe(400);
  });
});
