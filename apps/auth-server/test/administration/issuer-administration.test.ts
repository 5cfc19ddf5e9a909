import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { type CallOptions, createClientKey, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { administrator, type Realm } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

interface View {
  id: string;
  issuer: string;
}

const jwks = { keys: [createClientKey('ES256', 'one').jwk] };
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' });
const p521 = generateKeyPairSync('ec', { namedCurve: 'P-521' }).publicKey.export({ format: 'jwk' });

describe.each(testDialects)('issuer administration, on %s', (dialect) => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealmOn(dialect);
  });
  afterAll(() => realm.close());

  const manage = (path: string, options: CallOptions = {}) => realm.send(path, { basic: administrator, ...options });
  const unique = () => randomBytes(6).toString('hex');
  const bodyOf = (changes: object = {}) => ({
    issuer: `https://${unique()}.example.com`,
    name: 'Workloads',
    ...changes,
  });
  const create = async (changes: object = {}): Promise<View> => {
    const answer = await manage('/issuers', { json: bodyOf(changes) });
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
    return answer.json<View>();
  };
  const detailOf = async (path: string, options: CallOptions) => {
    const answer = await manage(path, options);
    return [answer.status, answer.json<{ detail?: string }>().detail];
  };
  const listEvents = async (type: string) =>
    (await manage(`/audit-events?type=${type}&limit=1`)).json<{ events: object[] }>().events;

  it('shows an issuer as it was registered, with the values that were left out', async () => {
    const plain = bodyOf();
    const created = await create(plain);
    const view = {
      ...{ ...plain, id: expect.any(String), kind: 'oidc' },
      signature_algorithms: ['RS256', 'ES256', 'PS256', 'EdDSA', 'Ed25519'],
      ...{ createdAt: expect.any(String), updatedAt: expect.any(String) },
    };
    expect(created).toEqual(view);
    expect((await manage(`/issuers/${created.id}`)).json()).toEqual(view);
  });

  it('takes a SPIFFE bundle, of which it keeps the keys, and keys of P-384', async () => {
    const bundle = { keys: [...jwks.keys, { ...p384, kid: 'two', use: 'jwt-svid' }], spiffe_sequence: 1 };
    const issuer = `spiffe://${unique()}.example.org`;
    const created = await create({ issuer, kind: 'spiffe', jwks: bundle, signature_algorithms: ['ES384'] });
    expect(created).toMatchObject({ issuer, kind: 'spiffe', signature_algorithms: ['ES384'] });
    expect((await manage(`/issuers/${created.id}`)).json()).toMatchObject({ jwks: { keys: bundle.keys } });
    expect(created).not.toHaveProperty('jwks.spiffe_sequence');
  });

  it.each<[string, object, RegExp]>([
    ['http elsewhere', { issuer: 'http://issuer.example.com' }, /issuer must be an https URL/],
    ['a query', { issuer: 'https://issuer.example.com/?a' }, /issuer must be an https URL/],
    ['a fragment', { issuer: 'https://issuer.example.com/#a' }, /issuer must be an https URL/],
    ['user information', { issuer: 'https://a@issuer.example.com' }, /issuer must be an https URL/],
    ['no URL', { issuer: 'issuer' }, /issuer must be an https URL/],
    ['a trust domain that is oidc', { issuer: 'spiffe://example.org' }, /issuer must be an https URL/],
    ['a URL that is spiffe', { kind: 'spiffe', jwks }, /issuer must be a trust domain/],
    ['a SPIFFE id', { kind: 'spiffe', issuer: 'spiffe://example.org/a', jwks }, /issuer must be a trust domain/],
    ['a trust domain without keys', { kind: 'spiffe', issuer: 'spiffe://example.org' }, /jwks is required/],
    ['keys in two places', { jwks, jwks_uri: 'https://issuer.example.com/keys' }, /must not stand with jwks/],
    ['an address by http', { jwks_uri: 'http://issuer.example.com/keys' }, /jwks_uri must be an https URL/],
    ['no keys', { jwks: { keys: [] } }, /jwks must be a JSON Web Key Set/],
    ['a private key', { jwks: { keys: [createClientKey().privateJwk] } }, /jwks must hold public keys only/],
    ['a key of P-521', { jwks: { keys: [p521] } }, /jwks must hold RSA, EC P-256, EC P-384 or Ed25519 keys/],
    ['too many bytes', { jwks: { keys: Array(50).fill({ ...jwks.keys[0], x5t: 'a'.repeat(1080) }) } }, /60000 bytes/],
    ['HS256', { signature_algorithms: ['HS256'] }, /signature_algorithms must be an array/],
    ['no algorithm', { signature_algorithms: [] }, /signature_algorithms must be an array/],
    ['no name', { name: '' }, /name must be a string/],
    ['an unknown member', { wildcard: '*' }, /wildcard/],
  ])('refuses %s', async (_what, changes, detail) =>
    expect(await detailOf('/issuers', { json: bodyOf(changes) })).toEqual([400, expect.stringMatching(detail)]),
  );

  it('refuses this server itself, whose tokens are no proof of a client', async () =>
    expect(await detailOf('/issuers', { json: bodyOf({ issuer: realm.authUrl }) })).toEqual([
      400,
      'issuer must not be this server',
    ]));

  it('registers an issuer once, of several at the same moment too', async () => {
    const json = bodyOf();
    const answers = await Promise.all(Array.from({ length: 5 }, () => manage('/issuers', { json })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    expect(await detailOf('/issuers', { json })).toEqual([409, expect.stringMatching(/exists already/)]);
  });

  it('changes all but the issuer, and takes keys away by null', async () => {
    const { id } = await create({ jwks });
    const patch = (json: object) => manage(`/issuers/${id}`, { method: 'PATCH', json });
    expect(await detailOf(`/issuers/${id}`, { method: 'PATCH', json: { issuer: 'https://b.example' } })).toEqual([
      400,
      expect.stringMatching(/never changes/),
    ]);
    expect((await patch({ jwks_uri: 'https://issuer.example.com/keys' })).status).toBe(400);
    const changed = await patch({ jwks: null, jwks_uri: 'https://issuer.example.com/keys', name: 'Pods' });
    expect(changed.json()).toMatchObject({ name: 'Pods', jwks_uri: 'https://issuer.example.com/keys' });
    expect(changed.json()).not.toHaveProperty('jwks');
    expect((await patch({ jwks_uri: null })).json()).not.toHaveProperty('jwks_uri');
    expect((await patch({ kind: 'spiffe' })).status).toBe(400);
  });

  it('lists issuers a page at a time, and counts them', async () => {
    for (const _ of [1, 2, 3]) await create();
    const seen: string[] = [];
    let query = '/issuers?limit=2&total=true';
    for (;;) {
      const page = (await manage(query)).json<{ issuers: View[]; next_cursor?: string; total: number }>();
      seen.push(...page.issuers.map(({ id }) => id));
      if (page.next_cursor === undefined) {
        expect(new Set(seen).size).toBe(page.total);
        break;
      }
      query = `/issuers?limit=2&total=true&cursor=${page.next_cursor}`;
    }
  });

  it('is for SystemAdministrators: 401, then 403 also for IdpAdministrators', async () => {
    for (const [method, path] of [
      ['POST', '/issuers'],
      ['GET', '/issuers'],
      ['GET', '/issuers/any'],
      ['PATCH', '/issuers/any'],
      ['DELETE', '/issuers/any'],
    ] as const) {
      const json = method === 'POST' || method === 'PATCH' ? { json: {} } : {};
      const statuses = [
        (await realm.send(path, { method, ...json })).status,
        (await realm.send(path, { method, ...json, basic: ['idp.admin@example.com', 'idp-password'] })).status,
      ];
      expect([method, path, ...statuses]).toEqual([method, path, 401, 403]);
    }
  });

  it('tries each act without doing it', async () => {
    const json = bodyOf();
    expect((await manage('/issuers?dry_run=true', { json })).json()).toMatchObject({ after: json });
    const { id } = await create(json);
    const change = await manage(`/issuers/${id}?dry_run=true`, { method: 'PATCH', json: { name: 'Pods' } });
    expect(change.json()).toMatchObject({ before: { name: 'Workloads' }, after: { name: 'Pods' } });
    expect((await manage(`/issuers/${id}?dry_run=true`, { method: 'DELETE' })).json()).toMatchObject({
      before: { id },
    });
    expect((await manage(`/issuers/${id}`)).json()).toMatchObject({ name: 'Workloads' });
  });

  it('writes each act to the audit trail, keys by their thumbprints', async () => {
    const { id, issuer } = await create({ jwks });
    const party = { actor: { kind: 'user', name: administrator[0] }, subject: { kind: 'issuer', id, name: issuer } };
    expect(await listEvents('issuer.created')).toMatchObject([party]);
    await manage(`/issuers/${id}`, { method: 'PATCH', json: { jwks: null } });
    const changes = [{ field: 'jwks', from: [expect.stringMatching(/^[\w-]{43}$/)] }];
    expect(await listEvents('issuer.changed')).toMatchObject([{ ...party, details: { fields: ['jwks'], changes } }]);
    expect((await manage(`/issuers/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await listEvents('issuer.deleted')).toMatchObject([party]);
    expect((await manage(`/issuers/${id}`)).status).toBe(404);
  });
});
