import { createTestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readRedirect } from '../support/browser.ts';
import { type DynamicClients, obtainTokens, startOpenRealm, webCallback } from '../support/dynamic-clients.ts';
import { type Realm, webClient } from '../support/realm.ts';
import { startReplica } from '../support/replica.ts';
import { playUpstream, type UpstreamPlay } from '../support/upstream-play.ts';
import { startUpstreamServer, type UpstreamServer } from '../support/upstream-server.ts';

const after = 'https://app.example.com/signed-out';

describe.each(testDialects)('sign-out at an upstream on %s', (dialect) => {
  let realm: Realm;
  let dynamic: DynamicClients;
  let server: UpstreamServer;
  let play: UpstreamPlay;

  beforeAll(async () => {
    [{ realm, dynamic }, server] = await Promise.all([startOpenRealm(dialect), startUpstreamServer()]);
    play = await playUpstream(realm, server);
  });
  afterAll(async () => {
    server.close();
    await realm.close();
  });
  beforeEach(async () => {
    await play.register({ logout: true });
    server.said.metadata = { end_session_endpoint: `${server.issuer}/end` };
  });

  const signInThere = async () => {
    play.account();
    await play.link(await play.addUser());
    const browser = createTestBrowser();
    await play.goThere(browser);
    return browser;
  };
  /** Signs out by the page that asks; gives the address there, and the one that it leads back to. */
  const signOut = async () => {
    const client = { ...webClient, client_id: `web-${play.unique()}`, post_logout_redirect_uris: [after] };
    await realm.register(client);
    const browser = await signInThere();
    const query = new URLSearchParams({ client_id: client.client_id, post_logout_redirect_uri: after, state: 'x y' });
    const logout = `${realm.url}/oauth/logout?${query}`;
    const there = new URL(play.locationOf(await browser.submit(await browser.get(logout), logout)));
    return { browser, there, ...readBack(there) };
  };
  const readBack = (there: URL) => {
    const state = there.searchParams.get('state') ?? '';
    const to = `${there.searchParams.get('post_logout_redirect_uri')}?state=`;
    return { state, backBy: (one = state) => to + encodeURIComponent(one) };
  };

  it('goes on there, and comes back to the application', async () => {
    const { browser, there, state, backBy } = await signOut();
    expect([there.origin + there.pathname, there.searchParams.get('client_id')]).toEqual([
      `${server.issuer}/end`,
      'gatehouse',
    ]);
    expect(play.locationOf(await browser.get(backBy()))).toBe(`${after}?state=x+y`);
    const [text = ''] = state.split('.');
    for (const forged of ['', 'x', `${text}.`, `${text.slice(1)}.${state.split('.')[1]}`]) {
      const page = await browser.get(backBy(forged));
      expect([page.status, page.headers.location]).toEqual([200, undefined]);
    }
    expect(readRedirect(await browser.get(play.startPage({ prompt: 'none' }))).parameters.error).toBe('login_required');
  });

  const endsHere = async (browser: ReturnType<typeof createTestBrowser>, base = realm.url) => {
    const client = { ...webClient, client_id: `web-${play.unique()}`, post_logout_redirect_uris: [after] };
    await realm.register(client);
    const query = new URLSearchParams({ client_id: client.client_id, post_logout_redirect_uri: after, state: 'x y' });
    const logout = `${base}/oauth/logout?${query}`;
    const done = await browser.submit(await browser.get(logout), logout);
    expect(play.locationOf(done)).toBe(`${after}?state=x+y`);
    expect(readRedirect(await browser.get(play.startPage({ prompt: 'none' }))).parameters.error).toBe('login_required');
  };

  it.each<[string, () => Promise<unknown>]>([
    ['where the upstream does not say so', () => play.administer('PATCH', '/corp', { logout: false })],
    ['where the upstream is disabled', () => play.administer('PATCH', '/corp', { enabled: false })],
    ['where the upstream is gone', () => play.administer('DELETE', '/corp')],
  ])('ends here, and goes to the application at once, %s', async (_what, prepare) => {
    const browser = await signInThere();
    await prepare();
    await endsHere(browser);
  });

  it.each<[string, Record<string, unknown>]>([
    ['none', {}],
    ['one with user information', { end_session_endpoint: 'https://user@login.example.com/end' }],
    ['one in a private network', { end_session_endpoint: 'https://10.0.0.1/end' }],
    ['a script', { end_session_endpoint: 'javascript:alert(1)' }],
  ])('ends here, and goes to the application at once, where the endpoint there is %s', async (_what, metadata) => {
    server.said.metadata = metadata;
    await endsHere(await signInThere());
  });

  it('ends here, and goes to the application at once, while the upstream is out of reach', async () => {
    const browser = await signInThere();
    // A replica that has read no metadata yet.
    const replica = await startReplica(realm, {});
    try {
      server.said.statuses = { '/.well-known/openid-configuration': 503 };
      await endsHere(browser, replica.url);
    } finally {
      await replica.close();
    }
  });

  it('asks before it leads to a host that nobody vouches for', async () => {
    const evil = 'https://evil.example/bye';
    const client = await dynamic.register({
      ...{ redirect_uris: [webCallback], post_logout_redirect_uris: [evil] },
      ...{ client_name: 'An agent', token_endpoint_auth_method: 'none' },
    });
    const browser = await signInThere();
    const { id_token: hint = '' } = await obtainTokens(realm, client, { browser });
    const query = new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri: evil });
    const there = new URL(play.locationOf(await browser.get(`${realm.url}/oauth/logout?${query}`)));
    expect(there.origin).toBe(server.issuer);
    const page = await browser.get(readBack(there).backBy());
    expect([page.status, page.headers.location]).toEqual([200, undefined]);
    expect(page.text).toContain('<strong>evil.example</strong>');
    expect(page.text).toContain(`href="${evil}"`);
  });

  it('leads on for one browser, one upstream and ten minutes', async () => {
    const { browser, backBy } = await signOut();
    const leadsOn = async (one: typeof browser, address: string) => (await one.get(address)).status === 303;
    expect(await leadsOn(createTestBrowser(), backBy())).toBe(false);
    const other = createTestBrowser();
    await other.get(play.startPage());
    expect(await leadsOn(other, backBy())).toBe(false);
    expect(await leadsOn(browser, backBy().replace('/corp/', '/other/'))).toBe(false);
    realm.advance(580_000);
    expect(await leadsOn(browser, backBy())).toBe(true);
    realm.advance(20_000);
    expect(await leadsOn(browser, backBy())).toBe(false);
  });
});
