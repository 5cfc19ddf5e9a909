import { generateKeyPairSync, type SignKeyObjectInput, sign } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@gatehouse/service-kit';
import { deviceCodeGrantType } from '@gatehouse/shared';
import { assertionType, type ClientKey, createClientKey, readLog, testDialects } from '@gatehouse/test-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { codeRequest } from '../support/browser.ts';
import { registerDynamically } from '../support/dynamic-clients.ts';
import { type KeyServer, startKeyServer } from '../support/key-server.ts';
import { administrator, callback, type Realm } from '../support/realm.ts';
import { startReplica } from '../support/replica.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const svidType = 'urn:ietf:params:oauth:client-assertion-type:jwt-spiffe';
const subject = 'repo:example/shop:ref:refs/heads/main';
const hour = 3600;

describe.each(testDialects)('a client with federated_jwt, on %s', (dialect) => {
  let realm: Realm;
  let server: KeyServer;
  let key: ClientKey;
  let issuer: string;
  let issuerId: string;
  let clientId: string;
  let count = 0;
  const log = createLogger('test', 'info');
  const read = readLog(log);
  beforeAll(async () => {
    realm = await startRealmOn(dialect, { DYNAMIC_REGISTRATION: 'open' }, { log });
  });
  afterAll(() => realm.close());
  beforeEach(async () => {
    count += 1;
    key = createClientKey('ES256', `key-${count}`);
    server = await startKeyServer([key.jwk]);
    issuer = `https://issuer-${count}.example.com/tenant`;
    clientId = `workload-${count}`;
    issuerId = await createIssuer({ issuer, jwks: { keys: [key.jwk] } });
  });
  afterEach(() => server.close());

  const manage = (path: string, json?: object, method = json === undefined ? 'GET' : 'POST') =>
    realm.send(path, { basic: administrator, method, ...(json === undefined ? {} : { json }) });
  const createIssuer = async (fields: object) => {
    const answer = await manage('/issuers', { name: 'Workloads', ...fields });
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
    return answer.json<{ id: string }>().id;
  };
  const settings = (credentials: object[] = [{ issuer, subject }], more: object = {}) => ({
    client_id: clientId,
    scope: ['roles'],
    authorized_grant_types: ['client_credentials', 'service_account'],
    srvc_ac_user_name: 'robot@example.com',
    token_endpoint_auth_method: 'federated_jwt',
    federated_credentials: credentials,
    ...more,
  });
  const register = (credentials?: object[], more?: object) => realm.register(settings(credentials, more));
  const patch = (json: object) => manage(`/clients/${clientId}`, json, 'PATCH');
  const now = () => Math.floor(realm.clock() / 1000);
  const claimsOf = (claims: object = {}) => ({
    ...{ iss: issuer, sub: subject, aud: realm.authUrl, iat: now(), exp: now() + hour, jti: undefined },
    ...claims,
  });
  const tokenOf = (claims: object = {}, header: object = {}, by = key) =>
    by.assertion('', '', claimsOf(claims), header);
  const prove = (token: string, form: Record<string, string> = {}, at: Pick<Realm, 'send'> = realm) =>
    at.send('/oauth/token', {
      form: {
        ...{ grant_type: 'client_credentials', client_id: clientId },
        ...{ client_assertion_type: assertionType, client_assertion: token, ...form },
      },
    });
  const statusOf = async (token = tokenOf(), form: Record<string, string> = {}) => (await prove(token, form)).status;
  const wrong = {
    error: 'invalid_client',
    error_description: expect.stringContaining('check client_id and credentials'),
  };
  const expectWrong = async (token: string, form: Record<string, string> = {}) => {
    const answer = await prove(token, form);
    expect([answer.status, answer.json()]).toEqual([401, expect.objectContaining(wrong)]);
  };

  it('gets tokens as its Robot without any secret, at every endpoint where clients prove themselves', async () => {
    await register();
    const answer = await prove(tokenOf());
    expect([answer.status, answer.json()]).toEqual([200, expect.objectContaining({ token_type: 'Bearer' })]);
    const { access_token: token } = answer.json<{ access_token: string }>();
    const proof = { client_id: clientId, client_assertion_type: assertionType, client_assertion: tokenOf() };
    const introspected = await realm.send('/oauth/introspect', { form: { ...proof, token } });
    expect(introspected.json()).toMatchObject({ active: true, username: 'robot@example.com' });
    expect((await realm.send('/oauth/revoke', { form: { ...proof, token } })).status).toBe(200);
  });

  it('pushes authorization requests and begins device flows by a token, and not by a wrong one', async () => {
    await register(undefined, {
      ...{ authorized_grant_types: ['authorization_code', deviceCodeGrantType], srvc_ac_user_name: undefined },
      ...{ scope: ['openid'], redirect_uri: callback },
    });
    const ask = async (path: string, token: string) => {
      const proof = { client_id: clientId, client_assertion_type: assertionType, client_assertion: token };
      const { status } = await realm.send(path, { form: { ...codeRequest, ...proof } });
      return status;
    };
    for (const [path, good] of [
      ['/oauth/par', 201],
      ['/oauth/device_authorization', 200],
    ] as const) {
      const wrong = tokenOf({ sub: 'another' });
      expect([path, await ask(path, tokenOf()), await ask(path, wrong)]).toEqual([path, good, 401]);
    }
  });

  it('is given back with its credentials, and is not public', async () => {
    await register([{ issuer, claims: { repository_id: '1' }, audience: 'gatehouse' }]);
    expect((await manage(`/clients/${clientId}`)).json()).toMatchObject({
      federated_credentials: [{ issuer, claims: { repository_id: '1' }, audience: 'gatehouse' }],
      public: false,
    });
    const listed = await manage(`/clients?issuer=${encodeURIComponent(issuer)}`);
    expect(listed.json<{ clients: object[] }>().clients).toMatchObject([{ client_id: clientId }]);
  });

  it('may bring a token again until it ends', async () => {
    await register();
    const token = tokenOf();
    for (const seconds of [0, hour - 10]) {
      realm.advance(seconds * 1000);
      expect(await statusOf(token)).toBe(200);
    }
    realm.advance(16_000);
    const late = await prove(token);
    expect([late.status, late.json()]).toEqual([
      401,
      expect.objectContaining({ error_description: expect.stringContaining('the time of client_assertion') }),
    ]);
  });

  it.each<[string, object]>([
    ['the subject of another', { sub: 'repo:example/other:ref:refs/heads/main' }],
    ['a subject that begins alike', { sub: `${subject}s` }],
    ['no subject', { sub: undefined }],
    ['another audience', { aud: 'https://other.example.com' }],
    ['a list of two audiences', { aud: ['https://other.example.com', 'https://b.example.com'] }],
    ['no audience', { aud: undefined }],
    ['no exp', { exp: undefined }],
    ['no iat', { iat: undefined }],
    ['a text as exp', { exp: '4102444800' }],
    ['another issuer', { iss: 'https://issuer.example.net' }],
    ['no issuer', { iss: undefined }],
  ])('is not proven with %s', async (_what, claims) => {
    await register();
    await expectWrong(tokenOf(claims));
    expect(await statusOf()).toBe(200);
  });

  it('is not proven by what is no JWT', async () => {
    await register();
    for (const text of ['a', 'a.b.c', `${tokenOf()}a.b`]) await expectWrong(text);
  });

  it('is proven by a list of exactly its audience, and not by that and another', async () => {
    await register();
    expect(await statusOf(tokenOf({ aud: [realm.authUrl] }))).toBe(200);
    await expectWrong(tokenOf({ aud: [realm.authUrl, 'https://other.example.com'] }));
  });

  it.each<[string, (seconds: number) => object]>([
    ['has passed', (at) => ({ iat: at - 60, exp: at - 5 })],
    ['lives for more than 24 hours', (at) => ({ exp: at + 24 * hour + 1 })],
    ['lives for a year', (at) => ({ iat: at - 60, exp: at + 365 * 24 * hour })],
    ['is of the future', (at) => ({ iat: at + 20 })],
    ['begins in the future', (at) => ({ nbf: at + 20 })],
  ])('is told of the time where a token of its own %s', async (_what, claims) => {
    await register();
    const answer = await prove(tokenOf(claims(now())));
    expect([answer.status, answer.json()]).toEqual([
      401,
      expect.objectContaining({ error_description: expect.stringContaining('the time of client_assertion') }),
    ]);
    await expectWrong(tokenOf({ ...claims(now()), sub: 'another' }));
    await expectWrong(tokenOf(claims(now()), {}, createClientKey('ES256', `key-${count}`)));
  });

  it('is proven where the clocks differ by what contract-2 allows, and for 24 hours', async () => {
    await register();
    expect(await statusOf(tokenOf({ iat: now() + 8, nbf: now() + 8 }))).toBe(200);
    expect(await statusOf(tokenOf({ exp: now() + 24 * hour }))).toBe(200);
  });

  it.each(['at+jwt', 'dpop+jwt', 'logout+jwt', 'secevent+jwt', 'oauth-authz-req+jwt', 1])(
    'is not proven by a token of the type %s',
    async (typ) => {
      await register();
      await expectWrong(tokenOf({}, { typ }));
    },
  );

  it.each([undefined, 'JWT', 'JOSE'])('is proven by a token of the type %s', async (typ) => {
    await register();
    expect(await statusOf(tokenOf({}, { typ }))).toBe(200);
  });

  it('is proven by claims, each exactly, in place of a subject or with one', async () => {
    await register([{ issuer, claims: { repository_id: '1', ref: 'refs/heads/main' } }]);
    const good = { sub: 'anything', repository_id: '1', ref: 'refs/heads/main' };
    expect(await statusOf(tokenOf(good))).toBe(200);
    for (const bad of [{ ref: 'refs/heads/m' }, { repository_id: 1 }, { repository_id: ['1'] }, { ref: undefined }]) {
      await expectWrong(tokenOf({ ...good, ...bad }));
    }
    await patch({ federated_credentials: [{ issuer, subject, claims: { repository_id: '1' } }] });
    expect([await statusOf(tokenOf({ repository_id: '1' })), await statusOf(tokenOf())]).toEqual([200, 401]);
  });

  it('has an audience of its own for each credential', async () => {
    await register([
      { issuer, subject, audience: 'api://gatehouse' },
      { issuer, subject: 'another' },
    ]);
    expect(await statusOf(tokenOf({ aud: 'api://gatehouse' }))).toBe(200);
    expect(await statusOf(tokenOf({ sub: 'another' }))).toBe(200);
    await expectWrong(tokenOf());
    await expectWrong(tokenOf({ aud: 'api://gatehouse', sub: 'another' }));
  });

  it('is chosen by the client_id of the request, where two have the same subject', async () => {
    await register();
    await register(undefined, { client_id: `${clientId}-b`, srvc_ac_user_name: 'robot@example.com' });
    const token = tokenOf();
    expect([await statusOf(token), await statusOf(token, { client_id: `${clientId}-b` })]).toEqual([200, 200]);
  });

  it('is not proven by another issuer with the same keys', async () => {
    const other = `https://other-${count}.example.com`;
    await createIssuer({ issuer: other, jwks: { keys: [key.jwk] } });
    await register();
    await expectWrong(tokenOf({ iss: other }));
    await patch({ federated_credentials: [{ issuer: other, subject }] });
    expect(await statusOf(tokenOf({ iss: other }))).toBe(200);
    await expectWrong(tokenOf());
  });

  it('is proven by the algorithms of the issuer alone, at the request after a change', async () => {
    const rsa = createClientKey('RS256', 'rsa');
    const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const keys = [key.jwk, rsa.jwk, { ...p384.publicKey.export({ format: 'jwk' }), kid: 'p384' }];
    const change = (json: object) => manage(`/issuers/${issuerId}`, json, 'PATCH');
    await change({ jwks: { keys } });
    await register();
    const signBy = (alg: string, kid: string, hash: string, by: SignKeyObjectInput) => {
      const text = [{ alg, kid }, claimsOf()]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.');
      return `${text}.${sign(hash, Buffer.from(text), by).toString('base64url')}`;
    };
    const all = async () => [
      await statusOf(),
      await statusOf(tokenOf({}, {}, rsa)),
      await statusOf(tokenOf({}, {}, rsa.signingBy('PS256'))),
      await statusOf(signBy('ES384', 'p384', 'sha384', { key: p384.privateKey, dsaEncoding: 'ieee-p1363' })),
      await statusOf(signBy('RS512', 'rsa', 'sha512', { key: rsa.privateKey })),
    ];
    expect(await all()).toEqual([200, 200, 200, 401, 401]);
    await change({ signature_algorithms: ['ES384', 'PS256'] });
    expect(await all()).toEqual([401, 401, 200, 200, 401]);
    await change({ signature_algorithms: ['RS512'] });
    expect(await all()).toEqual([401, 401, 401, 401, 200]);
  });

  it('needs its client_id in the request, since the token does not have it', async () => {
    await register();
    for (const sub of [subject, 'an-id']) {
      const form = { grant_type: 'client_credentials', client_assertion_type: assertionType };
      const answer = await realm.send('/oauth/token', { form: { ...form, client_assertion: tokenOf({ sub }) } });
      expect([answer.status, answer.json()]).toEqual([
        400,
        expect.objectContaining({
          error: 'invalid_request',
          error_description: expect.stringContaining('client_id is required'),
        }),
      ]);
    }
  });

  it('is never tried as private_key_jwt, and a client with that never as this', async () => {
    await register([{ issuer, subject: clientId }]);
    await expectWrong(key.assertion(clientId, realm.authUrl, { iat: now(), exp: now() + 60 }));
    expect(await statusOf(tokenOf({ sub: clientId }))).toBe(200);
    const own = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } };
    await patch({ ...own, federated_credentials: null });
    await expectWrong(tokenOf({ sub: clientId }));
    const answer = await prove(tokenOf());
    expect(answer.json()).toMatchObject({
      error: 'invalid_client',
      error_description: expect.stringContaining('must be a JWT whose sub is a client_id'),
    });
  });

  it('reads the keys of an issuer at its address, or where its metadata say, and calls nothing that a token names', async () => {
    await manage(`/issuers/${issuerId}`, { jwks: null, jwks_uri: server.url }, 'PATCH');
    await register();
    expect([await statusOf(), await statusOf(), server.asked.length]).toEqual([200, 200, 1]);
    const found = `http://localhost:${server.port}`;
    await createIssuer({ issuer: found });
    await patch({ federated_credentials: [{ issuer: found, subject }] });
    server.published.body = JSON.stringify({ issuer: found, jwks_uri: server.url, keys: [key.jwk] });
    expect(await statusOf(tokenOf({ iss: found }))).toBe(200);
    expect(server.asked.map(({ url }) => url)).toEqual(['/keys', '/.well-known/openid-configuration', '/keys']);
    await expectWrong(tokenOf({ iss: `${found}/other` }));
    expect(server.asked).toHaveLength(3);
  });

  it.each<[string, (found: string, url: string) => object | string]>([
    ['of another issuer', (found, url) => ({ issuer: `${found}/`, jwks_uri: url })],
    ['without an address', (found) => ({ issuer: found })],
    ['that are no JSON', () => '{'],
    ['of 256 KiB and a byte', () => ' '.repeat(256 * 1024 + 1)],
    ['that lead to a private address', (found) => ({ issuer: found, jwks_uri: 'https://10.0.0.1/keys' })],
  ])('is a 503 with metadata %s', async (_what, publish) => {
    const found = `http://localhost:${server.port}`;
    await createIssuer({ issuer: found });
    await register([{ issuer: found, subject }]);
    const body = publish(found, server.url);
    server.published.body = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await prove(tokenOf({ iss: found }));
    expect([answer.status, answer.headers['retry-after'], answer.json()]).toEqual([
      503,
      '10',
      expect.objectContaining({
        error: 'temporarily_unavailable',
        error_description: expect.stringMatching(
          /^the keys of the issuer cannot be read: (bad answer|refused address)/,
        ),
      }),
    ]);
  });

  it('is proven by a JWT-SVID, whose trust domain decides, with the keys of a bundle that are for those', async () => {
    const domain = `spiffe://td-${count}.example.org`;
    const [forSvids, forCertificates] = [createClientKey('ES256', 'a'), createClientKey('ES256', 'b')];
    const bundle = [
      { ...forSvids.jwk, use: 'jwt-svid' },
      { ...forCertificates.jwk, use: 'x509-svid' },
    ];
    server.published.body = JSON.stringify({ keys: bundle, spiffe_sequence: 1, spiffe_refresh_hint: 300 });
    await createIssuer({ issuer: domain, kind: 'spiffe', jwks_uri: server.url });
    const sub = `${domain}/ns/shop/sa/default`;
    await register([{ issuer: domain, subject: sub }]);
    const svid = (claims: object = {}, by = forSvids) =>
      tokenOf({ iss: undefined, iat: undefined, sub, ...claims }, { typ: 'JWT' }, by);
    for (const type of [svidType, assertionType]) {
      const form = { client_assertion_type: type };
      expect(await statusOf(svid(), form)).toBe(200);
      expect(await statusOf(svid({ iss: 'https://spire.example.org' }), form)).toBe(200);
      await expectWrong(svid({}, forCertificates), form);
      await expectWrong(svid({ sub: `spiffe://other.example.org/ns/shop/sa/default` }), form);
      await expectWrong(svid({ sub: `${domain}.example.net/ns/shop/sa/default`, iss: domain }), form);
      await expectWrong(svid({ sub: `${domain}/ns/shop/sa/other` }), form);
      await expectWrong(svid({ aud: undefined }), form);
    }
    expect((await prove(svid({ exp: now() + 24 * hour + 60 }))).status).toBe(401);
    await patch({ federated_credentials: [{ issuer, subject: sub }] });
    await expectWrong(tokenOf({ sub }), { client_assertion_type: svidType });
  });

  it('is refused at another replica within a second of the deletion of its issuer, or of its credential', async () => {
    const other = await startReplica(realm, {});
    await register();
    const statuses = async () => [await statusOf(), (await prove(tokenOf(), {}, other)).status];
    expect(await statuses()).toEqual([200, 200]);
    const kept = await manage(`/issuers/${issuerId}`, undefined, 'DELETE');
    expect([kept.status, kept.text]).toEqual([409, expect.stringContaining(`the clients ${clientId} name the issuer`)]);
    const second = `https://second-${count}.example.com`;
    await createIssuer({ issuer: second });
    await patch({ federated_credentials: [{ issuer: second, subject }] });
    expect(await statuses()).toEqual([401, 401]);
    await patch({ federated_credentials: [{ issuer, subject }] });
    expect(await statuses()).toEqual([200, 200]);
    // As a client that is registered while its issuer is deleted.
    await realm.deps.database.execute('DELETE FROM client_terms WHERE client_id = ?', [clientId]);
    expect((await manage(`/issuers/${issuerId}`, undefined, 'DELETE')).status).toBe(204);
    expect(await statusOf()).toBe(401);
    await sleep(1000);
    expect(await statuses()).toEqual([401, 401]);
    await other.close();
  });

  it.each<[string, (name: string) => object, RegExp]>([
    ['no credentials', () => ({ federated_credentials: undefined }), /federated_credentials is required with/],
    [
      'an unknown issuer',
      () => ({ federated_credentials: [{ issuer: 'https://x', subject }] }),
      /"https:\/\/x" is none/,
    ],
    [
      'neither subject nor claims',
      (name) => ({ federated_credentials: [{ issuer: name }] }),
      /must hold subject, claims/,
    ],
    ['no claims at all', (name) => ({ federated_credentials: [{ issuer: name, claims: {} }] }), /1–10 names/],
    ['sub in claims', (name) => ({ federated_credentials: [{ issuer: name, claims: { sub: 'a' } }] }), /must not name/],
    ['no text in claims', (name) => ({ federated_credentials: [{ issuer: name, claims: { a: 1 } }] }), /exact strings/],
    [
      '11 credentials',
      (name) => ({ federated_credentials: Array(11).fill({ issuer: name, subject }) }),
      /1–10 objects/,
    ],
    [
      'a long audience',
      (name) => ({ federated_credentials: [{ issuer: name, subject, audience: 'a'.repeat(256) }] }),
      /255/,
    ],
    ['a secret', () => ({ client_secret: 'a long enough secret' }), /client_secret is not accepted with federated_jwt/],
    ['another method', () => ({ token_endpoint_auth_method: 'none' }), /accepted only with token_endpoint_auth_method/],
  ])('is not registered with %s', async (_what, change, detail) => {
    const answer = await manage('/clients', settings(undefined, change(issuer)));
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(detail)]);
  });

  it('does not register itself', async () => {
    const { send, createToken } = registerDynamically(realm);
    const body = { redirect_uris: ['https://agent.example.com/callback'] };
    const authorization = `Bearer ${await createToken()}`;
    for (const more of [
      { token_endpoint_auth_method: 'federated_jwt' },
      { federated_credentials: [{ issuer, subject }] },
    ]) {
      expect((await send({ ...body, ...more }, { authorization })).status).toBe(400);
    }
  });

  it('is refused with the reason and the names of the token in the log, and never the token', async () => {
    await register();
    const lineOf = async (token: string) => {
      const before = read().length;
      expect((await prove(token)).status).toBe(401);
      return read()
        .slice(before)
        .find(({ msg }) => msg === 'request refused');
    };
    const long = 'x'.repeat(300);
    const [other, late, endless] = [{ sub: 'another' }, { iat: now() - 60, exp: now() - 5 }, { sub: long }];
    const reason = 'no credential of the client has its subject, claims and audience';
    const names = (sub: string) => `iss ${JSON.stringify(issuer)}, sub ${JSON.stringify(sub)}`;
    expect(await lineOf(tokenOf(other))).toMatchObject({ reason: `client assertion: ${reason}; ${names('another')}` });
    expect(await lineOf(tokenOf(late))).toMatchObject({
      reason: `client assertion: "exp" has passed; ${names(subject)}`,
    });
    expect(await lineOf(tokenOf(endless))).toMatchObject({
      reason: expect.stringContaining(names(long.slice(0, 255))),
    });
    expect(await lineOf('a.b.c')).toMatchObject({ reason: expect.stringMatching(/; no JWT$/) });
    const text = JSON.stringify(read());
    for (const token of [tokenOf(other), tokenOf(late)]) {
      // The signature differs each time; what is signed does not.
      for (const part of token.split('.').slice(0, 2)) expect(text).not.toContain(part);
    }
  });

  it('is in the metadata where an issuer is there, and its refusals in the audit trail', async () => {
    const metadata = (await realm.send('/.well-known/openid-configuration')).json<Record<string, string[]>>();
    for (const endpoint of ['token', 'introspection', 'revocation']) {
      expect(metadata[`${endpoint}_endpoint_auth_methods_supported`]).toContain('federated_jwt');
    }
    await register();
    await expectWrong(tokenOf({ sub: 'another' }));
    const events = await manage('/audit-events?type=client_authentication.refused&limit=1');
    expect(events.json()).toMatchObject({
      events: [{ reason: 'wrong_credentials', details: { method: 'federated_jwt' }, subject: { name: clientId } }],
    });
  });
});

