import { setTimeout as sleep } from 'node:timers/promises';
import { createClientKey } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { base64url, exportSPKI, importJWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import type { User } from '../src/users/user.ts';
import { createSigningKey, type SigningKey, signJwt } from './support/key-server.ts';
import { authUrl, baseUrl, bearer, type Organization, startOrganization } from './support/organization.ts';

const path = '/organization/api/organization/user/allDetails/userId/';

/** RFC 6750 3, RFC 9728 5.1. */
const bareChallenge = `Bearer resource_metadata="${baseUrl}/.well-known/oauth-protected-resource"`;

let organization: Organization;
let admin: User;
let idpAdmin: User;
let reader: User;
let user: User;
let robot: User;

beforeAll(async () => {
  organization = await startOrganization('sqlite');
  admin = await organization.addUser({ username: 'admin@example.com', roles: ['SystemAdministrator'] });
  idpAdmin = await organization.addUser({ username: 'idp@example.com', roles: ['IdpAdministrator'] });
  reader = await organization.addUser({ username: 'reader@example.com', roles: ['DirectoryReader'] });
  user = await organization.addUser({
    username: 'User@example.com',
    password: 'user-password',
    firstName: 'Ursula',
    lastName: 'User',
    organization: 'Example',
  });
  robot = await organization.addUser({ username: 'robot@example.com', userType: 'Robot' });
});
afterAll(() => organization.close());

const get = (username: string, headers: Record<string, string> = {}) =>
  organization.app.inject({ url: path + encodeURIComponent(username), headers });
const getWith = (token: string) => get('user@example.com', bearer(token));

async function expectInvalidToken(token: string) {
  const response = await getWith(token);
  expect(response.statusCode).toBe(401);
  expect(response.headers['www-authenticate']).toMatch(
    /^Bearer error="invalid_token", error_description="[^"\\]+", resource_metadata="[^"]+"$/,
  );
  expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(response.json()).toMatchObject({ title: 'Unauthorized', status: 401 });
  expect(response.body).not.toContain('example.com');
}

describe('GET …/user/allDetails/userId/<username>', () => {
  it('gives users their own details, and nothing but what is documented', async () => {
    const response = await getWith(await organization.accessToken(user));
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toMatch(/^application\/json/);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.json()).toEqual({
      id: user.id,
      username: 'User@example.com',
      userType: 'Person',
      firstName: 'Ursula',
      lastName: 'User',
      email: 'User@example.com',
      emailVerified: false,
      enabled: true,
      roles: [],
      organization: 'Example',
      locale: 'en',
      timezone: 'UTC',
      createdAt: '2026-01-01T12:00:00.250Z',
      updatedAt: '2026-01-01T12:00:00.250Z',
    });
    expect(response.body).not.toMatch(/argon2|passwordHash|passwordChangedAt/);
  });

  it.each([
    'User%40example.com',
    'User@example.com',
    'uSER@EXAMPLE.COM',
    'user%40example.com?x=1',
    '%75ser@example.com',
  ])('takes the username in the path as %s', async (written) => {
    const response = await organization.app.inject({
      url: path + written,
      headers: bearer(await organization.accessToken(user)),
    });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ username: 'User@example.com' });
  });

  it('takes a username that is hard to write in a path', async () => {
    const odd = await organization.addUser({ username: "a/b?c#d%25;e+f&g='h'@exämple.com" });
    const response = await get(odd.username, bearer(await organization.accessToken(odd)));
    expect(response.json()).toMatchObject({ id: odd.id, username: odd.username });
  });

  it('gives a Robot its own details', async () => {
    const response = await get('robot@example.com', bearer(await organization.accessToken(robot)));
    expect(response.json()).toMatchObject({ userType: 'Robot', username: 'robot@example.com' });
  });

  it('gives anybody’s to each of the roles', async () => {
    for (const caller of [admin, idpAdmin, reader]) {
      const response = await getWith(await organization.accessToken(caller));
      expect(response.statusCode).toBe(200);
      expect(response.json()).toMatchObject({ id: user.id });
      expect(response.body).not.toContain('argon2');
    }
  });

  it('gives those of a disabled user to each of the roles', async () => {
    const disabled = await organization.addUser({ username: 'off@example.com', enabled: false });
    for (const caller of [admin, idpAdmin, reader]) {
      const response = await get('off@example.com', bearer(await organization.accessToken(caller)));
      expect(response.statusCode).toBe(200);
      expect(response.json()).toMatchObject({ id: disabled.id, enabled: false });
    }
  });

  it('answers 404 to those who may read, where there is no such user', async () => {
    const headers = bearer(await organization.accessToken(reader));
    for (const nobody of ['nobody@example.com', 'nobody', "' OR '1'='1", 'user@example.com ', '%']) {
      const response = await get(nobody, headers);
      expect(response.statusCode).toBe(404);
      expect(response.json()).toMatchObject({ title: 'Not Found', status: 404 });
    }
  });

  it('answers 403 to those who may not, alike whether or not that user exists', async () => {
    for (const caller of [user, robot]) {
      const headers = { ...bearer(await organization.accessToken(caller)), 'x-request-id': 'same-request' };
      const [existing, missing] = await Promise.all([
        get('admin@example.com', headers),
        get('nobody@example.com', headers),
      ]);
      expect(existing.statusCode).toBe(403);
      expect(missing.statusCode).toBe(403);
      expect(missing.body).toBe(existing.body);
    }
  });

  it('answers 403 to a client that acts for itself, even one named like a user', async () => {
    for (const sub of ['my-app', user.id]) {
      const claims = { ...organization.accessClaims(user), sub, username: undefined };
      const token = await signJwt(organization.signingKey, claims, { typ: 'at+jwt' });
      expect((await getWith(token)).statusCode).toBe(403);
    }
  });

  it('takes roles from the database, never from the token', async () => {
    const boasting = await organization.accessToken(user, { roles: ['SystemAdministrator'], scope: 'roles' });
    expect((await get('admin@example.com', bearer(boasting))).statusCode).toBe(403);
    const token = await organization.accessToken(reader, { roles: [] });
    await organization.deps.users.update(reader.id, { roles: [] }, organization.time.now);
    expect((await getWith(token)).statusCode).toBe(403);
    await organization.deps.users.update(reader.id, { roles: ['DirectoryReader'] }, organization.time.now);
    expect((await getWith(token)).statusCode).toBe(200);
  });
});

