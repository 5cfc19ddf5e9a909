import { type Answer, type CallOptions, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { administerOrganization } from '../support/organization.ts';
import { administrator, type Realm, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

interface Problem {
  status: number;
  detail: string;
  instance?: string;
  errors?: { field: string; detail: string }[];
}

const valid = { ...webClient, client_id: 'fresh' };
const robotClient = {
  client_id: 'fresh',
  client_secret: 'robot-secret',
  scope: ['roles'],
  authorized_grant_types: ['service_account'],
  srvc_ac_user_name: 'robot@example.com',
};

describe.each(testDialects)('POST /clients answers 400 on %s', (dialect) => {
  let realm: Realm;

  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    await realm.register(webClient);
    const organization = await administerOrganization(realm);
    await organization.create({ username: 'off@example.com', userType: 'Robot', enabled: false });
  });
  afterAll(async () => {
    // Nothing of all this was created.
    const created = await realm.send('/clients/fresh', { basic: administrator });
    await realm.close();
    expect(created.status).toBe(404);
  });

  const post = (json: unknown, options: CallOptions = {}) =>
    realm.send('/clients', { basic: administrator, json, ...options });
  const postText = (body: string, type: string | undefined = 'application/json') =>
    realm.send('/clients', { basic: administrator, body, headers: type === '' ? {} : { 'content-type': type } });
  const expectFailure = (answer: Answer, clientId: string, reason: RegExp) => {
    expect([answer.status, answer.text]).toEqual([
      400,
      expect.stringMatching(`^creation of client ${clientId} failed: `),
    ]);
    expect(answer.text.split(' failed: ')[1]).toMatch(reason);
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(answer.text).not.toMatch(/[\r\n]/);
    for (const name of ['retry-after', 'www-authenticate']) expect(answer.headers).not.toHaveProperty(name);
  };
  it('to an existing client_id', async () => {
    expectFailure(await post(webClient), 'web', /client_id .*exists/);
    expectFailure(
      await post({ ...webClient, redirect_uri: undefined, authorized_grant_types: ['password'] }),
      'web',
      /client_id/,
    );
    const asNobody = { ...robotClient, client_id: 'web', srvc_ac_user_name: 'nobody@example.com' };
    expectFailure(await post(asNobody), 'web', /client_id .*exists/);
  });

  it('to all but one of eight who create a client_id at the same moment', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => post({ ...webClient, client_id: 'raced' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400, 400, 400]);
    for (const answer of answers.filter(({ status }) => status === 400)) expectFailure(answer, 'raced', /client_id/);
  });

  it.each<[string, unknown, RegExp]>([
    ['no client_secret', { client_secret: undefined }, /client_secret is required/],
    ['an empty secret', { client_secret: '' }, /client_secret must/],
    ['a secret of 1025 characters', { client_secret: 's'.repeat(1025) }, /client_secret must/],
    ['a secret beyond printable ASCII', { client_secret: 'pässword' }, /client_secret must/],
    ['a secret with a line break', { client_secret: 'a\nb' }, /client_secret must/],
    ['a number as secret', { client_secret: 12345 }, /client_secret must/],
    ['null as secret', { client_secret: null }, /client_secret must/],
    ['no scope', { scope: undefined }, /scope is required/],
    ['an empty scope', { scope: [] }, /scope must/],
    ['a repeated scope', { scope: ['openid', 'openid'] }, /scope must .*, without repeats$/],
    [
      'an unknown scope, by name',
      { scope: ['openid', 'orders.read'] },
      /scope must .*; unknown scope "orders.read": register the API that has it \(POST \/resources\), and name that API in resources$/,
    ],
    ['scope as one string', { scope: 'openid profile' }, /scope must/],
    ['a scope that is no string', { scope: ['openid', 1] }, /scope must .*, without repeats$/],
    ['no grant types', { authorized_grant_types: undefined }, /authorized_grant_types is required/],
    ['empty grant types', { authorized_grant_types: [] }, /authorized_grant_types must/],
    ['a repeated grant type', { authorized_grant_types: ['password', 'password'] }, /authorized_grant_types must/],
    ['an unknown grant type', { authorized_grant_types: ['password', 'magic'] }, /authorized_grant_types must/],
    ['grant types as a string', { authorized_grant_types: 'password' }, /authorized_grant_types must/],
    ['no redirect_uri', { redirect_uri: undefined }, /redirect_uri is required/],
    ['no redirect_uri in redirect_uris', { redirect_uri: undefined, redirect_uris: [] }, /redirect_uri is required/],
    ['a redirect_uri with a fragment', { redirect_uri: 'https://app.example.com/#x' }, /redirect_uri must not/],
    ['an empty fragment', { redirect_uri: 'https://app.example.com/#' }, /redirect_uri must not/],
    ['a relative redirect_uri', { redirect_uri: '/callback' }, /redirect_uri must/],
    ['http beyond loopback', { redirect_uri: 'http://app.example.com/' }, /redirect_uri must/],
    ['javascript:', { redirect_uri: 'javascript:alert(1)' }, /redirect_uri must/],
    ['an empty redirect_uri', { redirect_uri: '' }, /redirect_uri must/],
    ['redirect_uri as an array', { redirect_uri: ['https://app.example.com/'] }, /redirect_uri must/],
    ['a validity of 0', { access_token_validity: 0 }, /access_token_validity must/],
    ['a validity of 86401', { access_token_validity: 86_401 }, /access_token_validity must/],
    ['a negative validity', { access_token_validity: -1 }, /access_token_validity must/],
    ['a fraction of a second', { access_token_validity: 1.5 }, /access_token_validity must/],
    ['a validity as a string: it is not coerced', { access_token_validity: '1800' }, /access_token_validity must/],
    ['a validity of null', { access_token_validity: null }, /access_token_validity must/],
    ['a Robot without service_account', { srvc_ac_user_name: 'robot@example.com' }, /srvc_ac_user_name is accepted/],
    ['an unknown field, by name', { surprise: 'https://a' }, /surprise is not a known field$/],
    ['clientId', { clientId: 'x' }, /^clientId is not a known field; did you mean client_id\?/],
    ['clientID', { clientID: 'x' }, /^clientID is not a known field; did you mean client_id\?/],
    ['client-id', { 'client-id': 'x' }, /^client-id is not a known field; did you mean client_id\?/],
    ['grant_types', { grant_types: [] }, /^grant_types is not a known field; did you mean authorized_grant_types\?/],
    ['grantTypes', { grantTypes: [] }, /^grantTypes is not a known field; did you mean authorized_grant_types\?/],
    ['authorizedGrantTypes', { authorizedGrantTypes: [] }, /did you mean authorized_grant_types\?/],
    ['redirectUris', { redirectUris: [] }, /^redirectUris is not a known field; did you mean redirect_uris\?/],
    ['scopes', { scopes: [] }, /^scopes is not a known field; did you mean scope\?/],
    ['uri, the end of many names', { uri: 'x' }, /^uri is not a known field$/],
    ['a long name', { [`${'x'.repeat(60)}_grant_types`]: 'x' }, /is not a known field$/],
  ])('to %s', async (_case, changes, reason) => {
    expectFailure(await post({ ...valid, ...(changes as object) }), 'fresh', reason);
  });

  it.each<[string, object, RegExp]>([
    ['srvc_ac_user_name missing', { srvc_ac_user_name: undefined }, /srvc_ac_user_name is required/],
    ['srvc_ac_user_name of nobody', { srvc_ac_user_name: 'nobody@example.com' }, /srvc_ac_user_name .*no such user/],
    ['srvc_ac_user_name of a Person', { srvc_ac_user_name: 'user@example.com' }, /srvc_ac_user_name .*Robot/],
    ['srvc_ac_user_name of a disabled Robot', { srvc_ac_user_name: 'off@example.com' }, /srvc_ac_user_name .*disabled/],
    ['srvc_ac_user_name empty', { srvc_ac_user_name: '' }, /srvc_ac_user_name must/],
    ['srvc_ac_user_name as a list', { srvc_ac_user_name: ['robot@example.com'] }, /srvc_ac_user_name must/],
    ['a redirect_uri', { redirect_uri: 'https://app.example.com/' }, /redirect_uri is not accepted/],
    ['no secret', { client_secret: undefined }, /client_secret is required/],
    ['password beside it', { authorized_grant_types: ['service_account', 'password'] }, /authorized_grant_types may/],
    [
      'refresh_token beside it',
      { authorized_grant_types: ['service_account', 'refresh_token'] },
      /authorized_grant_types may/,
    ],
  ])('to a service-account client with %s', async (_case, changes, reason) => {
    expectFailure(await post({ ...robotClient, ...changes }), 'fresh', reason);
  });

  it.each<[string, unknown]>([
    ['no client_id', undefined],
    ['an empty client_id', ''],
    ['a client_id of 256 characters', 'x'.repeat(256)],
    ['a client_id like a username', 'user@example.com'],
    ['a colon', 'a:b'],
    ['a blank', 'a b'],
    ['a line break behind it', 'fresh\n'],
    ['a letter beyond ASCII', 'größe'],
    ['markup', '<script>'],
    ['a number', 42],
    ['null', null],
    ['a list', ['fresh']],
  ])('and says (unknown) where client_id is %s', async (_case, client_id) => {
    expectFailure(await post({ ...valid, client_id }), '\\(unknown\\)', /client_id (is required|must)/);
  });

  it.each(['[]', '[{"client_id":"fresh"}]', '"text"', '42', 'null', 'true'])(
    'to JSON that is no object: %s',
    async (body) => {
      expectFailure(await postText(body), '\\(unknown\\)', /object/);
    },
  );

  it.each(['', '{', '{"client_id":"fresh"', "{'client_id':'fresh'}", '{"client_id":"fresh",}', '\u0000', 'NaN'])(
    'to what is no JSON: %j',
    async (body) => {
      expectFailure(await postText(body), '\\(unknown\\)', /JSON|json/);
    },
  );

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'multipart/form-data', ''])(
    'to the content type %j, also where the body is good',
    async (type) => {
      expectFailure(await postText(JSON.stringify(valid), type), 'fresh', /application\/json/);
    },
  );

  it('to a body of more than 64 KiB, and takes a big one below', async () => {
    const padding = (length: number) => `${' '.repeat(length)}${JSON.stringify({ ...valid, scope: [] })}`;
    expectFailure(await postText(padding(200_000)), '\\(unknown\\)', /large/);
    expectFailure(await postText(padding(60_000)), 'fresh', /scope must/);
  });

  it.each(['__proto__', 'constructor', 'hasOwnProperty', 'toString'])(
    'to the unknown field %s, by name',
    async (name) => {
      const body = JSON.stringify(valid).replace('{', `{"${name}":{"client_id":"other"},`);
      expectFailure(await postText(body), 'fresh', new RegExp(`${name} is not a known field`));
      expect(({} as Record<string, unknown>).client_id).toBeUndefined();
    },
  );

  it('and inherits no field from __proto__', async () => {
    const body = `{"__proto__":${JSON.stringify(valid)}}`;
    expectFailure(await postText(body), '\\(unknown\\)', /client_id is required/);
  });

  it('naming an unknown field in one line, escaped and cut', async () => {
    const answer = await post({ ...valid, 'evil\r\nSet-Cookie: x': 1, ['n'.repeat(5000)]: 2 });
    expectFailure(answer, 'fresh', /is not a known field/);
    expect(answer.text.length).toBeLessThan(500);
  });

  it('naming every field at fault at once', async () => {
    expectFailure(
      await post({ ...valid, scope: [], access_token_validity: '1', extra: 1 }),
      'fresh',
      /(?=.*scope must)(?=.*access_token_validity must)(?=.*extra is not)/,
    );
  });

  it('without ever repeating the secret', async () => {
    const answer = await post({ ...valid, client_secret: 'hush-hush-ü', scope: [] });
    expect(answer.status).toBe(400);
    expect(answer.text).not.toContain('hush-hush');
  });

  it('as a problem document with one entry per field where that is accepted (RFC 9457)', async () => {
    const body = { ...valid, client_id: undefined, scope: [], access_token_validity: '1', extra: 1 };
    const answer = await post(body, { headers: { accept: 'application/problem+json' } });
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
    const problem = answer.json<Problem>();
    expect(problem).toMatchObject({ type: 'about:blank', title: 'Bad Request', status: 400 });
    expect(problem.errors?.map(({ field }) => field).sort()).toEqual([
      'access_token_validity',
      'client_id',
      'extra',
      'scope',
    ]);
    for (const { detail } of problem.errors ?? []) expect(detail).not.toBe('');
    const text = await post(body);
    expect(text.text).toBe(`creation of client (unknown) failed: ${problem.detail}`);
    expect(problem.instance).toBe(`urn:request:${String(answer.headers['x-request-id'])}`);
  });

  it('and 401, as a problem document, with the challenge', async () => {
    const answer = await realm.send('/clients', { json: valid, headers: { accept: 'application/problem+json' } });
    expect(answer.json<Problem>()).toMatchObject({ status: 401, title: 'Unauthorized' });
    expect(answer.headers['www-authenticate']).toContain('Basic');
  });
});