describe.each(testDialects)('without an issuer, on %s', (dialect) => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealmOn(dialect);
  });
  afterAll(() => realm.close());

  it('the metadata do not have federated_jwt, and assertions of others are refused as ever', async () => {
    const metadata = await realm.send('/.well-known/openid-configuration');
    expect(metadata.text).not.toContain('federated_jwt');
    const token = (sub: string) => createClientKey().assertion('', realm.authUrl, { iss: 'https://a.example', sub });
    const send = async (form: Record<string, string>) => {
      const answer = await realm.send('/oauth/token', {
        form: { grant_type: 'client_credentials', client_assertion_type: assertionType, ...form },
      });
      const { error, error_description: text } = answer.json<Record<string, string>>();
      return [answer.status, error, text?.split(':')[0]];
    };
    expect([
      await send({ client_assertion: token(subject) }),
      await send({ client_assertion: token('an-id') }),
      await send({ client_assertion: token('an-id'), client_id: 'an-id' }),
      await send({ client_assertion: token('an-id'), client_id: 'another' }),
      await send({ client_assertion: token('an-id'), client_id: 'another', client_secret: 'x' }),
      await send({ client_assertion: token('an-id'), client_secret: 'x' }),
      await send({ client_assertion: token('an-id'), client_id: 'an-id', client_assertion_type: svidType }),
    ]).toEqual([
      [401, 'invalid_client', expect.stringContaining('must be a JWT whose sub is a client_id')],
      [401, 'invalid_client', 'client authentication failed'],
      [401, 'invalid_client', 'client authentication failed'],
      [400, 'invalid_request', expect.stringContaining('client_id must be the sub of client_assertion')],
      [400, 'invalid_request', expect.stringContaining('client_id must be the sub of client_assertion')],
      [400, 'invalid_request', expect.stringContaining('must authenticate in one way')],
      [400, 'invalid_request', expect.stringContaining('must come together')],
    ]);
  });
});
