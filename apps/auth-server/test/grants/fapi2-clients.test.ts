import { randomBytes } from 'node:crypto';
import type { Answer } from '@gatehouse/test-kit';
import { createClientKey } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { administrator, callback, type Realm, startRealm, webClient } from '../support/realm.ts';

const key = createClientKey();
/** All that the profile implies. */
const implied = {
  token_endpoint_auth_method: 'private_key_jwt',
  require_pushed_authorization_requests: true,
  require_pkce: true,
  dpop_bound_access_tokens: true,
  id_token_signed_response_alg: 'ES256',
};
const fields = {
  scope: ['openid', 'profile', 'offline_access'],
  authorized_grant_types: ['authorization_code', 'refresh_token'],
  redirect_uri: callback,
  jwks: { keys: [key.jwk] },
};

describe('a client with the profile fapi2', () => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealm();
  });
  afterAll(() => realm.close());

  const freshId = () => `fapi2-${randomBytes(6).toString('hex')}`;
  const post = (body: object, headers: Record<string, string> = {}) =>
    realm.send('/clients', { basic: administrator, json: body, headers });
  const read = async (clientId: string) =>
    (await realm.send(`/clients/${clientId}`, { basic: administrator })).json<Record<string, unknown>>();
  const patch = (clientId: string, json: object) =>
    realm.send(`/clients/${clientId}`, { basic: administrator, method: 'PATCH', json });
  const create = async (changes: object = {}) => {
    const client = { client_id: freshId(), profile: 'fapi2', ...fields, ...changes };
    const answer = await post(client);
    if (answer.status !== 200) throw new Error(answer.text);
    return client.client_id;
  };
  const listFields = (answer: Answer) => {
    const { errors = [] } = answer.json<{ errors?: { field: string }[] }>();
    return [answer.status, errors.map(({ field }) => field)];
  };
  const refusedFields = async (changes: object) =>
    listFields(
      await post(
        { client_id: freshId(), profile: 'fapi2', ...fields, ...changes },
        { accept: 'application/problem+json' },
      ),
    );

  it('has in force what the profile implies, and shows it', async () => {
    expect(await read(await create())).toMatchObject({ profile: 'fapi2', public: false, ...implied });
  });

  it('may say what the profile implies', async () => {
    expect(await read(await create(implied))).toMatchObject({ profile: 'fapi2', ...implied });
  });

  it.each([
    ['token_endpoint_auth_method', 'none'],
    ['require_pushed_authorization_requests', false],
    ['require_pkce', false],
    ['dpop_bound_access_tokens', false],
    ['id_token_signed_response_alg', 'RS256'],
  ])('is refused where it says otherwise: %s %j', async (field, value) => {
    const [status, names] = await refusedFields({ [field]: value });
    expect([status, names]).toEqual([400, expect.arrayContaining([field])]);
    const clientId = await create();
    const refused = await patch(clientId, { [field]: value });
    expect(listFields(refused)).toEqual([400, expect.arrayContaining([field])]);
    expect(await read(clientId)).toMatchObject(implied);
  });

  it('is told all that it says otherwise at once', async () => {
    const [, names] = await refusedFields({ require_pkce: false, dpop_bound_access_tokens: false });
    expect(names).toEqual(['require_pkce', 'dpop_bound_access_tokens']);
  });

  it.each<[string, object, string]>([
    ['a secret', { client_secret: 'a secret of enough characters' }, 'client_secret'],
    ['no keys', { jwks: undefined }, 'jwks'],
    ['a secret by Basic', { token_endpoint_auth_method: 'client_secret_basic' }, 'token_endpoint_auth_method'],
    ['the grant type password', { authorized_grant_types: ['password'] }, 'authorized_grant_types'],
    ['the implicit grant', { authorized_grant_types: ['authorization_code', 'implicit'] }, 'authorized_grant_types'],
    ...['device_code', 'token-exchange'].map((name): [string, object, string] => [
      `the grant type ${name}`,
      { authorized_grant_types: ['authorization_code', `urn:ietf:params:oauth:grant-type:${name}`] },
      'authorized_grant_types',
    ]),
    ['a profile that does not exist', { profile: 'fapi1' }, 'profile'],
    ['a profile that is no name', { profile: ['fapi2'] }, 'profile'],
    ['a profile by the name of a member of objects', { profile: 'constructor' }, 'profile'],
  ])('is refused with %s', async (_case, changes, field) => {
    expect(await refusedFields(changes)).toEqual([400, expect.arrayContaining([field])]);
  });

  it.each([
    ['client_credentials', { authorized_grant_types: ['client_credentials'], redirect_uri: undefined }],
    [
      'service_account',
      {
        authorized_grant_types: ['service_account', 'client_credentials'],
        ...{ redirect_uri: undefined, srvc_ac_user_name: 'robot@example.com', scope: ['roles'] },
      },
    ],
    [
      'keys for each algorithm',
      { jwks: { keys: [createClientKey('RS256').jwk, createClientKey('EdDSA').jwk, key.jwk] } },
    ],
  ])('is registered with %s', async (_case, changes) => {
    expect(await read(await create(changes))).toMatchObject(implied);
  });

  it('keeps in force what a PATCH takes away', async () => {
    const clientId = await create();
    const taken = Object.fromEntries(Object.keys(implied).map((name) => [name, null]));
    expect((await patch(clientId, taken)).json()).toMatchObject(implied);
    expect(await read(clientId)).toMatchObject(implied);
    expect(listFields(await patch(clientId, { jwks: null }))).toEqual([400, ['jwks']]);
    const refused = await patch(clientId, { authorized_grant_types: ['authorization_code', 'implicit'] });
    expect(listFields(refused)).toEqual([400, expect.arrayContaining(['authorized_grant_types'])]);
  });

  it('keeps the demands when the profile goes, until a PATCH says otherwise', async () => {
    const clientId = await create();
    const without = (await patch(clientId, { profile: null })).json();
    expect(without).toMatchObject(implied);
    expect(without).not.toHaveProperty('profile');
    const changed = (await patch(clientId, { require_pkce: null })).json();
    expect(changed).not.toHaveProperty('require_pkce');
    expect({ require_pkce: true, ...changed }).toMatchObject(implied);
  });

  it('is made of a client by PATCH, where nothing that is registered contradicts it', async () => {
    const ofKey = { token_endpoint_auth_method: 'private_key_jwt', profile: undefined };
    const clientId = await create(ofKey);
    expect((await patch(clientId, { profile: 'fapi2' })).json()).toMatchObject({ profile: 'fapi2', ...implied });

    const lax = await create({ ...ofKey, require_pkce: false });
    expect(listFields(await patch(lax, { profile: 'fapi2' }))).toEqual([400, ['require_pkce']]);
    expect((await patch(lax, { profile: 'fapi2', require_pkce: null })).status).toBe(200);

    const withSecret = { ...webClient, client_id: freshId() };
    await realm.register(withSecret);
    const refused = await patch(withSecret.client_id, { profile: 'fapi2', jwks: fields.jwks });
    expect(listFields(refused)).toEqual([400, expect.arrayContaining(['client_secret', 'authorized_grant_types'])]);
  });
});