it.each([
  ['openid profile', 403],
  ['openid roles', 200],
])('roles reach through a third-party client with its scope roles alone: %s', async (scope, status) => {
  const token = await organization.accessToken(admin, { third_party: true, scope });
  expect((await getWith(token)).statusCode).toBe(status);
});

it('a name that no user can have is answered with the form of usernames', async () => {
  const token = await organization.accessToken(admin);
  const details = await Promise.all(
    ['ada', 'nobody@example.com'].map(
      async (name) => (await get(name, { authorization: `Bearer ${token}` })).json<{ detail: string }>().detail,
    ),
  );
  expect(details).toEqual([
    'no user has this username: a username has an @, such as user@example.com',
    'no user has this username',
  ]);
});

describe('a request without a token', () => {
  it.each([{}, { authorization: '' }, { authorization: 'Basic dXNlcjpwdw==' }, { authorization: 'Bearerish x' }])(
    'is told how to authenticate and no error code (RFC 6750 3): %j',
    async (headers) => {
      const response = await get('user@example.com', headers as Record<string, string>);
      expect(response.statusCode).toBe(401);
      expect(response.headers['www-authenticate']).toBe(bareChallenge);
      expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
    },
  );

  it('may not carry it in the query (RFC 6750 2.3 is not supported)', async () => {
    const token = await organization.accessToken(user);
    const response = await organization.app.inject(`${path}user@example.com?access_token=${token}`);
    expect(response.headers['www-authenticate']).toBe(bareChallenge);
  });

  it('takes the scheme in any case (RFC 9110 11.1)', async () => {
    const token = await organization.accessToken(user);
    for (const scheme of ['bearer', 'BEARER', 'Bearer  ']) {
      expect((await get('user@example.com', { authorization: `${scheme} ${token}` })).statusCode).toBe(200);
    }
  });
});

