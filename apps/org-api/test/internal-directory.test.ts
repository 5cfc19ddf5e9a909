import { OverloadedError } from '@gatehouse/service-kit';
import { createMetrics } from '@gatehouse/service-kit/metrics';
import { digestOf, directoryPaths, serviceTokenAudience, serviceTokenLifetime } from '@gatehouse/shared';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { buildApp } from '../src/app.ts';
import { createDirectory } from '../src/directory/room.ts';
import { buildDirectoryUser, type User } from '../src/users/user.ts';
import { createSigningKey, signJwt } from './support/key-server.ts';
import { authUrl, baseUrl, bearer, type Organization, startOrganization } from './support/organization.ts';

const passwordChecks = '/internal/directory/password-checks';
const userQueries = '/internal/directory/user-queries';
const address = '192.0.2.1';

describe.each(testDialects)('the internal directory on %s', (dialect) => {
  let organization: Organization;
  let user: User;
  let disabled: User;
  let robot: User;

  beforeAll(async () => {
    organization = await startOrganization(dialect);
    user = await organization.addUser({
      username: 'User@example.com',
      password: 'user-password',
      roles: ['SystemAdministrator'],
    });
    disabled = await organization.addUser({
      username: 'disabled@example.com',
      password: 'disabled-password',
      enabled: false,
    });
    robot = await organization.addUser({ username: 'robot@example.com', userType: 'Robot' });
  });
  afterAll(() => organization.close());

  const post = async (url: string, body: unknown, headers?: Record<string, string>) =>
    organization.app.inject({
      method: 'POST',
      url,
      payload: JSON.stringify(body),
      headers: {
        'content-type': 'application/json',
        ...(headers ?? bearer(await organization.serviceToken(url, JSON.stringify(body)))),
      },
    });
  const check = async (username: string, password: string, from = address) =>
    (await post(passwordChecks, { username, password, address: from })).json<Record<string, unknown>>();
  const query = async (body: unknown) => (await post(userQueries, body)).json<{ users: { username: string }[] }>();

  describe.each([
    [passwordChecks, { username: 'user@example.com', password: 'user-password', address }],
    [userQueries, { usernames: ['user@example.com'] }],
  ])('POST %s', (url, body) => {
    const expectRefused = async (token: string) => {
      const response = await post(url, body, bearer(token));
      expect(response.statusCode).toBe(401);
      expect(response.headers['www-authenticate']).toContain('error="invalid_token"');
      expect(response.body).not.toContain('User@');
    };

    it('answers 401 without a token, whatever the body (RFC 6750 3)', async () => {
      for (const payload of [body, {}]) {
        const response = await post(url, payload, {});
        expect([response.statusCode, response.headers['www-authenticate']]).toEqual([401, 'Bearer']);
      }
    });

    it('answers 401 where the Authorization header is malformed', async () => {
      await expectRefused('one two');
    });

    it('refuses an access token, even an administrator’s and even for this audience', async () => {
      await expectRefused(await organization.accessToken(user));
      await expectRefused(await organization.accessToken(user, { aud: serviceTokenAudience(baseUrl) }));
    });

    it.each([
      ['typ at+jwt', {}, { typ: 'at+jwt' }],
      ['no typ', {}, { typ: undefined }],
      ['the audience of access tokens', { aud: baseUrl }, {}],
      ['another issuer', { iss: 'https://evil.example.com' }, {}],
      ['no expiry', { exp: undefined }, {}],
      ['no time of issue', { iat: undefined }, {}],
      ['no subject', { sub: undefined }, {}],
      ['an expiry in the past', { exp: 1 }, {}],
      ['no kid', {}, { kid: undefined }],
      ['no jti', { jti: undefined }, {}],
      ['a jti that is no text', { jti: [['x']] as never }, {}],
      ['no method', { htm: undefined }, {}],
      ['another method', { htm: 'GET' }, {}],
      ['no path', { path: undefined }, {}],
      ['another path', { path: '/internal/directory' }, {}],
      ['no digest', { digest: undefined }, {}],
      ['another digest', { digest: digestOf('{}') }, {}],
      ['the digest of no body', { digest: digestOf('') }, {}],
    ])('refuses a service token with %s', async (_what, claims, header) => {
      await expectRefused(await organization.serviceToken(url, JSON.stringify(body), claims, header));
    });

    it('takes a service token until it expires, 30 s later, and once', async () => {
      const token = await organization.serviceToken(url, JSON.stringify(body));
      const late = await organization.serviceToken(url, JSON.stringify(body));
      organization.time.now += 29_000;
      expect((await post(url, body, bearer(token))).statusCode).toBe(200);
      await expectRefused(token);
      organization.time.now += 1_000;
      await expectRefused(late);
    });

    it('remembers a used token until the clock of no replica takes it any more, 10 s after it expires', async () => {
      await post(url, body);
      const [row] = await organization.deps.database.query<{ last: number | string }>(
        'SELECT MAX(expires_at) AS last FROM used_identifiers',
      );
      expect(Number(row?.last)).toBe((organization.seconds() + serviceTokenLifetime + 10) * 1000);
    });

    it('compares the body as it came, before it is read', async () => {
      const text = ` ${JSON.stringify(body)}`;
      const send = async (payload: string | Buffer, signed: string) =>
        organization.app.inject({
          method: 'POST',
          url,
          payload,
          headers: { 'content-type': 'application/json', ...bearer(await organization.serviceToken(url, signed)) },
        });
      expect((await send(text, text)).statusCode).toBe(200);
      expect((await send(text.trim(), text)).statusCode).toBe(401);
      expect((await send('{', text)).statusCode).toBe(401);
      expect((await send('{', '{')).statusCode).toBe(400);
      expect((await send('', '')).statusCode).toBe(400);
      expect((await send('x'.repeat(6 * 65_536), text)).statusCode).toBe(401);
      expect((await send('x'.repeat(6 * 65_536 + 1_025), text)).statusCode).toBe(413);
    });

    it('takes JSON alone', async () => {
      const text = JSON.stringify(body);
      const headers = { 'content-type': 'text/plain', ...bearer(await organization.serviceToken(url, text)) };
      const response = await organization.app.inject({ method: 'POST', url, payload: text, headers });
      expect(response.statusCode).toBe(415);
    });

    it('answers 400 where there is no body, and lets nobody in', async () => {
      const headers = bearer(await organization.serviceToken(url, ''));
      expect((await organization.app.inject({ method: 'POST', url, headers })).statusCode).toBe(400);
    });

    it('refuses a service token that another key signed', async () => {
      const other = { ...(await createSigningKey()), kid: organization.signingKey.kid };
      const claims = { iss: authUrl, sub: authUrl, aud: serviceTokenAudience(baseUrl), iat: 1, exp: 4_000_000_000 };
      await expectRefused(await signJwt(other, claims, { typ: 'gatehouse-service+jwt' }));
    });

    it.each([[[]], [{ ...body, extra: 1 }], [{ username: 1, password: 2, address: 3 }], [{ ids: 'x' }]])(
      'refuses a faulty body: %j',
      async (faulty) => {
        const response = await post(url, faulty);
        expect(response.statusCode).toBe(400);
        expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
      },
    );
  });

  it('takes no token as used for a request whose body was not compared with it', async () => {
    const uncompared = {} as FastifyRequest;
    await expect(organization.deps.callers.serviceAuthentication.checkFirstUse(uncompared)).rejects.toMatchObject({
      status: 401,
    });
  });

  it('is no part of the public description', async () => {
    const response = await organization.app.inject('/openapi.json');
    expect(response.statusCode).toBe(200);
    expect(response.body).toContain('allDetails');
    expect(response.body).not.toContain('internal');
  });

  describe('a password check', () => {
    it('gives the user where the password is right, without its hash', async () => {
      const response = await post(passwordChecks, { username: 'USER@example.com', password: 'user-password', address });
      expect(response.statusCode).toBe(200);
      expect(response.json()).toEqual({
        outcome: 'verified',
        user: {
          id: user.id,
          username: 'User@example.com',
          userType: 'Person',
          firstName: '',
          lastName: '',
          email: 'User@example.com',
          emailVerified: false,
          enabled: true,
          roles: ['SystemAdministrator'],
          locale: 'en',
          timezone: 'UTC',
          updatedAt: user.updatedAt,
          secondStep: false,
          passwordChangedAt: user.passwordChangedAt,
        },
      });
      expect(response.body).not.toMatch(/argon2|passwordHash/);
    });

    it('says wrong of a wrong password, an unknown user, a Robot and odd names, and which user it is, if any', async () => {
      const userId = expect.any(String);
      expect(await check('user@example.com', 'User-password')).toEqual({ outcome: 'wrong', userId });
      expect(await check('user@example.com', '')).toEqual({ outcome: 'wrong', userId });
      expect(await check('user@example.com ', 'user-password')).toEqual({ outcome: 'wrong' });
      expect(await check('nobody@example.com', 'user-password')).toEqual({ outcome: 'wrong' });
      expect(await check('robot@example.com', '')).toEqual({ outcome: 'wrong', userId });
      expect(await check('\u0000', '\ud800')).toEqual({ outcome: 'wrong' });
      expect(await check('', '')).toEqual({ outcome: 'wrong' });
    });

    it('leaves it to the caller what a disabled user with the right password means', async () => {
      const verified = { outcome: 'verified', user: { enabled: false, id: disabled.id } };
      expect(await check('disabled@example.com', 'disabled-password')).toMatchObject(verified);
    });

    const readCounters = async () =>
      (await organization.app.inject('/metrics')).body
        .split('\n')
        .filter((line) => /^gatehouse_(authentication_refusals|password_checks)_total/.test(line));

    it('is not limited by right ones', async () => {
      const from = '203.0.113.22';
      for (let tries = 0; tries < 11; tries += 1) {
        expect((await check('user@example.com', 'user-password', from)).outcome).toBe('verified');
      }
    });

    it('is limited after ten right ones of a disabled user, as after wrong ones', async () => {
      const from = '203.0.113.21';
      const ask = () => check('disabled@example.com', 'disabled-password', from);
      for (let tries = 0; tries < 10; tries += 1) expect((await ask()).outcome).toBe('verified');
      const before = await readCounters();
      expect(await ask()).toEqual({ outcome: 'limited', retryAfter: 300 });
      const raised = (await readCounters()).filter((line) => !before.includes(line));
      expect(raised.map((line) => line.slice(0, line.lastIndexOf(' ')))).toEqual([
        'gatehouse_authentication_refusals_total{kind="password",reason="rate_limited"}',
        'gatehouse_password_checks_total{outcome="limited"}',
      ]);
    });

    it.each(['user@example.com', 'missing@example.com'])(
      'is limited after ten wrong ones for %s, in whatever case, and only at that address',
      async (username) => {
        organization.time.now += 10 * 60_000;
        const from = '203.0.113.1';
        for (let tries = 0; tries < 10; tries += 1) {
          const written = tries % 2 === 0 ? username : username.toUpperCase();
          expect((await check(written, `wrong-${tries}`, from)).outcome).toBe('wrong');
        }
        expect(await check(username, 'user-password', from)).toEqual({ outcome: 'limited', retryAfter: 300 });
        const elsewhere = await check(username, 'user-password', '203.0.113.2');
        expect(elsewhere.outcome).toBe(username === 'user@example.com' ? 'verified' : 'wrong');
        organization.time.now += 5 * 60_000;
        expect((await check(username, 'wrong', from)).outcome).toBe('wrong');
      },
    );
  });

  describe('a password check from a browser', () => {
    const checkFrom = async (from: string, password: string, browser: object) => {
      const knownBrowsers = [{ id: 'browser', userId: user.id, passwordChangedAt: user.passwordChangedAt, ...browser }];
      return (await post(passwordChecks, { username: user.username, password, address: from, knownBrowsers })).json<{
        outcome: string;
      }>();
    };

    it.each([
      ['in which this user signed in has tries of its own', {}, '203.0.113.11', 'verified'],
      ['in which another user signed in has none', { userId: 'another' }, '203.0.113.12', 'limited'],
      [
        'in which this user signed in with another password has none',
        { passwordChangedAt: 1 },
        '203.0.113.13',
        'limited',
      ],
    ])('%s', async (_, browser, from, outcome) => {
      for (let tries = 0; tries < 10; tries += 1) await check(user.username, `wrong-${tries}`, from);
      expect(await checkFrom(from, 'user-password', browser)).toMatchObject({ outcome });
    });

    it('of others is wrong for a user who is not there', async () => {
      const knownBrowsers = [{ id: 'browser', userId: user.id, passwordChangedAt: user.passwordChangedAt }];
      const answer = await post(passwordChecks, { username: 'no@example.com', password: 'x', address, knownBrowsers });
      expect(answer.json()).toEqual({ outcome: 'wrong' });
    });

    it('is refused after ten wrong ones, and then only there', async () => {
      const own = { id: 'worn-out' };
      const from = '203.0.113.14';
      for (let tries = 0; tries < 10; tries += 1) await checkFrom(from, `wrong-${tries}`, own);
      expect(await checkFrom(from, 'user-password', own)).toEqual({ outcome: 'limited', retryAfter: 300 });
      expect(await checkFrom('203.0.113.15', 'user-password', own)).toMatchObject({ outcome: 'limited' });
      expect((await check(user.username, 'user-password', from)).outcome).toBe('verified');
    });
  });

  describe('a password check that fails', () => {
    const checkWhere = async (error: Error) => {
      const { deps } = organization;
      const passwords = { ...deps.passwords, verifyPassword: () => Promise.reject(error) };
      const app = await buildApp({
        ...deps,
        metrics: createMetrics(),
        rooms: [createDirectory({ ...deps, passwords })],
      });
      const payload = JSON.stringify({ username: 'user@example.com', password: 'user-password', address });
      const token = await organization.serviceToken(passwordChecks, payload);
      const headers = { 'content-type': 'application/json', ...bearer(token) };
      const answer = await app.inject({ method: 'POST', url: passwordChecks, payload, headers });
      await app.close();
      return answer;
    };

    it('is busy where too many wait, with the time to come again', async () => {
      const answer = await checkWhere(new OverloadedError(7));
      expect([answer.statusCode, answer.json()]).toEqual([200, { outcome: 'busy', retryAfter: 7 }]);
    });

    it('is a 500 for any other reason', async () => {
      expect((await checkWhere(new Error('the database is gone'))).statusCode).toBe(500);
    });
  });

  describe('a question', () => {
    it.each([
      { requestId: 'é' },
      { requestId: 'r'.repeat(129) },
      { requestId: 'a\u0000b' },
      { address: 'é' },
      { address: '１９２.0.2.1' },
      { language: 'é' },
      { language: '\ufffd@en' },
      { language: '' },
    ])('takes as id of a request, an address or a language none that is no such name: %j', async (wrong) => {
      const right = { address, requestId: 'a-request', language: 'de-CH', name: 'nobody@example.com' };
      expect((await post(directoryPaths.linkRequests, right)).json()).toEqual({ outcome: 'off' });
      expect((await post(directoryPaths.linkRequests, { ...right, ...wrong })).statusCode).toBe(400);
    });

    it('takes a check of a password from no address that is none', async () => {
      const check = { username: user.username, password: 'user-password', address: 'é' };
      expect((await post(passwordChecks, check)).statusCode).toBe(400);
    });
  });

  describe('a method query', () => {
    it('answers 400 to what is the id of no user, and goes on', async () => {
      const nearly = [user.id.toUpperCase(), `${user.id} `, user.id.slice(1), user.id.replaceAll('-', '')];
      const wrongVersion = '00000000-0000-0000-8000-000000000000';
      for (const userId of ['', 'nobody', '__proto__', wrongVersion, ...nearly]) {
        expect((await post(directoryPaths.methodQueries, { userId })).statusCode).toBe(400);
      }
      const answer = await post(directoryPaths.methodQueries, { userId: user.id });
      expect(answer.json()).toMatchObject({ codeApp: false, passkeys: [] });
    });
  });

  describe('a user query', () => {
    it('finds users by id and by username, and passes over those that are not there', async () => {
      const { users } = await query({
        ids: [user.id, 'no-id', ''],
        usernames: ['ROBOT@example.com', 'nobody@example.com'],
      });
      expect(users).toEqual([buildDirectoryUser(user), buildDirectoryUser(robot)]);
      expect(JSON.stringify(users)).not.toMatch(/argon2|passwordHash/);
    });

    it('gives no member that only a later release knows', async () => {
      const stored = await organization.addUser({ username: 'later@example.com', nickname: 'Uschi' });
      const document = JSON.stringify({ nickname: 'Uschi', pronouns: 'she' });
      await organization.deps.database.execute('UPDATE users SET personal_data = ? WHERE username_key = ?', [
        document,
        stored.username,
      ]);
      const { users } = await query({ ids: [stored.id] });
      expect(users).toEqual([buildDirectoryUser(stored)]);
    });

    it('finds nobody where nobody is asked for', async () => {
      expect(await query({})).toEqual({ users: [] });
      expect(await query({ ids: [], usernames: [] })).toEqual({ users: [] });
    });

    it('takes 500 at a time and no more', async () => {
      const names = Array.from({ length: 500 }, (_, i) => `nobody${i}@example.com`);
      expect((await query({ usernames: names })).users).toEqual([]);
      expect((await post(userQueries, { usernames: [...names, 'one@more'] })).statusCode).toBe(400);
    });
  });
});
