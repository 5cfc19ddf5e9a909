import { createTestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Realm } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';
import { playUpstream, type UpstreamPlay } from '../support/upstream-play.ts';
import { startUpstreamServer, type UpstreamServer } from '../support/upstream-server.ts';

describe.each(testDialects)('the endpoints that an upstream names, on %s', (dialect) => {
  let realm: Realm;
  let server: UpstreamServer;
  let play: UpstreamPlay;
  let username: string;

  beforeAll(async () => {
    [realm, server] = await Promise.all([startRealmOn(dialect), startUpstreamServer()]);
    play = await playUpstream(realm, server);
    username = await play.addUser();
  });
  afterAll(async () => {
    server.close();
    await realm.close();
  });
  beforeEach(() => play.register());

  it.each<[string, Record<string, unknown>]>([
    ['metadata of another issuer', { issuer: 'https://evil.example' }],
    ['metadata without the issuer', { issuer: undefined }],
    ['no authorization endpoint', { authorization_endpoint: undefined }],
    ['a script for an authorization endpoint', { authorization_endpoint: 'javascript:alert(1)' }],
    ['an authorization endpoint in a private network', { authorization_endpoint: 'https://10.0.0.1/authorize' }],
  ])('lead no browser away with %s', async (_what, metadata) => {
    server.said.metadata = metadata;
    const browser = createTestBrowser();
    const page = await browser.get(play.startPage({ upstream: 'corp' }));
    expect([page.status, page.headers.location]).toEqual([400, undefined]);
    expect(play.codeOf(await play.signInHere(browser, page, username))).toEqual(expect.any(String));
    await play.register();
    expect(play.locationOf(await createTestBrowser().get(play.startPage({ upstream: 'corp' })))).toContain(
      server.issuer,
    );
  });

  it.each<[string, Record<string, unknown>]>([
    ['a token endpoint in a private network', { token_endpoint: 'https://10.0.0.1/token' }],
    ['a token endpoint at the address of a cloud', { token_endpoint: 'https://169.254.169.254/token' }],
    ['userinfo in a private network', { userinfo_endpoint: 'https://[fd00::1]/userinfo' }],
    ['keys at an address of many spellings', { jwks_uri: 'https://0x0a000001/jwks' }],
  ])('are not called where they are not public: %s', async (_what, metadata) => {
    server.said.metadata = metadata;
    play.account();
    const browser = createTestBrowser();
    const page = await play.goThere(browser);
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('Corp &lt;SSO&gt;')]);
    expect(play.codeOf(await play.signInHere(browser, page, username))).toEqual(expect.any(String));
  });
});
