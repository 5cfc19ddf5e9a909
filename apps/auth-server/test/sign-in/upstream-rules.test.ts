import { randomBytes } from 'node:crypto';
import { call, createTestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createKeyEncryption } from '../../src/keys/key-encryption.ts';
import { en } from '../../src/pages/messages/en.ts';
import { createUpstreamSecrets } from '../../src/upstreams/upstream-secrets.ts';
import { createUpstreamStore } from '../../src/upstreams/upstream-store.ts';
import { withinOneSecond } from '../support/organization.ts';
import { administrator, type Realm, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';
import { silentLog } from '../support/stores.ts';
import { password, playUpstream, type UpstreamPlay } from '../support/upstream-play.ts';
import { startUpstreamServer, type UpstreamServer } from '../support/upstream-server.ts';

const mfa = 'urn:gatehouse:acr:mfa';

describe.each(testDialects)('the rules of an upstream on %s', (dialect) => {
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

  const listEvents = async (type: string) =>
    (await realm.send(`/audit-events?limit=50&type=${type}`, { basic: administrator })).json<{
      events: { details?: Record<string, unknown>; reason?: string; subject?: { name?: string } }[];
    }>().events;
  const detailsOf = async (username: string, token: string) => {
    const url = `${realm.orgUrl}/organization/api/organization/user/allDetails/userId/${encodeURIComponent(username)}`;
    return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).json() as Promise<
      Record<string, unknown>
    >;
  };

  it('links a verified address of its domains to the user who has it, and signs that user in', async () => {
    await play.register({ link: 'verified_email', email_domains: ['example.com'] });
    const [username, verified] = [await play.addUser(), await play.addUser()];
    for (const name of [username, verified]) {
      await play.organization.change(name, { email: name, emailVerified: true });
    }
    play.account({ email: verified, email_verified: true });
    expect(play.codeOf(await play.goThere(createTestBrowser()))).toEqual(expect.any(String));
    // The flag as a text, and an address of another document, are no word of the upstream.
    for (const claims of [{ email: username, email_verified: 'true' }, { email: username }]) {
      play.account(claims);
      expect((await play.goThere(createTestBrowser())).text).toContain('name="password"');
    }
    play.account({ email: username });
    server.said.userinfo.email_verified = true;
    expect((await play.goThere(createTestBrowser())).text).toContain('name="password"');
  });

  it('leaves out a member that is longer than any', async () => {
    await play.register({ members: { picture: 'picture', firstName: 'given_name' }, sync: 'always' });
    const username = await play.addUser();
    play.account({ given_name: 'Ursula' });
    await play.link(username);
    server.said.userinfo.picture = `data:image/png;base64,${'A'.repeat(70_000)}`;
    expect(play.codeOf(await play.goThere(createTestBrowser()))).toEqual(expect.any(String));
  });

  it('takes no address of another domain for verified', async () => {
    await play.register({ link: 'verified_email', email_domains: ['corp.example'] });
    const username = await play.addUser();
    await play.organization.change(username, { email: username, emailVerified: true });
    play.account({ email: username, email_verified: true });
    expect((await play.goThere(createTestBrowser())).text).toContain('name="password"');
  });

  it('makes users at their first sign-in, with the members and groups of its claims', async () => {
    const [group, other] = [`g-${play.unique()}`, `o-${play.unique()}`];
    for (const name of [group, other]) await play.organization.createGroup(name);
    await play.register({
      ...{ create_users: true, email_domains: ['corp.example'], sync: 'always' },
      members: { firstName: 'given_name', lastName: 'family_name', locale: 'constructor' },
      groups: { claim: 'roles', map: { admins: group, nobody: other } },
    });
    const email = `${play.unique()}@corp.example`;
    const claims = { email, email_verified: true, given_name: 'Ann', family_name: 'Corp', roles: ['admins', 7] };
    const sub = play.account(claims);
    const { access_token: token } = await play.claimsOf(createTestBrowser(), { scope: 'openid profile' });
    const created = await detailsOf(email, token);
    expect(created).toMatchObject({ username: email, firstName: 'Ann', lastName: 'Corp', groups: [group] });

    server.said.idToken = { sub, ...claims, family_name: 'Married', roles: 'no list' };
    const again = await play.claimsOf(createTestBrowser(), { scope: 'openid profile' });
    expect(await detailsOf(email, again.access_token)).toMatchObject({ lastName: 'Married', groups: [group] });
    expect((await listEvents('groups_claim.ignored'))[0]?.details).toEqual({ upstream: 'corp' });
    server.said.idToken = { sub, ...claims, roles: [] };
    const last = await play.claimsOf(createTestBrowser(), { scope: 'openid profile' });
    expect(await detailsOf(email, last.access_token)).not.toHaveProperty('groups');
  });

  it('leads names of its domains there, and "Sign in here instead" past it', async () => {
    const domain = `${play.unique()}.example`;
    await play.register({ domains: [domain] });
    const username = `ann@${domain}`;
    await play.organization.create({ username, password, userType: 'Person', firstName: 'A', lastName: 'B' });
    const hinted = await createTestBrowser().get(play.startPage({ login_hint: `Ann@${domain.toUpperCase()}` }));
    expect(play.locationOf(hinted)).toContain(`${server.issuer}/authorize`);

    const browser = createTestBrowser();
    const url = play.startPage();
    const page = await browser.get(url);
    expect(page.text).toContain(en.upstream.here);
    const typed = new URL(play.locationOf(await play.signInHere(browser, page, username)));
    expect([typed.origin, typed.searchParams.get('login_hint')]).toEqual([server.issuer, username]);
    const here = await play.submit(browser, page, { upstream: 'none' });
    expect(here.text).not.toContain(en.upstream.here);
    const wrong = await play.submit(browser, here, { username, password: 'not the password at all' });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining(en.signIn.wrong)]);
    expect(play.codeOf(await play.signInHere(browser, wrong, username))).toEqual(expect.any(String));

    const asked = createTestBrowser();
    const start = await asked.get(play.startPage({ upstream: 'none', login_hint: username }));
    expect(play.codeOf(await play.signInHere(asked, start, username))).toEqual(expect.any(String));

    play.account();
    server.said.answer = { code: undefined, error: 'server_error' };
    const failing = createTestBrowser();
    const failed = await play.goThere(failing);
    expect(play.codeOf(await play.signInHere(failing, failed, username))).toEqual(expect.any(String));
  });

  it('refuses the password of users who sign in there, where it says so', async () => {
    const domain = `${play.unique()}.example`;
    await play.register({ domains: [domain], local_methods: 'refused' });
    const username = `ann@${domain}`;
    await play.organization.create({ username, password, userType: 'Person', firstName: 'A', lastName: 'B' });
    const form = { grant_type: 'password', username, password };
    expect((await realm.tokenRequest(webClient, form)).status).toBe(200);
    play.account();
    const browser = createTestBrowser();
    const asked = await play.signInHere(browser, await play.goThere(browser), username);
    expect(play.codeOf(await play.submit(browser, asked, { decision: 'link' }))).toEqual(expect.any(String));
    expect((await realm.tokenRequest(webClient, form)).json().error).toBe('invalid_grant');
    const here = createTestBrowser();
    const page = await here.get(play.startPage({ upstream: 'none' }));
    expect((await play.signInHere(here, page, username)).status).toBe(400);
    expect(play.codeOf(await play.goThere(createTestBrowser()))).toEqual(expect.any(String));
  });

  it('lets users who sign in there set no password of their own, where it says so', async () => {
    const domain = `${play.unique()}.example`;
    await play.register({ domains: [domain] });
    const [username, elsewhere] = [`ann@${domain}`, await play.addUser()];
    await play.addUser({ username });
    const setOwn = async (name: string, old: string, next: string) => {
      const { access_token: bearer } = await realm.tokens(webClient, {
        ...{ grant_type: 'password', username: name, password: old },
      });
      await play.administer('PATCH', '/corp', { local_methods: 'refused' });
      const url = `${realm.orgUrl}/organization/api/organization/user/userId/${encodeURIComponent(name)}/password`;
      const json = { password: next, oldPassword: old };
      return () => call(url, { method: 'PUT', bearer, json });
    };
    play.account();
    await play.link(username);
    const set = await setOwn(username, password, 'a-password-of-today');
    await withinOneSecond(async () => {
      const answer = await set();
      expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('the server of your organization')]);
    });
    await play.administer('PATCH', '/corp', { local_methods: 'allowed' });
    await withinOneSecond(async () => expect((await set()).status).toBe(204));
    expect((await (await setOwn(elsewhere, password, 'a-password-of-today'))()).status).toBe(204);
  });

  it('reads no password of a name that leads there', async () => {
    const domain = `${play.unique()}.example`;
    await play.register({ domains: [domain] });
    const username = `ann@${domain}`;
    await play.addUser({ username });
    const browser = createTestBrowser();
    const page = await browser.get(play.startPage());
    for (let tries = 0; tries < 15; tries += 1) {
      const typed = await play.submit(browser, page, { username, password: `wrong ${tries}` });
      expect(play.locationOf(typed)).toContain(server.issuer);
    }
    // No guess was counted.
    const here = await play.submit(browser, page, { upstream: 'none' });
    expect(play.codeOf(await play.signInHere(browser, here, username))).toEqual(expect.any(String));
  });

  it('is offered nowhere where its secret was lost, refuses passwords as before, and goes on with another secret', async () => {
    const domain = `${play.unique()}.example`;
    await play.register({ domains: [domain], local_methods: 'refused' });
    const username = `ann@${domain}`;
    await play.organization.create({ username, password, userType: 'Person', firstName: 'A', lastName: 'B' });
    play.account();
    const linking = createTestBrowser();
    const asked = await play.signInHere(linking, await play.goThere(linking), username);
    expect(play.codeOf(await play.submit(linking, asked, { decision: 'link' }))).toEqual(expect.any(String));
    const underWay = createTestBrowser();
    const back = await play.signInThere(await play.leave(underWay));

    const upstreams = createUpstreamStore(realm.deps.database);
    const encryption = createKeyEncryption(randomBytes(32));
    const secrets = createUpstreamSecrets({ upstreams, encryption, log: silentLog });
    expect((await secrets.forgetUnreadable(realm.clock())).map(({ alias }) => alias)).toContain('corp');
    const startPage = async () => (await createTestBrowser().get(play.startPage())).text;
    await withinOneSecond(async () => expect(await startPage()).not.toContain('value="corp"'));
    expect((await createTestBrowser().get(play.startPage({ upstream: 'corp' }))).text).toContain('name="password"');
    expect((await play.comeBack(underWay, back)).status).toBe(400);
    const form = { grant_type: 'password', username, password };
    expect((await realm.tokenRequest(webClient, form)).json().error).toBe('invalid_grant');

    const renamed = await play.administer('PATCH', '/corp', { display_name: 'Corp' });
    expect([renamed.status, renamed.text]).toEqual([400, expect.stringContaining('client_secret is required')]);
    expect((await play.administer('PATCH', '/corp', { client_secret: 'another secret there' })).status).toBe(200);
    expect(play.codeOf(await play.goThere(createTestBrowser()))).toEqual(expect.any(String));
    const basic = Buffer.from('gatehouse:another+secret+there').toString('base64');
    expect(server.tokenRequests.at(-1)?.authorization).toBe(`Basic ${basic}`);
  });

  it('counts values of acr for higher levels, and asks for the second step otherwise', async () => {
    await play.register({ levels: { strong: mfa } });
    const username = await play.addUser();
    const sub = play.account({ acr: 'constructor' });
    await play.link(username);
    const plain = await play.claimsOf(createTestBrowser());
    expect(plain.claims).toMatchObject({ acr: 'urn:gatehouse:acr:password', amr: ['fed'] });
    server.said.idToken = { sub, acr: 'strong' };
    expect((await play.claimsOf(createTestBrowser())).claims).toMatchObject({ acr: mfa, amr: ['fed', 'mfa'] });
    const [event] = await listEvents('sign_in.succeeded');
    expect(event?.details).toEqual({ by: 'upstream', acr: mfa });
  });

  it.each(['{tenantid}', 'common', 'organizations'])(
    'names the user of an organization by oid and tid, and takes none of others: %s',
    async (part) => {
      const tenants = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
      const issuer = `${server.issuer}/{tenantid}/v2.0`;
      await play.register({ issuer: issuer.replace('{tenantid}', part), tenants });
      server.said.metadata = { issuer, authorization_response_iss_parameter_supported: undefined };
      server.said.answer = { iss: undefined };
      const [oid, tid] = [play.unique(), tenants[1]];
      const claims = { iss: `${server.issuer}/${tid}/v2.0`, tid, oid, email: 'ceo@example.com', xms_edov: true };
      const sub = play.account(claims);
      const username = await play.addUser();
      await play.link(username);
      // Another `sub`, as for another application, is the same user; another tenant with the same `oid` is not.
      server.said.idToken = { ...claims, sub: 'another' };
      server.said.userinfo = { sub: 'another' };
      expect(play.codeOf(await play.goThere(createTestBrowser()))).toEqual(expect.any(String));
      for (const changed of [
        {
          tid: '33333333-3333-4333-8333-333333333333',
          iss: `${server.issuer}/33333333-3333-4333-8333-333333333333/v2.0`,
        },
        { tid: tenants[0] },
        { oid: undefined },
      ]) {
        server.said.idToken = { ...claims, sub, ...changed };
        server.said.userinfo = { sub };
        expect((await play.goThere(createTestBrowser())).status).toBe(400);
      }
      const first = { ...claims, sub, tid: tenants[0], iss: `${server.issuer}/${tenants[0]}/v2.0` };
      server.said.idToken = first;
      expect((await play.goThere(createTestBrowser())).text).toContain('name="password"');
    },
  );

  it('takes the accounts of its hosted domains alone', async () => {
    await play.register({ hosted_domains: ['corp.example'] });
    for (const [hd, status] of [
      ['corp.example', 200],
      ['evil.example', 400],
      [undefined, 400],
    ] as const) {
      play.account({ hd });
      expect((await play.goThere(createTestBrowser())).status).toBe(status);
    }
  });
});
