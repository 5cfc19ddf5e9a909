import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withinOneSecond } from '../support/organization.ts';
import { administrator, passwordOf, type Realm, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const path = '/internal/local-refusals';
const api = 'https://wiki.example.com';
const issuer = 'https://corp.example.net';

describe.each(testDialects)('the question which upstreams refuse a user a password, on %s', (dialect) => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    for (const [alias, domains, local_methods] of [
      ['corp', ['example.com', 'example.org'], 'refused'],
      ['other', ['example.net'], 'refused'],
      ['open', ['example.edu'], 'allowed'],
    ]) {
      const about = { alias, domains, local_methods, display_name: 'Corp', kind: 'oidc', client_id: 'gatehouse' };
      const json = {
        ...about,
        issuer: alias === 'corp' ? issuer : `${issuer}/${alias}`,
        client_secret: 'a secret there',
      };
      const made = await realm.send('/upstreams', { method: 'POST', basic: administrator, json });
      expect([made.status, made.text]).toEqual([201, expect.any(String)]);
    }
    const resource = { resource: api, name: 'Wiki' };
    expect((await realm.send('/resources', { basic: administrator, json: resource })).status).toBe(201);
    const grants = [...webClient.authorized_grant_types, 'client_credentials'];
    await realm.register({ ...webClient, authorized_grant_types: grants, resources: [realm.orgUrl, api] } as never);
  });
  afterAll(() => realm.close());

  const ask = (bearer?: string) => realm.send(path, bearer === undefined ? {} : { bearer });

  it('names the domain of the user alone', async () => {
    const { access_token } = await realm.tokens(webClient, passwordOf('user'));
    await withinOneSecond(async () => {
      const answer = await ask(access_token);
      expect([answer.status, answer.json()]).toEqual([200, { localRefusals: [{ issuer, domains: ['example.com'] }] }]);
      expect(answer.headers['cache-control']).toBe('no-store');
    });
  });

  it.each<[string, () => Promise<string | undefined>]>([
    ['no token', async () => undefined],
    ['no access token', async () => 'x'],
    [
      'a token of a client',
      async () => (await realm.tokens(webClient, { grant_type: 'client_credentials' })).access_token,
    ],
    [
      'a token for another API',
      async () => (await realm.tokens(webClient, { ...passwordOf('user'), resource: api })).access_token,
    ],
    [
      'a revoked token',
      async () => {
        const { access_token: token } = await realm.tokens(webClient, passwordOf('user'));
        const basic: [string, string] = [webClient.client_id, webClient.client_secret];
        await realm.send('/oauth/revoke', { basic, form: { token } });
        return token;
      },
    ],
  ])('is answered 401 with %s', async (_what, obtain) => {
    const answer = await ask(await obtain());
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer']);
  });
});