describe('an access token (RFC 9068 4)', () => {
  it.each(['', 'x', 'a.b', 'a.b.c', 'e30.e30.e30', 'a b', '{}', '"', 'ä', '..', '=.=.='])(
    'is refused where it is malformed: %j',
    async (token) => {
      await expectInvalidToken(token);
    },
  );

  it('is refused once it has expired, to the second', async () => {
    const { seconds, accessToken } = organization;
    await expectInvalidToken(await accessToken(user, { exp: seconds() }));
    await expectInvalidToken(await accessToken(user, { exp: seconds() - 1 }));
    expect((await getWith(await accessToken(user, { exp: seconds() + 1 }))).statusCode).toBe(200);
  });

  it('is refused before it is valid', async () => {
    await expectInvalidToken(await organization.accessToken(user, { nbf: organization.seconds() + 60 }));
  });

  it.each([
    ['issuer', { iss: 'https://evil.example.com' }],
    ['issuer but for a slash', { iss: `${authUrl}/` }],
    ['audience', { aud: 'https://other.example.com' }],
    ['audience of the auth server', { aud: authUrl }],
    ['audience of a service token', { aud: `${baseUrl}/internal/directory` }],
    ['subject of no user', { sub: 'user@example.com' }],
    ['subject of nobody', { sub: '01890000-0000-7000-8000-000000000000' }],
    ['client_id type', { client_id: 7 }],
    ['expiry type', { exp: 'never' }],
  ] as [string, JWTPayload][])('is refused with a wrong %s', async (_what, claims) => {
    await expectInvalidToken(await organization.accessToken(user, claims));
  });

  it('is accepted where this service is one of several audiences', async () => {
    const token = await organization.accessToken(user, { aud: ['https://other.example.com', baseUrl] });
    expect((await getWith(token)).statusCode).toBe(200);
  });

  it.each(['iss', 'sub', 'aud', 'exp', 'iat', 'jti', 'client_id'])(
    'is refused without %s (RFC 9068 2.2)',
    async (name) => {
      const claims = Object.fromEntries(
        Object.entries(organization.accessClaims(user)).filter(([key]) => key !== name),
      );
      await expectInvalidToken(await signJwt(organization.signingKey, claims, { typ: 'at+jwt' }));
    },
  );

  it.each([undefined, 'JWT', 'at', 'id+jwt', 'gatehouse-service+jwt', 'logout+jwt'])(
    'is refused with the typ %s (RFC 9068 4)',
    async (typ) => {
      await expectInvalidToken(await organization.accessToken(user, {}, { typ }));
    },
  );

  it('is accepted with the typ written as a whole media type (RFC 7515 4.1.9)', async () => {
    const token = await organization.accessToken(user, {}, { typ: 'application/at+jwt' });
    expect((await getWith(token)).statusCode).toBe(200);
  });

  it('is refused with a changed claim or signature', async () => {
    const [header, payload = '', signature = ''] = (await organization.accessToken(user)).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const forged = base64url.encode(JSON.stringify({ ...claims, sub: admin.id }));
    await expectInvalidToken(`${header}.${forged}.${signature}`);
    const bytes = Buffer.from(signature, 'base64url');
    bytes[0] = (bytes[0] ?? 0) ^ 1;
    await expectInvalidToken(`${header}.${payload}.${bytes.toString('base64url')}`);
    await expectInvalidToken(`${header}.${payload}.`);
    await expectInvalidToken(`${header}.${payload}`);
  });

  it('is refused when signed by another key under a known kid', async () => {
    const other = await createSigningKey();
    const token = await signJwt({ ...other, kid: organization.signingKey.kid }, organization.accessClaims(user), {
      typ: 'at+jwt',
    });
    await expectInvalidToken(token);
  });

  it('is refused when it brings its own key along (RFC 8725 3.10)', async () => {
    const other = await createSigningKey();
    const token = await signJwt({ ...other, kid: organization.signingKey.kid }, organization.accessClaims(user), {
      typ: 'at+jwt',
      jwk: other.jwk,
      jku: 'http://127.0.0.1:1/jwks',
    });
    await expectInvalidToken(token);
  });

  it('is refused without a kid', async () => {
    await expectInvalidToken(await organization.accessToken(user, {}, { kid: undefined }));
  });

  it('is refused unsigned: alg none (RFC 8725 3.1)', async () => {
    const claims = organization.accessClaims(user);
    await expectInvalidToken(new UnsecuredJWT(claims).encode());
    for (const alg of ['none', 'None', 'NONE']) {
      const header = { alg, typ: 'at+jwt', kid: organization.signingKey.kid };
      const parts = [header, claims].map((part) => base64url.encode(JSON.stringify(part)));
      await expectInvalidToken(`${parts.join('.')}.`);
    }
  });

  it('is refused with HS256 and the public key for a secret (RFC 8725 2.1)', async () => {
    const { jwk, kid } = organization.signingKey;
    const publicKey = (await importJWK(jwk, 'ES256', { extractable: true })) as Parameters<typeof exportSPKI>[0];
    for (const secret of [await exportSPKI(publicKey), JSON.stringify(jwk), String(jwk.x)]) {
      const token = await new SignJWT(organization.accessClaims(user))
        .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid })
        .sign(new TextEncoder().encode(secret));
      await expectInvalidToken(token);
    }
  });

  it('is refused when signed with a published key of another algorithm', async () => {
    const rsa = await createSigningKey('RS256');
    organization.keyServer.keys.push(rsa.jwk);
    organization.time.now += 1_000;
    await expectInvalidToken(await signJwt(rsa, organization.accessClaims(user), { typ: 'at+jwt' }));
  });

  it('is not to be had for an ID token, though the same server signed it', async () => {
    const claims = {
      iss: authUrl,
      sub: user.id,
      aud: 'my-app',
      iat: organization.seconds(),
      exp: organization.seconds() + 60,
    };
    await expectInvalidToken(await signJwt(organization.signingKey, { ...claims, nonce: 'n' }, { typ: 'JWT' }));
    await expectInvalidToken(await signJwt(organization.signingKey, { ...claims, aud: baseUrl }, { typ: 'JWT' }));
  });

  it('is not to be had for a service token', async () => {
    await expectInvalidToken(await organization.serviceToken('/internal/directory/user-queries', '{}'));
  });

  it('is void while its user is disabled, and from the next request on', async () => {
    const token = await organization.accessToken(robot);
    const read = () => get('robot@example.com', bearer(token));
    expect((await read()).statusCode).toBe(200);
    await organization.deps.users.update(robot.id, { enabled: false }, organization.time.now);
    const refused = await read();
    expect([refused.statusCode, refused.headers['www-authenticate']]).toEqual([
      401,
      expect.stringContaining('error="invalid_token"'),
    ]);
    await organization.deps.users.update(robot.id, { enabled: true }, organization.time.now);
    expect((await read()).statusCode).toBe(200);
  });

  it('is void once its user is deleted, also where the username is taken again', async () => {
    const gone = await organization.addUser({ username: 'gone@example.com' });
    const token = await organization.accessToken(gone);
    await organization.deps.users.delete(gone.id);
    await organization.addUser({ username: 'gone@example.com', roles: ['SystemAdministrator'] });
    await expectInvalidToken(token);
  });

  it('is void once its user has a new password, even within the same second', async () => {
    const changing = await organization.addUser({ username: 'changing@example.com' });
    const token = await organization.accessToken(changing);
    const read = () => get('changing@example.com', bearer(token));
    expect((await read()).statusCode).toBe(200);
    const now = organization.time.now + 1;
    await organization.deps.users.replacePassword(changing.id, { newHash: 'x', now });
    await expectInvalidToken(token);
    const renewed = await organization.accessToken({ ...changing, passwordChangedAt: now });
    expect((await get('changing@example.com', bearer(renewed))).statusCode).toBe(200);
  });

  it('without that claim is void where it was issued before the second of the new password', async () => {
    const changing = await organization.addUser({ username: 'changing2@example.com' });
    const changedIn = Math.floor(changing.passwordChangedAt / 1000);
    const issuedAt = (iat: number) => organization.accessToken(changing, { iat, password_changed_at: undefined });
    await expectInvalidToken(await issuedAt(changedIn - 1));
    expect((await get('changing2@example.com', bearer(await issuedAt(changedIn)))).statusCode).toBe(200);
  });
});

