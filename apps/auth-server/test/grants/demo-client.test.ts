import { findFreePort } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { administrator, type Realm, startAuthServer, startRealm } from '../support/realm.ts';

describe('the client of the API references, among the demo data', () => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealm({ DEMO_DATA: 'true' });
  });
  afterAll(() => realm.close());

  const read = async () => (await realm.send('/clients/api-reference', { basic: administrator })).json();
  const redirectPage = '/docs/static/oauth2-redirect.html';

  it('is public, comes back to the page of either service, and can use all roles of its user', async () => {
    expect(await read()).toMatchObject({
      client_name: 'API reference',
      scope: ['openid', 'profile', 'email', 'roles'],
      authorized_grant_types: ['authorization_code'],
      token_endpoint_auth_method: 'none',
      redirect_uri: realm.url + redirectPage,
      redirect_uris: [realm.orgUrl + redirectPage],
    });
  });

  it('stays as it is at the next start, and follows the addresses of the services', async () => {
    const before = await read();
    const startAnother = async (env: Record<string, string>) => {
      const another = await startAuthServer(await findFreePort(), { ...realm.env, ...env });
      await another.stop();
    };
    await startAnother({});
    expect(await read()).toEqual(before);
    await startAnother({ AUTH_URL: 'http://localhost:9100', BASE_URL: 'http://localhost:9101' });
    expect(await read()).toMatchObject({
      redirect_uri: `http://localhost:9100${redirectPage}`,
      redirect_uris: [`http://localhost:9101${redirectPage}`],
    });
  });
});

it('without demo data there is no such client', async () => {
  const realm = await startRealm();
  expect((await realm.send('/clients/api-reference', { basic: administrator })).status).toBe(404);
  await realm.close();
});
