import { createClientKey, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createExchanges, tokenExchange } from '../support/exchanges.ts';
import { administrator, callback, type Realm } from '../support/realm.ts';
import type { RegisteredResource } from '../support/resources.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

describe.each(testDialects)('the registration of a client that exchanges tokens, on %s', (dialect) => {
  let realm: Realm;
  let exchanges: ReturnType<typeof createExchanges>;
  let orders: RegisteredResource;

  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    exchanges = createExchanges(realm);
    orders = await exchanges.resources.create();
  });
  afterAll(() => realm?.close());

  const build = (changes: object = {}) => ({
    ...exchanges.createCredentials('api'),
    scope: ['openid'],
    authorized_grant_types: [tokenExchange],
    exchange_audiences: [orders.resource],
    ...changes,
  });
  const post = (json: object) =>
    realm.send('/clients', { basic: administrator, json, headers: { accept: 'application/problem+json' } });
  const read = async ({ client_id }: { client_id: string }) =>
    (await realm.send(`/clients/${client_id}`, { basic: administrator })).json();
  const patch = (client: { client_id: string }, json: object) =>
    realm.send(`/clients/${client.client_id}`, { method: 'PATCH', basic: administrator, json });
  const fieldsOf = (answer: { status: number; json<T>(): T }) => [
    answer.status,
    answer.json<{ errors: { field: string }[] }>().errors.map(({ field }) => field),
  ];

  it('gives back what it was registered with', async () => {
    const client = build({ exchange_from: ['a-client', 'another'] });
    expect((await post(client)).status).toBe(200);
    expect(await read(client)).toMatchObject({
      authorized_grant_types: [tokenExchange],
      exchange_from: ['a-client', 'another'],
      exchange_audiences: [orders.resource],
      public: false,
    });
  });

  it('spells the resources as they were registered', async () => {
    const { resource } = await exchanges.resources.create({
      resource: orders.resource.replace('https://', 'https://x'),
    });
    const slashless = [resource.replace(/\/$/, ''), resource, `${realm.orgUrl}/`];
    const client = build({ exchange_audiences: slashless });
    expect((await post(client)).status).toBe(200);
    expect(await read(client)).toMatchObject({ exchange_audiences: [resource, realm.orgUrl] });
  });

  it('names no client above the ceiling of who registers or changes it', async () => {
    const idp: [string, string] = ['idp.admin@example.com', 'idp-password'];
    const as = (basic: [string, string], path: string, method: string, json: object) =>
      realm.send(path, { basic, method, json, headers: { accept: 'application/problem+json' } });
    const [powerful, modest] = [exchanges.createCredentials('web'), exchanges.createCredentials('web')];
    const code = { scope: ['openid'], authorized_grant_types: ['authorization_code'], redirect_uri: callback };
    expect((await post({ ...powerful, ...code })).status).toBe(200);
    expect((await as(idp, '/clients', 'POST', { ...modest, ...code })).status).toBe(200);
    const above = { exchange_from: [modest.client_id, powerful.client_id] };
    const within = { exchange_from: [modest.client_id, 'nobody'] };

    const client = build(within);
    const refused = await as(idp, '/clients', 'POST', { ...client, ...above });
    expect([refused.status, refused.json<{ detail: string }>().detail]).toEqual([
      403,
      `exchange_from names ${powerful.client_id}, which may use the role SystemAdministrator, which you lack; ask an administrator with more roles`,
    ]);
    expect((await as(idp, '/clients', 'POST', client)).status).toBe(200);
    const path = `/clients/${client.client_id}`;
    expect((await as(idp, path, 'PATCH', above)).status).toBe(403);
    expect((await as(idp, path, 'PATCH', { access_token_validity: 60 })).status).toBe(200);
    expect(await read(client)).toMatchObject(within);
    expect((await as(administrator, path, 'PATCH', above)).status).toBe(200);
  });

  it.each<[string, object, string[]]>([
    ['exchange_audiences is missing', { exchange_audiences: undefined }, ['exchange_audiences']],
    ['a resource is unknown', { exchange_audiences: ['https://unknown.example.com/'] }, ['exchange_audiences']],
    ['exchange_audiences is empty', { exchange_audiences: [] }, ['exchange_audiences']],
    ['exchange_audiences is a text', { exchange_audiences: 'https://a.example.com/' }, ['exchange_audiences']],
    ['exchange_audiences repeats', { exchange_audiences: ['x:y', 'x:y'] }, ['exchange_audiences']],
    ['exchange_from is empty', { exchange_from: [] }, ['exchange_from']],
    ['exchange_from holds no client_id', { exchange_from: ['a b'] }, ['exchange_from']],
    ['exchange_from holds a number', { exchange_from: [1] }, ['exchange_from']],
    ['exchange_from holds 101', { exchange_from: Array.from({ length: 101 }, (_, n) => `c${n}`) }, ['exchange_from']],
    ['exchange_from comes with require_consent', { require_consent: true, exchange_from: ['a'] }, ['exchange_from']],
    ['it is public', { client_secret: undefined }, ['client_secret']],
    ['it is public by its method', { client_secret: undefined, token_endpoint_auth_method: 'none' }, ['client_secret']],
    [
      'it is a service account too',
      { authorized_grant_types: [tokenExchange, 'service_account'], srvc_ac_user_name: 'robot@example.com' },
      ['authorized_grant_types'],
    ],
    [
      'it has the profile fapi2',
      { client_secret: undefined, profile: 'fapi2', jwks: { keys: [createClientKey().jwk] } },
      ['authorized_grant_types'],
    ],
  ])('is refused by a 400 that names the field where %s', async (_what, changes, fields) => {
    expect(fieldsOf(await post(build(changes)))).toEqual([400, fields]);
  });

  it('is refused where the fields come without the grant type', async () => {
    const plain = { authorized_grant_types: ['client_credentials'] };
    expect(fieldsOf(await post(build({ ...plain, exchange_from: ['a'] })))).toEqual([
      400,
      ['exchange_audiences', 'exchange_from'],
    ]);
  });

  it('may be that of a client with a key in place of a secret', async () => {
    const keyed = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [createClientKey().jwk] } };
    expect((await post(build({ client_secret: undefined, ...keyed }))).status).toBe(200);
  });

  it('is changed by PATCH, which is checked for what it sends', async () => {
    const gone = await exchanges.resources.create();
    const client = build({ exchange_audiences: [gone.resource, orders.resource] });
    await post(client);
    await exchanges.resources.delete(gone.id);
    expect((await patch(client, { exchange_from: ['a'] })).status).toBe(200);
    expect(await read(client)).toMatchObject({ exchange_audiences: [gone.resource, orders.resource] });
    expect(fieldsOf(await patch(client, { exchange_audiences: [gone.resource] }))).toEqual([
      400,
      ['exchange_audiences'],
    ]);
    expect(fieldsOf(await patch(client, { exchange_audiences: null }))).toEqual([400, ['exchange_audiences']]);
    expect(fieldsOf(await patch(client, { require_consent: true }))).toEqual([400, ['exchange_from']]);
    expect((await patch(client, { exchange_from: null })).status).toBe(200);
    expect(await read(client)).not.toHaveProperty('exchange_from');
    const back = { authorized_grant_types: ['client_credentials'] };
    expect(fieldsOf(await patch(client, back))).toEqual([400, ['exchange_audiences']]);
    expect((await patch(client, { ...back, exchange_audiences: null })).status).toBe(200);
    const app = { ...exchanges.createCredentials('app'), scope: ['openid'], redirect_uri: callback };
    await post({ ...app, authorized_grant_types: ['authorization_code'] });
    const exchanging = { authorized_grant_types: ['authorization_code', tokenExchange] };
    expect(fieldsOf(await patch(app, exchanging))).toEqual([400, ['exchange_audiences']]);
    expect((await patch(app, { ...exchanging, exchange_audiences: [realm.orgUrl] })).status).toBe(200);
  });
});