describe('an access token that is bound to a key (RFC 9449 7)', () => {
  const url = `${path}user@example.com`;
  const key = createClientKey();
  let token: string;
  beforeAll(async () => {
    token = await organization.accessToken(user, { cnf: { jkt: key.jkt } });
  });
  const getBy = (dpop?: string) =>
    organization.app.inject({
      url,
      headers: { authorization: `DPoP ${token}`, ...(dpop === undefined ? {} : { dpop }) },
    });
  const prove = (claims: object) =>
    key.proof({ htm: 'GET', htu: baseUrl + url, iat: organization.seconds(), accessToken: token, ...claims });

  it('is taken with a proof of the key, with the nonce that each answer brings', async () => {
    const first = await getBy(prove({}));
    expect([first.statusCode, first.headers['www-authenticate']]).toEqual([
      401,
      expect.stringMatching(/^DPoP algs="[^"]+", error="use_dpop_nonce", .*, resource_metadata="[^"]+"$/),
    ]);
    const good = await getBy(prove({ nonce: first.headers['dpop-nonce'] }));
    expect([good.statusCode, good.headers['dpop-nonce']]).toEqual([200, first.headers['dpop-nonce']]);
    expect(good.json()).toMatchObject({ id: user.id });
  });

  it('is refused without a proof, which is counted', async () => {
    const count = async () => {
      const { body } = await organization.app.inject('/metrics');
      return Number(/refusals_total\{kind="bearer_token",reason="proof"\} (\d+)/.exec(body)?.[1]);
    };
    const before = await count();
    const refused = await getBy();
    expect([refused.statusCode, refused.headers['content-type']]).toEqual([
      401,
      expect.stringMatching(/^application\/problem\+json/),
    ]);
    expect(refused.headers['www-authenticate']).toMatch(/^DPoP algs="[^"]+", error="invalid_dpop_proof", /);
    expect(await count()).toBe(before + 1);
  });

  it('is refused by the scheme Bearer', async () => {
    await expectInvalidToken(token);
  });
});

