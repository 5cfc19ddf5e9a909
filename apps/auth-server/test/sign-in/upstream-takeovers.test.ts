import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Answer,
  type Balancer,
  createTestBrowser,
  findFreePort,
  startBalancer,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { en } from '../../src/pages/messages/en.ts';
import { readRedirect } from '../support/browser.ts';
import { startGithubServer } from '../support/github-server.ts';
import type { Realm } from '../support/realm.ts';
import { type Replica, startReplica } from '../support/replica.ts';
import { startRealmOn } from '../support/start-realm-on.ts';
import { password, playUpstream, type UpstreamPlay } from '../support/upstream-play.ts';
import { startUpstreamServer, type UpstreamServer } from '../support/upstream-server.ts';

type Browser = ReturnType<typeof createTestBrowser>;

/** Milliseconds after which a change counts at both replicas. */
const known = 1_100;

describe.each(testDialects)('at two replicas on %s, nobody takes the account of a user over', (dialect) => {
  let realm: Realm;
  let replica: Replica;
  let balancer: Balancer;
  let server: UpstreamServer;
  let github: Awaited<ReturnType<typeof startGithubServer>>;
  let play: UpstreamPlay;
  let victim: string;

  beforeAll(async () => {
    const port = await findFreePort();
    const [one, other, hub] = await Promise.all([
      startRealmOn(dialect, { AUTH_URL: `http://localhost:${port}` }),
      startUpstreamServer(),
      startGithubServer(),
    ]);
    [server, github] = [other, hub];
    replica = await startReplica(one, {});
    balancer = await startBalancer(
      port,
      [one.url, replica.url].map((url) => Number(new URL(url).port)),
    );
    // A connection for each request: neighbours go to different replicas.
    for (const { app } of [one, replica]) app.server.maxRequestsPerSocket = 1;
    realm = { ...one, url: one.authUrl };
    play = await playUpstream(realm, server);
    await play.register({ link: 'verified_email', email_domains: ['example.com'], levels: {} });
    await play.administer('POST', '', {
      ...{ alias: 'hub', display_name: 'Hub', kind: 'github', issuer: github.issuer, client_id: 'gatehouse' },
      ...{ client_secret: 'a secret there', link: 'verified_email', email_domains: ['example.com'] },
    });
    await play.administer('POST', '', {
      ...{ alias: 'partner', display_name: 'Partner', kind: 'oidc', issuer: 'https://partner.example' },
      ...{ client_id: 'gatehouse', client_secret: 'a secret there' },
    });
    await sleep(known);
  });
  afterAll(async () => {
    await balancer?.close();
    await replica?.close();
    await realm?.close();
    server?.close();
    github?.close();
  });
  beforeEach(async () => {
    // Each test may begin as many attempts as a network may in a minute.
    realm.advance(60_000);
    Object.assign(server.said, { answer: {}, metadata: {}, statuses: {} });
    victim = await play.addUser({ emailVerified: true });
    await play.organization.change(victim, { email: victim, emailVerified: true });
  });

  /** An account of the attacker there. The times of its tokens are those of the realm. */
  const attack = (claims: object = {}, userinfo: object = {}) => {
    const now = Math.floor(realm.clock() / 1000);
    const sub = play.account({ iat: now, exp: now + 60, ...claims });
    server.said.userinfo = { sub, ...userinfo };
    return sub;
  };
  const isSignedIn = async (browser: Browser) =>
    readRedirect(await browser.get(play.startPage({ prompt: 'none' }))).parameters.code !== undefined;
  const countLinks = async (username = victim) => (await play.organization.listIdentities(username)).length;
  /** Nobody is signed in, and the user has the accounts of before. */
  const gotNothing = async (browser: Browser, answer: Answer, links = 0) => {
    expect(play.codeOf(answer)).toBeUndefined();
    expect(await isSignedIn(browser)).toBe(false);
    expect(await countLinks()).toBe(links);
  };
  const enter = (browser: Browser, page: Answer, username = victim) =>
    play.submit(browser, page, { username, password });
  const link = { decision: 'link' };

  it('is no test that can only refuse: a verified address of the domain links, once, and both answer', async () => {
    attack({ email: victim, email_verified: true });
    const browser = createTestBrowser();
    expect(play.codeOf(await play.goThere(browser))).toEqual(expect.any(String));
    expect([await isSignedIn(browser), await countLinks()]).toEqual([true, 1]);
    const counts = [realm, replica].map(({ app }) => {
      let count = 0;
      app.server.on('request', () => {
        count += 1;
      });
      return () => count;
    });
    await play.goThere(createTestBrowser());
    for (const count of counts) expect(count()).toBeGreaterThan(0);
  });

  it.each<[string, (address: string) => [claims: object, userinfo?: object]]>([
    ['nobody verified there', (email) => [{ email }]],
    ['is not verified there', (email) => [{ email, email_verified: false }]],
    ['has a text for a flag', (email) => [{ email, email_verified: 'true' }]],
    ['has a number for a flag', (email) => [{ email, email_verified: 1 }]],
    ['has its flag in userinfo', (email) => [{ email }, { email_verified: true }]],
    ['has its flag in the ID token', (email) => [{ email_verified: true }, { email }]],
    ['is a list', (email) => [{ email: [email], email_verified: true }]],
    ['stands in another claim', (email) => [{ preferred_username: email, upn: email, email_verified: true }]],
    ['ends with a listed domain', (email) => [{ email: `${email}.example.com.evil`, email_verified: true }]],
    ['has a second @', (email) => [{ email: `"${email}"@example.com`, email_verified: true }]],
  ])('by an address that %s', async (_what, sayOf) => {
    attack(...sayOf(victim));
    const browser = createTestBrowser();
    const page = await play.goThere(browser);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining(en.upstream.ask.slice(-40))]);
    await gotNothing(browser, page);
  });

  it.each<[string, object]>([
    ['never verified it here', { emailVerified: false }],
    ['has an administrative role', { roles: ['DirectoryReader'] }],
    ['is disabled', { enabled: false }],
    ['has it in a domain that is not listed', { email: 'victim@example.org' }],
  ])('by a verified address of a user who %s, as of nobody', async (_what, changes) => {
    const address = 'email' in changes ? 'victim@example.org' : victim;
    await play.organization.change(victim, changes);
    const pages: string[] = [];
    for (const email of [address, `nobody-${play.unique()}@${address.split('@')[1]}`]) {
      const sub = attack({ email, email_verified: true });
      const browser = createTestBrowser();
      const page = await play.goThere(browser);
      await gotNothing(browser, page);
      pages.push(
        page.text
          .replaceAll(email, '…')
          .replaceAll(sub, '…')
          .replace(/value="[^"]*"|"challenge":"[^"]*"/g, ''),
      );
    }
    expect(pages[0]).toBe(pages[1]);
  });

  it('by the address of a user that was given to another account there', async () => {
    attack({ email: victim, email_verified: true });
    await play.goThere(createTestBrowser());
    attack({ email: victim, email_verified: true });
    const browser = createTestBrowser();
    await gotNothing(browser, await play.goThere(browser), 1);
  });

  it('by another address of the own account: issuer and subject decide', async () => {
    const sub = attack({ email: victim, email_verified: true });
    await play.goThere(createTestBrowser());
    const other = await play.addUser();
    await play.organization.change(other, { email: other, emailVerified: true });
    server.said.idToken = { ...server.said.idToken, sub, email: other, email_verified: true };
    const { claims } = await play.claimsOf(createTestBrowser(), { scope: 'openid profile' });
    expect(claims.sub).toBe(await play.organization.idOf(victim));
    expect(await countLinks(other)).toBe(0);
  });

  it('by a name at GitHub that was given up, and taken', async () => {
    const goToHub = async (browser: Browser) => {
      const url = play.startPage();
      const there = play.locationOf(await browser.submit(await browser.get(url), url, { upstream: 'hub' }));
      return play.comeBack(browser, await play.signInThere(there));
    };
    const login = `cat-${play.unique()}`;
    github.said.user = { id: Math.floor(Math.random() * 1e9), login };
    github.said.emails = [{ email: victim, primary: true, verified: true }];
    expect(play.codeOf(await goToHub(createTestBrowser()))).toEqual(expect.any(String));
    github.said.user = { id: Math.floor(Math.random() * 1e9), login };
    for (const emails of [[], [{ email: victim, primary: true, verified: false }], github.said.emails]) {
      github.said.emails = emails;
      const browser = createTestBrowser();
      await gotNothing(browser, await goToHub(browser), 1);
    }
  });

  it('by the answer of another issuer at the callback of this one', async () => {
    attack({ email: victim, email_verified: true });
    for (const answer of [{ iss: 'https://partner.example' }, { iss: undefined }]) {
      server.said.answer = answer;
      const browser = createTestBrowser();
      await gotNothing(browser, await play.goThere(browser));
    }
    server.said.answer = {};
    const browser = createTestBrowser();
    const back = await play.signInThere(await play.leave(browser));
    await gotNothing(browser, await play.comeBack(browser, back.replace('/corp/', '/partner/')));
  });

  it('by a way back that is opened in the browser of the user, or twice', async () => {
    attack();
    const attacker = createTestBrowser();
    const back = await play.signInThere(await play.leave(attacker));
    const browser = createTestBrowser();
    expect(play.codeOf(await enter(browser, await browser.get(play.startPage())))).toEqual(expect.any(String));
    const page = await play.comeBack(browser, back);
    expect([page.status, await countLinks()]).toEqual([400, 0]);
    const own = await play.signInThere(await play.leave(attacker));
    const answers = await Promise.all(Array.from({ length: 8 }, () => attacker.get(own)));
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
  });

  it('by the sign-in of the user in a browser where an account of the attacker waits: the user is asked, and says no', async () => {
    const name = `mallory-${play.unique()}`;
    attack({ preferred_username: name });
    const browser = createTestBrowser();
    const asked = await enter(browser, await play.goThere(browser));
    expect([asked.status, asked.text]).toEqual([200, expect.stringContaining(name)]);
    expect(asked.text).toContain(en.upstream.linkTitle);
    expect(await countLinks()).toBe(0);
    await play.submit(browser, asked, { decision: 'refuse' });
    await play.submit(browser, asked, link);
    expect(await countLinks()).toBe(0);
  });

  it('by a session that exists: each account asks for a sign-in of its own', async () => {
    const browser = createTestBrowser();
    await enter(browser, await browser.get(play.startPage()));
    attack();
    const page = await play.goThere(browser, play.startPage({ prompt: 'login' }));
    expect(page.text).toContain('name="password"');
    await play.submit(browser, page, link);
    expect(await countLinks()).toBe(0);
  });

  it('by the answer of a page that was about another account', async () => {
    const own = attack();
    const browser = createTestBrowser();
    const asked = await enter(browser, await play.goThere(browser));
    attack();
    await play.goThere(browser, play.startPage({ prompt: 'login' }));
    await play.submit(browser, asked, link);
    const links = await play.organization.listIdentities(victim);
    expect(links.map(({ subject }) => subject)).toEqual(links.length === 0 ? [] : [own]);
  });

  it('by an answer of before, once the account was linked and unlinked', async () => {
    attack();
    const browser = createTestBrowser();
    const asked = await enter(browser, await play.goThere(browser));
    expect(play.codeOf(await play.submit(browser, asked, link))).toEqual(expect.any(String));
    await play.organization.unlinkAll(victim);
    await sleep(known);
    await play.submit(browser, asked, link);
    expect(await countLinks()).toBe(0);
  });

  it('by a second Yes of two, at both replicas at the same moment', async () => {
    const subject = attack();
    const browser = createTestBrowser();
    const asked = await enter(browser, await play.goThere(browser));
    const answers = await Promise.all(Array.from({ length: 8 }, () => play.submit(browser, asked, link)));
    expect(answers.filter((answer) => play.codeOf(answer) !== undefined)).toHaveLength(1);
    const links = await play.organization.listIdentities(victim);
    expect(links.map((each) => each.subject)).toEqual([subject]);
  });
});
