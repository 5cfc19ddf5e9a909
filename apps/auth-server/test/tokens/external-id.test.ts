import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Accounts, readContent, useAccounts } from '../support/account.ts';
import { codeRequest, signIn } from '../support/browser.ts';
import { withinOneSecond } from '../support/organization.ts';
import { administrator, passwordOf, type Realm, readClaims, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const username = 'user@example.com';
const externalId = 'auth0|5f7c8ec7c33c6c004bbafe82';

describe.each(testDialects)('the claim external_id on %s', (dialect) => {
  let realm: Realm;
  let accounts: Accounts;
  let organization: Accounts['organization'];
  const client = { ...webClient, client_id: 'shop', id_token_scope_claims: true };
  const asking = {
    ...{ ...webClient, client_id: 'asking', require_consent: true, authorized_grant_types: ['authorization_code'] },
  };
  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    accounts = await useAccounts(realm);
    ({ organization } = accounts);
    for (const registration of [client, asking]) await realm.register(registration);
  });
  afterAll(() => realm.close());

  const userinfo = async (bearer: string) => (await realm.send('/oauth/userinfo', { bearer })).json();

  it('is shown with scope profile at userinfo and in ID tokens, and follows a change within a second', async () => {
    await organization.change(username, { externalId });
    const { access_token: token, id_token: idToken = '' } = await realm.tokens(client, passwordOf('user'));
    expect([(await userinfo(token)).external_id, readClaims(idToken).external_id]).toEqual([externalId, externalId]);
    expect(readClaims(token)).not.toHaveProperty('external_id');
    await organization.change(username, { externalId: 'EMP 4711' });
    await withinOneSecond(async () => expect((await userinfo(token)).external_id).toBe('EMP 4711'));
    await organization.change(username, { externalId: null });
    await withinOneSecond(async () => expect(await userinfo(token)).not.toHaveProperty('external_id'));
  });

  it('is not shown without that scope', async () => {
    await organization.change(username, { externalId });
    const form = { ...passwordOf('user'), scope: 'openid email roles' };
    const { access_token: token, id_token: idToken = '' } = await realm.tokens(client, form);
    expect(await userinfo(token)).not.toHaveProperty('external_id');
    expect(readClaims(idToken)).not.toHaveProperty('external_id');
  });

  it('is published, and asked for by name in words', async () => {
    const metadata = (await realm.send('/.well-known/openid-configuration')).json<{ claims_supported: string[] }>();
    expect(metadata.claims_supported).toContain('external_id');
    const claims = JSON.stringify({ userinfo: { external_id: null } });
    const page = await signIn(realm, { ...codeRequest, client_id: 'asking', scope: 'openid', claims });
    expect(page.text).toContain('<li>see your id in another system</li>');
  });

  it('stands in the data of an account, for its user and for administrators', async () => {
    const visitor = await accounts.signIn({ externalId: `${externalId} of another` });
    const own = await visitor.get('/account/data');
    const query = new URLSearchParams({ user: visitor.user.username });
    const all = await realm.send(`/user-data?${query}`, { basic: administrator });
    for (const answer of [own, all]) {
      expect(answer.json()).toMatchObject({ user: { externalId: `${externalId} of another` } });
    }
    expect(readContent(await visitor.get('/account'))).not.toContain('name="externalId"');
  });
});