describe('the key set (RFC 7517)', () => {
  let fresh: Organization;
  let someone: User;
  let read: (key?: SigningKey) => Promise<Awaited<ReturnType<typeof get>>>;

  beforeAll(async () => {
    fresh = await startOrganization('sqlite');
    someone = await fresh.addUser({ username: 'someone@example.com' });
    read = async (key = fresh.signingKey) => {
      const token = await signJwt(key, fresh.accessClaims(someone), { typ: 'at+jwt' });
      return fresh.app.inject({ url: `${path}someone@example.com`, headers: bearer(token) });
    };
  });
  afterAll(() => fresh.close());

  it('out of reach with no key in hand is a 503 with a time to retry', async () => {
    await fresh.keyServer.close();
    for (const _ of [1, 2]) {
      const response = await read();
      expect(response.statusCode).toBe(503);
      expect(response.headers['retry-after']).toBe('5');
      expect(response.headers['www-authenticate']).toBeUndefined();
      expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
    }
    await fresh.keyServer.listen();
  });

  it.each([
    { status: 500, body: '{}' },
    { status: 200, body: 'not JSON' },
    { status: 200, body: '{}' },
    { status: 200, body: 'null' },
    { status: 404, body: '{"keys":[]}' },
  ])('that answers nonsense is a 503 as well: %j', async (answer) => {
    fresh.keyServer.answer = answer;
    fresh.time.now += 1_000;
    const response = await read();
    fresh.keyServer.answer = undefined;
    expect(response.statusCode).toBe(503);
  });

  it('is fetched once by many first requests at the same moment', async () => {
    fresh.time.now += 1_000;
    const before = fresh.keyServer.fetches();
    const responses = await Promise.all(Array.from({ length: 20 }, () => read()));
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(fresh.keyServer.fetches() - before).toBe(1);
  });

  it('is fetched no more while its keys are fresh', async () => {
    const before = fresh.keyServer.fetches();
    for (let i = 0; i < 5; i += 1) expect((await read()).statusCode).toBe(200);
    expect(fresh.keyServer.fetches()).toBe(before);
  });

  it('goes on with the keys in hand while it is out of reach, however long', async () => {
    await fresh.keyServer.close();
    for (let i = 0; i < 3; i += 1) {
      fresh.time.now += 20 * 60_000;
      expect((await read()).statusCode).toBe(200);
    }
    expect((await read(await createSigningKey())).statusCode).toBe(401);
    await fresh.keyServer.listen();
  });

  it('is asked at most once a second, however many forged key ids are presented', async () => {
    fresh.time.now += 1_000;
    const forged = await createSigningKey();
    const before = fresh.keyServer.fetches();
    for (let second = 0; second < 3; second += 1) {
      // One after the other as well as at the same moment: neither may lead to more than one fetch.
      for (let wave = 0; wave < 5; wave += 1) {
        const tries = Array.from({ length: 5 }, (_, i) => read({ ...forged, kid: `forged-${second}-${wave}-${i}` }));
        const statuses = (await Promise.all(tries)).map(({ statusCode }) => statusCode);
        expect(new Set(statuses)).toEqual(new Set([401]));
      }
      expect((await read()).statusCode).toBe(200);
      fresh.time.now += 1_000;
    }
    const fetches = fresh.keyServer.fetches() - before;
    expect(fetches).toBeGreaterThanOrEqual(1);
    expect(fetches).toBeLessThanOrEqual(3);
  });

  it('gives a new key at first sight, beside keys it cannot use (RFC 7517 5)', async () => {
    const added = await createSigningKey();
    fresh.keyServer.keys.unshift(
      { kty: 'XYZ', kid: 'future', alg: 'XY256' },
      { kty: 'EC', kid: 'broken', alg: 'ES256' },
    );
    fresh.keyServer.keys.push(added.jwk);
    fresh.time.now += 1_000;
    expect((await read(added)).statusCode).toBe(200);
    expect((await read()).statusCode).toBe(200);
  });

  it('takes a key away that is published no more, once what is in hand is not fresh', async () => {
    const kept = await createSigningKey();
    fresh.keyServer.keys = [kept.jwk];
    fresh.time.now += 5 * 60_000 + 1;
    await read();
    for (let tries = 0; (await read()).statusCode !== 401 && tries < 200; tries += 1) await sleep(10);
    expect((await read()).statusCode).toBe(401);
    expect((await read(kept)).statusCode).toBe(200);
  });

  it('does not use a key that is published for encryption', async () => {
    const encrypting = await createSigningKey();
    fresh.keyServer.keys.push({ ...encrypting.jwk, use: 'enc' });
    fresh.time.now += 1_000;
    expect((await read(encrypting)).statusCode).toBe(401);
  });
});
