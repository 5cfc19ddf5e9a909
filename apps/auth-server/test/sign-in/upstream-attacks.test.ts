import { createTestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { authorizePath, createPkce } from '../support/browser.ts';
import { type Realm, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';
import { password, playUpstream, type UpstreamPlay } from '../support/upstream-play.ts';
import { startUpstreamServer, type UpstreamServer } from '../support/upstream-server.ts';

describe.each(testDialects)('an upstream opens no other way in, on %s', (dialect) => {
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

  it('shows the page of a client that must show one, though the upstream asked nothing (RFC 8252 8.6)', async () => {
    const redirectUri = 'http://127.0.0.1/cb';
    const native = {
      ...webClient,
      ...{ client_id: `native-${play.unique()}`, client_secret: undefined, redirect_uri: redirectUri },
      ...{ authorized_grant_types: ['authorization_code'], loopback_ports: 'any' },
    };
    await realm.register(native);
    play.account();
    await play.link(username);
    const request = { response_type: 'code', client_id: native.client_id, scope: 'openid', upstream: 'corp' };
    const asked = { ...request, redirect_uri: 'http://127.0.0.1:51004/cb', ...createPkce().parameters };
    const browser = createTestBrowser();
    const there = play.locationOf(await browser.get(realm.url + authorizePath(asked)));
    const page = await play.comeBack(browser, await play.signInThere(there));
    expect([page.status, page.headers.location]).toEqual([200, undefined]);
    expect(page.text).toContain(`<strong>${native.client_id}</strong>`);
    const allowed = await browser.submit(page, `${realm.url}/oauth/consent`, { decision: 'allow' });
    expect(play.locationOf(allowed)).toMatch(/^http:\/\/127\.0\.0\.1:51004\/cb\?code=/);
  });

  it('keeps refusing passwords while it is disabled, until it says otherwise', async () => {
    const domain = `${play.unique()}.example`;
    await play.register({ domains: [domain], local_methods: 'refused' });
    const person = `ann@${domain}`;
    await play.addUser({ username: person });
    play.account();
    await play.link(person);
    const ask = () => realm.tokenRequest(webClient, { grant_type: 'password', username: person, password });
    expect((await ask()).json().error).toBe('invalid_grant');
    expect((await play.administer('PATCH', '/corp', { enabled: false })).status).toBe(200);
    expect((await ask()).json().error).toBe('invalid_grant');
    expect((await play.administer('PATCH', '/corp', { local_methods: 'allowed' })).status).toBe(200);
    expect((await ask()).status).toBe(200);
  });

  it('shows the page again where its button is pressed once it is gone, and reads no password', async () => {
    const browser = createTestBrowser();
    const page = await browser.get(play.startPage());
    await play.administer('PATCH', '/corp', { enabled: false });
    for (const upstream of ['corp', 'nobody']) {
      const answer = await play.submit(browser, page, { upstream, username, password });
      expect([answer.status, answer.headers.location]).toEqual([200, undefined]);
      expect(answer.text).toContain('name="password"');
    }
    expect(play.codeOf(await play.signInHere(browser, page, username))).toEqual(expect.any(String));
  });

  it('links nothing by an attempt that was asked before its upstream links no more', async () => {
    play.account();
    const browser = createTestBrowser();
    const asked = await play.signInHere(browser, await play.goThere(browser), username);
    await play.administer('PATCH', '/corp', { link: 'never' });
    const answer = await play.submit(browser, asked, { decision: 'link' });
    expect([answer.status, answer.headers.location]).toEqual([403, undefined]);
    await play.administer('PATCH', '/corp', { link: 'ask' });
    expect((await play.goThere(createTestBrowser())).text).toContain('name="password"');
  });

  it('names an account as plain text, and not by an address alone that nobody verified', async () => {
    await play.register({ email_domains: ['corp.example'] });
    const named = async (claims: object) => {
      const sub = play.account(claims);
      const { text } = await play.goThere(createTestBrowser());
      return /role="status"><strong>([^<]*)</.exec(text)?.[1]?.replace(sub, 'the subject');
    };
    const email = 'boss@corp.example';
    expect(await named({ email, email_verified: true })).toBe(email);
    expect(await named({ email })).toBe(`${email} (the subject)`);
    expect(await named({ email, email_verified: false, preferred_username: 'mallory' })).toBe(`${email} (mallory)`);
    expect(await named({ email: 'boss@evil.example', email_verified: true })).toBe('boss@evil.example (the subject)');
    expect(await named({ email, preferred_username: email })).toBe(`${email} (the subject)`);
    expect(await named({ preferred_username: 'moc\u202e\nboss' })).toBe('moc  boss');
    expect(await named({})).toBe('the subject');
  });
});
