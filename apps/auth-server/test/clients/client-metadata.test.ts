import { randomBytes } from 'node:crypto';
import type { Answer } from '@gatehouse/test-kit';
import { assertionType, createClientKey } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { administrator, callback, passwordOf, type Realm, startRealm, webClient } from '../support/realm.ts';

const key = createClientKey();
const uri = (index: number) => `https://app.example.com/${index}`;
const uris = (count: number) => Array.from({ length: count }, (_, index) => uri(index));
/** What goes with `private_key_jwt`. */
const byKey = { client_secret: undefined, token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } };
const isPublic = { client_secret: undefined, authorized_grant_types: ['authorization_code', 'refresh_token'] };

/** A client that asks its users takes no password. */
const withoutPassword = { authorized_grant_types: ['authorization_code', 'refresh_token'] };

/** Each field with a good value, and what has to go with it. */
const good: [field: string, value: unknown, beside?: object][] = [
  ['client_name', 'Ünïcode 🔑 & <App>'],
  ['client_name', '🔑'.repeat(128)],
  // Words of a right-to-left script need no marks; what joins emoji is none.
  ['client_name', 'יישום العميل 👩‍💻'],
  ['redirect_uris', [uri(1), 'com.example.app:/callback', 'http://127.0.0.1:8080/cb']],
  ['redirect_uris', uris(20)],
  ['redirect_uris', []],
  ['post_logout_redirect_uris', [`${uri(1)}?x=1`]],
  ['token_endpoint_auth_method', 'client_secret_basic'],
  ['token_endpoint_auth_method', 'client_secret_post'],
  ['token_endpoint_auth_method', 'none', isPublic],
  ['token_endpoint_auth_method', 'private_key_jwt', byKey],
  ['jwks', { keys: [createClientKey('RS256').jwk, createClientKey('EdDSA').jwk, key.jwk] }, byKey],
  ['jwks', { keys: [key.jwk] }],
  ['id_token_signed_response_alg', 'RS256'],
  ['id_token_signed_response_alg', 'ES256'],
  ['id_token_scope_claims', true],
  ['loopback_ports', 'any'],
  ['backchannel_logout_uri', uri(1)],
  ['backchannel_logout_uri', 'http://localhost:9999/logout'],
  ['backchannel_logout_session_required', true],
  ['require_consent', true, withoutPassword],
  ['require_consent', false],
  ['require_pkce', true],
  ['require_pushed_authorization_requests', true],
  ['dpop_bound_access_tokens', true],
  ...['authorization', 'userinfo', 'introspection'].flatMap((answer): [string, string][] => [
    [`${answer}_signed_response_alg`, 'RS256'],
    [`${answer}_signed_response_alg`, 'ES256'],
  ]),
  ['request_object_signing_alg', 'PS256'],
  ['require_signed_request_object', true],
];

/** Each field with a value that is refused. */
const bad: [field: string, value: unknown, beside?: object][] = [
  ['client_name', ''],
  ['client_name', 'n'.repeat(129)],
  ['client_name', 'two\nlines'],
  ['client_name', 'a\u0000b'],
  ['client_name', 7],
  // Direction marks, embeddings, overrides and isolates, and the ends of lines and paragraphs.
  ...['\u061c', '\u200e', '\u200f', '\u2028', '\u2029', '\u202a', '\u202e', '\u2066', '\u2069'].map(
    (mark): [string, string] => ['client_name', `Bank${mark}knaB`],
  ),
  ['redirect_uris', uri(1)],
  ['redirect_uris', [uri(1), uri(1)]],
  ['redirect_uris', uris(21)],
  ['redirect_uris', ['/callback']],
  ['redirect_uris', [`${uri(1)}#fragment`]],
  ['redirect_uris', ['http://app.example.com/']],
  ['redirect_uris', [7]],
  ['redirect_uris', [uri(1).padEnd(2_049, 'x')]],
  ['post_logout_redirect_uris', ['javascript:alert(1)']],
  ['post_logout_redirect_uris', uri(1)],
  ['post_logout_redirect_uris', uris(21)],
  ['request_object_signing_alg', 'none'],
  ['request_object_signing_alg', 'HS256'],
  ['require_signed_request_object', 'yes'],
  ['token_endpoint_auth_method', 'client_secret_jwt'],
  ['token_endpoint_auth_method', ['client_secret_basic']],
  ['jwks', { keys: [] }, byKey],
  ['jwks', { keys: [{ ...key.jwk, d: 'private' }] }, byKey],
  ['jwks', { keys: Array.from({ length: 11 }, () => key.jwk) }, byKey],
  ['jwks', [key.jwk], byKey],
  ['jwks', { keys: [key.jwk], extra: 1 }, byKey],
  ['jwks', JSON.stringify({ keys: [key.jwk] }), byKey],
  ['jwks', undefined, byKey],
  ['client_secret', 'a-secret', { ...byKey, client_secret: 'a-secret' }],
  ['client_secret', 'a-secret', { ...isPublic, client_secret: 'a-secret', token_endpoint_auth_method: 'none' }],
  ['client_secret', undefined, { ...isPublic, token_endpoint_auth_method: 'client_secret_basic' }],
  ['id_token_signed_response_alg', 'none'],
  ['id_token_signed_response_alg', 'HS256'],
  ...['authorization', 'userinfo', 'introspection'].flatMap((answer): [string, unknown][] =>
    ['none', 'PS256', 'es256', ['ES256'], null].map((value) => [`${answer}_signed_response_alg`, value]),
  ),
  ...['', 'none', 'ANY', true, 8080, ['any'], { any: true }, null].map((value): [string, unknown] => [
    'loopback_ports',
    value,
  ]),
  ['backchannel_logout_uri', 'http://app.example.com/logout'],
  ['backchannel_logout_uri', '/logout'],
  ['backchannel_logout_uri', `${uri(1)}#x`],
  ['backchannel_logout_uri', null],
  ...[
    'backchannel_logout_session_required',
    'id_token_scope_claims',
    'require_consent',
    'require_pkce',
    'require_pushed_authorization_requests',
    'dpop_bound_access_tokens',
  ].flatMap((field): [string, unknown][] => [
    [field, 'true'],
    [field, 1],
    [field, null],
  ]),
];

