import { createTestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { en } from '../../src/pages/messages/en.ts';
import { startGithubServer } from '../support/github-server.ts';
import type { Realm } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';
import { playUpstream, type UpstreamPlay } from '../support/upstream-play.ts';
import { startUpstreamServer, type UpstreamServer } from '../support/upstream-server.ts';

describe.each(testDialects)('sign-in at GitHub on %s', (dialect) => {
  let realm: Realm;
  let server: UpstreamServer;
  let github: Awaited<ReturnType<typeof startGithubServer>>;
  let play: UpstreamPlay;

  beforeAll(async () => {
    [realm, server, github] = await Promise.all([startRealmOn(dialect), startUpstreamServer(), startGithubServer()]);
    play = await playUpstream(realm, server);
  });
  afterAll(async () => {
    for (const one of [server, github]) one.close();
    await realm.close();
  });
  beforeEach(async () => {
    Object.assign(github.said, { emails: [], emailStatus: 200, iss: '/login/oauth' });
    await play.register({
      ...{ kind: 'github', issuer: github.issuer, link: 'verified_email', email_domains: ['example.com'] },
    });
  });

  it('knows an account by its id; the primary verified address is the address', async () => {
    const [username, other] = [await play.addUser(), await play.addUser()];
    for (const name of [username, other]) await play.organization.change(name, { email: name, emailVerified: true });
    github.said.user = { id: 4711, login: 'octocat', name: null };
    github.said.emails = [
      { email: other, primary: false, verified: true },
      { email: username, primary: true, verified: true },
    ];
    const browser = createTestBrowser();
    const address = new URL(await play.leave(browser));
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      ...{ client_id: 'gatehouse', scope: 'read:user user:email', code_challenge_method: 'S256' },
      redirect_uri: `${realm.authUrl}/oauth/upstreams/corp/callback`,
    });
    expect(play.codeOf(await play.comeBack(browser, await play.signInThere(address.href)))).toEqual(expect.any(String));
    expect(github.asked.at(-1)?.authorization).toBe('Bearer gho_token');
    expect((await play.goThere(createTestBrowser(), play.startPage({ max_age: '600' }))).status).toBe(400);
    // The name is given to another user there: the id decides.
    github.said.user = { id: 4712, login: 'octocat', name: null };
    github.said.emails = [{ email: username, primary: true, verified: false }];
    const renamed = await play.goThere(createTestBrowser());
    expect([renamed.status, renamed.text]).toEqual([200, expect.stringContaining(en.upstream.ask.slice(-40))]);
    expect(renamed.text).toContain('octocat');
    github.said.user = { login: 'octocat' };
    const nameless = await play.goThere(createTestBrowser());
    expect([nameless.status, nameless.text]).toEqual([400, expect.stringContaining(en.upstream.failed.slice(-40))]);
  });

  it('takes no address for verified whose domain is not listed', async () => {
    await play.register({ kind: 'github', issuer: github.issuer });
    const username = await play.addUser();
    await play.organization.change(username, { email: username, emailVerified: true });
    github.said.user = { id: 4715, login: 'octocat' };
    github.said.emails = [{ email: username, primary: true, verified: true }];
    const page = await play.goThere(createTestBrowser());
    expect([page.status, page.text]).toEqual([200, expect.stringContaining(`${username} (octocat)`)]);
  });

  it('takes an answer without iss, and none of another issuer', async () => {
    github.said.user = { id: 4713, login: 'hubber' };
    github.said.iss = undefined;
    expect((await play.goThere(createTestBrowser())).status).toBe(200);
    github.said.iss = '';
    expect((await play.goThere(createTestBrowser())).status).toBe(400);
  });

  it('knows no address where the scope does not show it', async () => {
    const username = await play.addUser();
    await play.organization.change(username, { email: username, emailVerified: true });
    await play.administer('PATCH', '/corp', { scope: ['read:user'] });
    github.said.user = { id: 4714, login: 'hidden' };
    Object.assign(github.said, { emails: [{ email: username, primary: true, verified: true }], emailStatus: 404 });
    const page = await play.goThere(createTestBrowser());
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('<strong>hidden</strong>')]);
  });
});
