import { createTestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authorizePath, codeRequest, readRedirect, signIn } from '../support/browser.ts';
import { administerOrganization, withinOneSecond } from '../support/organization.ts';
import { administrator, callback, passwordOf, type Realm, readClaims, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const username = 'user@example.com';

type Metadata = Record<'scopes_supported' | 'claims_supported', string[]>;

describe.each(testDialects)('the scope groups, on %s', (dialect) => {
  let realm: Realm;
  let organization: Awaited<ReturnType<typeof administerOrganization>>;
  const client = {
    ...webClient,
    client_id: 'groups',
    scope: ['openid', 'groups', 'offline_access'],
    id_token_scope_claims: true,
  };
  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    organization = await administerOrganization(realm);
    await realm.register(client);
    for (const name of ['staff/it', 'Staff']) await organization.createGroup(name);
  });
  afterAll(() => realm.close());

  const userinfo = async (bearer: string) => (await realm.send('/oauth/userinfo', { bearer })).json();
  const introspect = async (token: string) =>
    (
      await realm.send('/oauth/introspect', { basic: [client.client_id, client.client_secret], form: { token } })
    ).json();

  it('shows the sorted names at userinfo, in ID tokens and at introspection, and a change within a second', async () => {
    await organization.change(username, { groups: ['staff/it', 'Staff'] });
    const { access_token: token, id_token: idToken = '' } = await realm.tokens(client, passwordOf('user'));
    const groups = ['Staff', 'staff/it'];
    expect([await userinfo(token), readClaims(idToken)]).toEqual([
      expect.objectContaining({ groups }),
      expect.objectContaining({ groups }),
    ]);
    expect(await introspect(token)).toMatchObject({ active: true, groups });
    expect(readClaims(token)).not.toHaveProperty('groups');
    await organization.change(username, { groups: ['Staff'] });
    await withinOneSecond(async () => {
      expect((await userinfo(token)).groups).toEqual(['Staff']);
      expect((await introspect(token)).groups).toEqual(['Staff']);
    });
    await organization.change(username, { groups: [] });
    await withinOneSecond(async () => expect(await userinfo(token)).not.toHaveProperty('groups'));
  });

  it('is needed to see them', async () => {
    await organization.change(username, { groups: ['Staff'] });
    const { access_token: token, id_token: idToken = '' } = await realm.tokens(client, {
      ...passwordOf('user'),
      scope: 'openid',
    });
    expect(await userinfo(token)).not.toHaveProperty('groups');
    expect(readClaims(idToken)).not.toHaveProperty('groups');
    expect(await introspect(token)).not.toHaveProperty('groups');
  });

  it('names the groups to the user of a third-party client, and shows them where the user allows it', async () => {
    await organization.change(username, { groups: ['Staff', 'staff/it'] });
    const thirdParty = {
      ...client,
      client_id: 'third',
      require_consent: true,
      authorized_grant_types: ['authorization_code'],
    };
    await realm.register(thirdParty);
    const ask = (scope: string) => signIn(realm, { ...codeRequest, client_id: 'third', scope, prompt: 'consent' });
    const page = await ask('openid groups');
    expect(page.text).toContain('Your groups: Staff, staff/it');
    const without = await ask('openid');
    expect([without.status, without.text]).toEqual([200, expect.stringContaining('Allow')]);
    expect(without.text).not.toContain('Your groups');
    const shownAfter = async (scope: string) => {
      const browser = createTestBrowser();
      const form = { ...codeRequest, client_id: 'third', scope, prompt: 'consent' };
      const asked = await signIn(realm, form, { browser });
      const allowed = await browser.submit(asked, realm.url + authorizePath(form), { decision: 'allow' });
      const { code = '' } = readRedirect(allowed).parameters;
      const tokens = await realm.tokens(thirdParty, { grant_type: 'authorization_code', code, redirect_uri: callback });
      return [(await userinfo(tokens.access_token)).groups, readClaims(tokens.id_token ?? '').groups];
    };
    expect(await shownAfter('openid')).toEqual([undefined, undefined]);
    const both = ['Staff', 'staff/it'];
    await withinOneSecond(async () => expect(await shownAfter('openid groups')).toEqual([both, both]));
  });

  it('is published, and is no scope of clients that register themselves, nor of another API', async () => {
    const metadata = (await realm.send('/.well-known/openid-configuration')).json<Metadata>();
    expect([metadata.scopes_supported.includes('groups'), metadata.claims_supported.includes('groups')]).toEqual([
      true,
      true,
    ]);
    const open = await startRealmOn(dialect, { DYNAMIC_REGISTRATION: 'open' });
    try {
      const json = { redirect_uris: ['https://app.example.com/callback'], scope: 'openid groups' };
      const answer = await open.send('/oauth/register', { json });
      expect(answer.json<{ scope?: string }>().scope?.split(' ') ?? []).not.toContain('groups');
    } finally {
      await open.close();
    }
    const json = { resource: 'https://teams.example.com', name: 'Teams', scopes: [{ name: 'groups' }] };
    expect((await realm.send('/resources', { basic: administrator, json })).status).toBe(400);
  });

  it('has the meaning that EXTRA_SCOPES gives it, where that names it', async () => {
    const other = await startRealmOn(dialect, { EXTRA_SCOPES: 'groups' });
    try {
      await other.register(client);
      const theirs = await administerOrganization(other);
      await theirs.createGroup('Staff');
      await theirs.change(username, { groups: ['Staff'] });
      const { access_token: bearer, id_token: idToken = '', scope } = await other.tokens(client, passwordOf('user'));
      expect(scope).toContain('groups');
      expect((await other.send('/oauth/userinfo', { bearer })).json()).not.toHaveProperty('groups');
      expect(readClaims(idToken)).not.toHaveProperty('groups');
      const metadata = (await other.send('/.well-known/openid-configuration')).json<Metadata>();
      expect(metadata.scopes_supported.filter((name) => name === 'groups')).toHaveLength(1);
      expect(metadata.claims_supported).not.toContain('groups');
    } finally {
      await other.close();
    }
  });
});