describe('client metadata (RFC 7591) over HTTP', () => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealm();
  });
  afterAll(() => realm.close());

  const freshId = () => `meta-${randomBytes(6).toString('hex')}`;
  const post = (body: object) => realm.send('/clients', { basic: administrator, json: body });
  const read = async (clientId: string) =>
    (await realm.send(`/clients/${clientId}`, { basic: administrator })).json<Record<string, unknown>>();
  const patch = (clientId: string, json: object) =>
    realm.send(`/clients/${clientId}`, { basic: administrator, method: 'PATCH', json });
  const create = async (fields: object = {}) => {
    const client = { ...webClient, client_id: freshId(), ...fields };
    const answer = await post(client);
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('created successfully')]);
    return client;
  };
  const expectProblem = (answer: Answer, field: string) => {
    expect(answer.status).toBe(400);
    const { errors = [] } = answer.json<{ errors?: { field: string; detail: string }[] }>();
    expect(errors.map((each) => each.field)).toContain(field);
  };

  it.each(good)('is registered, and shown as it was sent: %s %j', async (field, value, beside = {}) => {
    const { client_id } = await create({ ...beside, [field]: value });
    expect(await read(client_id)).toMatchObject({ [field]: value });
  });

  it.each(bad)(
    'is refused with 400 in one line, by the name of the field: %s %j',
    async (field, value, beside = {}) => {
      const client_id = freshId();
      const answer = await post({ ...webClient, client_id, ...beside, [field]: value });
      expect([answer.status, answer.headers['content-type']]).toEqual([400, 'text/plain; charset=utf-8']);
      expect(answer.text).toMatch(new RegExp(`^creation of client ${client_id} failed: .*\\b${field} [^\\r\\n]+$`));
      expect((await realm.send(`/clients/${client_id}`, { basic: administrator })).status).toBe(404);
    },
  );

  it('is absent from what is shown where nothing was sent', async () => {
    const { client_id } = await create();
    const shown = await read(client_id);
    for (const [field] of good) expect(shown).not.toHaveProperty(field);
  });

  it.each(good.filter(([, , beside]) => beside === undefined || beside === withoutPassword))(
    'is changed by PATCH, stays where it is left out, and goes with null: %s %j',
    async (field, value, beside = {}) => {
      const { client_id } = await create(beside);
      const changed = await patch(client_id, { [field]: value });
      expect([changed.status, changed.json()]).toEqual([200, expect.objectContaining({ [field]: value })]);
      expect((await patch(client_id, { access_token_validity: 60 })).json()).toHaveProperty([field], value);
      const taken = await patch(client_id, { [field]: null });
      expect(taken.status).toBe(200);
      expect(taken.json()).not.toHaveProperty(field);
      expect(await read(client_id)).not.toHaveProperty(field);
    },
  );

  it.each(bad.filter(([, value, beside]) => beside === undefined && value !== null))(
    'is refused by PATCH as by POST, and nothing changes: %s %j',
    async (field, value) => {
      const { client_id } = await create();
      const before = await read(client_id);
      expectProblem(await patch(client_id, { [field]: value }), field);
      expect(await read(client_id)).toEqual(before);
    },
  );

  it('asks users, or takes their passwords: not both, by POST and by PATCH', async () => {
    const both = { ...webClient, client_id: freshId(), require_consent: true };
    expect(both.authorized_grant_types).toContain('password');
    const refused = await post(both);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('require_consent')]);
    const { client_id } = await create();
    expectProblem(await patch(client_id, { require_consent: true }), 'require_consent');
    expect((await patch(client_id, { require_consent: true, ...withoutPassword })).status).toBe(200);
    expectProblem(await patch(client_id, { authorized_grant_types: ['password'] }), 'require_consent');
  });

  it('is held against its rules together with what is registered', async () => {
    const { client_id } = await create(byKey);
    expectProblem(await patch(client_id, { jwks: null }), 'jwks');
    expectProblem(await patch(client_id, { token_endpoint_auth_method: 'client_secret_basic' }), 'client_secret');
    expectProblem(await patch(client_id, { token_endpoint_auth_method: null }), 'client_secret');
    // Without a key that proves it, it would be public, which a client with the password grant may not be.
    expectProblem(await patch(client_id, { token_endpoint_auth_method: null, jwks: null }), 'client_secret');
    const next = { keys: [createClientKey('RS256').jwk] };
    expect((await patch(client_id, { jwks: next })).json()).toMatchObject({ jwks: next, public: false });
  });

  it('goes on working where it was registered before a rule that it breaks', async () => {
    const { client_id } = await create({ client_name: 'Bank' });
    const metadata = JSON.stringify({ client_name: 'Bank\u202eknaB' });
    await realm.deps.database.execute('UPDATE clients SET metadata = ? WHERE client_id = ?', [metadata, client_id]);
    const changed = await patch(client_id, { access_token_validity: 60 });
    expect([changed.status, changed.json().client_name]).toEqual([200, 'Bank\u202eknaB']);
  });

  it('takes effect: of the ways to authenticate the one that was named works, and no other', async () => {
    const { client_id } = await create({ token_endpoint_auth_method: 'client_secret_post' });
    const form = { client_id, client_secret: 'web-secret', ...passwordOf('user') };
    expect((await realm.send('/oauth/token', { form })).status).toBe(200);
    expect((await realm.tokenRequest({ client_id, client_secret: 'web-secret' }, passwordOf('user'))).status).toBe(401);
    await patch(client_id, { token_endpoint_auth_method: null });
    expect((await realm.tokenRequest({ client_id, client_secret: 'web-secret' }, passwordOf('user'))).status).toBe(200);
  });

  it('takes effect: a client with a key proves itself by an assertion, each once (RFC 7523)', async () => {
    const { client_id } = await create(byKey);
    const client_assertion = key.assertion(client_id, realm.authUrl);
    const ask = (assertion: string) =>
      realm.send('/oauth/token', {
        form: { client_assertion: assertion, client_assertion_type: assertionType, ...passwordOf('user') },
      });
    expect((await ask(client_assertion)).status).toBe(200);
    expect((await ask(client_assertion)).json()).toMatchObject({ error: 'invalid_client' });
    expect((await ask(createClientKey().assertion(client_id, realm.authUrl))).status).toBe(401);
    expect((await realm.tokenRequest({ client_id }, passwordOf('user'))).status).toBe(401);
  });

  it('takes effect: every registered redirect URI is good, to the letter', async () => {
    const { client_id } = await create({ redirect_uris: [uri(1)] });
    const open = async (redirect_uri: string) => {
      const query = new URLSearchParams({ response_type: 'code', client_id, redirect_uri, scope: 'openid' });
      return (await realm.send(`/oauth/authorize?${query}`)).status;
    };
    expect([await open(uri(1)), await open(callback), await open(uri(2)), await open(`${uri(1)}/`)]).toEqual([
      200, 200, 400, 400,
    ]);
  });

  it.each([1, 2])('takes effect: redirect_uris alone is enough, with %d of them', async (count) => {
    const redirect_uris = uris(count);
    const { client_id } = await create({ redirect_uri: undefined, redirect_uris });
    const client = await read(client_id);
    expect(client).toMatchObject({ redirect_uris });
    expect(client).not.toHaveProperty('redirect_uri');
    const open = async (redirect_uri?: string) => {
      const asked = { response_type: 'code', client_id, scope: 'profile', ...(redirect_uri && { redirect_uri }) };
      return (await realm.send(`/oauth/authorize?${new URLSearchParams(asked)}`)).status;
    };
    expect([await open(uri(0)), await open(), await open(callback)]).toEqual([200, count === 1 ? 200 : 400, 400]);
    expect((await patch(client_id, { client_name: 'Renamed' })).status).toBe(200);
    expectProblem(await patch(client_id, { redirect_uris: null }), 'redirect_uri');
  });
});
