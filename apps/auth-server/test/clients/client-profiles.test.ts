import { type Answer, assertionType, createClientKey, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { administrator, callback, type Realm, type TokenAnswer, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const key = createClientKey();
const jwks = { keys: [key.jwk] };
const codeGrants = ['authorization_code', 'refresh_token'];

describe.each(testDialects)('a client with a profile, on %s', (dialect) => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealmOn(dialect);
  });
  afterAll(() => realm.close());

  let made = 0;
  const post = (fields: object) => {
    made += 1;
    const body = {
      ...{ client_id: `client-${made}`, scope: ['openid'], redirect_uri: callback },
      ...{ authorized_grant_types: codeGrants, ...fields },
    };
    return realm.send('/clients', {
      ...{ basic: administrator, json: body },
      headers: { accept: 'application/problem+json' },
    });
  };
  const create = async (fields: object) => {
    const answer = await post(fields);
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return `client-${made}`;
  };
  const patch = (clientId: string, json: object) =>
    realm.send(`/clients/${clientId}`, { basic: administrator, method: 'PATCH', json });
  const read = async (clientId: string) =>
    (await realm.send(`/clients/${clientId}`, { basic: administrator })).json<Record<string, unknown>>();
  const fieldsOf = ({ status, json }: Answer) => {
    const { errors = [] } = json<{ errors?: { field: string }[] }>();
    return [status, errors.map(({ field }) => field)];
  };

  describe('that is fapi2_message_signing', () => {
    const profile = 'fapi2_message_signing';
    const implied = {
      ...{ profile, token_endpoint_auth_method: 'private_key_jwt', require_pushed_authorization_requests: true },
      ...{ require_pkce: true, dpop_bound_access_tokens: true, id_token_signed_response_alg: 'ES256' },
      require_signed_request_object: true,
    };

    it('has in force what the profile implies, and shows it', async () => {
      expect(await read(await create({ profile, jwks }))).toMatchObject(implied);
    });

    it('has userinfo as plain JSON unless it registered ES256', async () => {
      expect(await read(await create({ profile, jwks }))).not.toHaveProperty('userinfo_signed_response_alg');
      const member = { userinfo_signed_response_alg: 'ES256' };
      expect(await read(await create({ profile, jwks, ...member }))).toMatchObject(member);
    });

    it.each([
      ['require_signed_request_object', false],
      ['userinfo_signed_response_alg', 'RS256'],
      ['request_object_signing_alg', 'RS256'],
      ['authorization_signed_response_alg', 'RS256'],
      ['introspection_signed_response_alg', 'RS256'],
      ['require_pkce', false],
      ['authorized_grant_types', ['authorization_code', 'password']],
    ])('is refused where it says otherwise: %s %j', async (field, value) => {
      expect(fieldsOf(await post({ profile, jwks, [field]: value }))).toEqual([400, [field]]);
      const clientId = await create({ profile, jwks });
      expect(fieldsOf(await patch(clientId, { [field]: value }))).toEqual([400, [field]]);
      expect(await read(clientId)).toMatchObject(implied);
    });

    it('ends by PATCH what fapi2 ends, and then nothing', async () => {
      const clientId = await create({
        ...{ jwks, token_endpoint_auth_method: 'private_key_jwt', redirect_uri: undefined },
        authorized_grant_types: ['client_credentials'],
      });
      const now = () => Math.floor(realm.clock() / 1000);
      const prove = () => ({
        client_assertion: key.assertion(clientId, realm.authUrl, { exp: now() + 60 }),
        client_assertion_type: assertionType,
      });
      const form = { grant_type: 'client_credentials', ...prove() };
      const { access_token } = (await realm.send('/oauth/token', { form })).json<TokenAnswer>();
      const isActive = async () =>
        (await realm.send('/oauth/introspect', { form: { token: access_token, ...prove() } })).json().active;
      expect(await isActive()).toBe(true);
      expect((await patch(clientId, { profile })).json()).toMatchObject(implied);
      expect(await isActive()).toBe(false);
    });
  });

  describe('that is oauth21', () => {
    const profile = 'oauth21';

    it.each<[string, object, boolean]>([
      ['confidential', { client_secret: webClient.client_secret }, false],
      ['public', {}, true],
    ])('may be %s, and has PKCE in force', async (_kind, fields, isPublic) => {
      const clientId = await create({ profile, ...fields });
      expect(await read(clientId)).toMatchObject({ profile, require_pkce: true, public: isPublic });
      expect(fieldsOf(await patch(clientId, { require_pkce: false }))).toEqual([400, ['require_pkce']]);
    });

    it.each([
      ['require_pkce', false],
      ['authorized_grant_types', ['authorization_code', 'password']],
      ['authorized_grant_types', ['authorization_code', 'implicit']],
      ['redirect_uri', 'https://*.example.com/callback'],
      ['redirect_uris', ['https://app.example.com/*']],
    ])('is refused where it says otherwise: %s %j', async (field, value) => {
      const secret = { client_secret: webClient.client_secret };
      expect(fieldsOf(await post({ profile, ...secret, [field]: value }))).toEqual([400, [field]]);
      const clientId = await create({ ...secret });
      expect(fieldsOf(await patch(clientId, { profile, [field]: value }))).toEqual([400, [field]]);
      expect(await read(clientId)).not.toHaveProperty('profile');
    });

    it('ends nothing by PATCH', async () => {
      const secret = { client_secret: webClient.client_secret };
      const grants = { authorized_grant_types: ['client_credentials'], redirect_uri: undefined };
      const clientId = await create({ ...secret, ...grants });
      const basic: [string, string] = [clientId, webClient.client_secret];
      const asked = { basic, form: { grant_type: 'client_credentials' } };
      const { access_token } = (await realm.send('/oauth/token', asked)).json<TokenAnswer>();
      expect((await patch(clientId, { profile })).json()).toMatchObject({ profile, require_pkce: true });
      const answer = await realm.send('/oauth/introspect', { basic, form: { token: access_token } });
      expect(answer.json().active).toBe(true);
      expect((await patch(clientId, { profile: null })).json()).not.toHaveProperty('profile');
    });
  });
});
