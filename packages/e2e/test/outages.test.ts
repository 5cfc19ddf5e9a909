import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  call,
  createTestBrowser,
  createTestDatabase,
  findFreePort,
  type Gatehouse,
  quickestDialect,
  runServiceScript,
  type ServiceName,
  type ServiceProcess,
  startGatehouse,
  startServiceProcess,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { buildAuthorizeUrl, signIn } from './support/authorization.ts';
import {
  type Credentials,
  passwordKind,
  postClient,
  redirectUri,
  registerClient,
  serviceAccountKind,
} from './support/clients.ts';
import { administrator, plainUser } from './support/people.ts';
import { buildRaw } from './support/raw-request.ts';
import { callOrNothing, callUntil, startAgain } from './support/services.ts';
import { startSlowOrganization } from './support/slow-organization.ts';
import { describeGatehouse, describeOnMysql } from './support/suite.ts';
import { getUserTokens, isActive, postToken } from './support/tokens.ts';
import { uniqueAddress, uniqueName } from './support/unique.ts';
import { getUserDetails, userDetailsUrl } from './support/users.ts';
import { waitFor } from './support/wait.ts';

const passwordForm = { grant_type: 'password', username: plainUser[0], password: plainUser[1] };

describe.each(testDialects)('outages, on %s', (dialect) => {
  let gatehouse: Gatehouse;
  let app: Credentials;
  /** Those that run now. A service that a test leaves stopped is started again after it. */
  const running = new Map<ServiceName, ServiceProcess>();
  const stop = (name: ServiceName) => {
    const service = running.get(name);
    running.delete(name);
    return service?.stop();
  };
  const start = async (name: ServiceName) => {
    running.set(name, await startAgain(gatehouse, name));
  };

  beforeAll(async () => {
    gatehouse = await startGatehouse({ dialect });
    running.set('auth-server', gatehouse.authServer).set('org-api', gatehouse.orgApi);
    app = await registerClient(gatehouse, passwordKind());
  });
  afterEach(async () => {
    if (running.size === 2) return;
    for (const name of ['auth-server', 'org-api'] as const) if (!running.has(name)) await start(name);
    const url = `${gatehouse.authUrl}/oauth/token`;
    expect(await callUntil(200, url, { basic: app, form: passwordForm })).toBe(200);
  });
  afterAll(async () => {
    await Promise.all([...running.values()].map((service) => service.stop('SIGKILL')));
    await gatehouse?.stop();
  });

  describe('while org-api is stopped', () => {
    let accessToken: string;
    let refreshToken: string;
    beforeEach(async () => {
      const tokens = await getUserTokens(gatehouse, app);
      accessToken = tokens.access_token;
      refreshToken = tokens.refresh_token ?? '';
      expect(await stop('org-api')).toBe(0);
    });

    test('auth-server answers as documented, stays ready, and recovers without a restart', async () => {
      const { authUrl } = gatehouse;
      const registration = await postClient(gatehouse, passwordKind({ client_id: 'wanted' }));
      expect([registration.status, registration.text]).toEqual([
        500,
        `creation of client wanted failed: internal server error, request id ${registration.headers['x-request-id']}`,
      ]);

      for (const form of [passwordForm, { grant_type: 'refresh_token', refresh_token: refreshToken }]) {
        const answer = await postToken(gatehouse, { basic: app, form });
        expect([answer.status, answer.json().error]).toEqual([503, 'temporarily_unavailable']);
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      }
      for (const answer of [
        await call(`${authUrl}/oauth/introspect`, { basic: app, form: { token: accessToken } }),
        await call(`${authUrl}/oauth/userinfo`, { bearer: accessToken }),
      ]) {
        expect([answer.status, answer.json().error]).toEqual([503, 'temporarily_unavailable']);
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      }
      expect((await call(`${authUrl}/health/ready`)).status).toBe(200);

      await start('org-api');
      expect(await callUntil(200, `${authUrl}/oauth/token`, { basic: app, form: passwordForm })).toBe(200);
      expect((await postClient(gatehouse, passwordKind({ client_id: 'wanted' }))).status).toBe(200);
      const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
      expect((await postToken(gatehouse, { basic: app, form })).status).toBe(200);
      expect(await isActive(gatehouse, app, accessToken)).toBe(true);
    });

    test('the sign-in page says that it does not work at the moment, and works again afterwards', async () => {
      const parameters = { response_type: 'code', client_id: app[0], redirect_uri: redirectUri };
      const url = buildAuthorizeUrl(gatehouse, parameters);
      const browser = createTestBrowser();
      const page = await signIn(url, plainUser, browser);
      expect(page.status).toBe(503);
      expect(page.text).toMatch(/role="alert"[^>]*>[^<]*does not work at the moment/);
      expect(Number(page.headers['retry-after'])).toBeGreaterThan(0);
      expect(page.text).toContain(plainUser[0]);
      expect(page.text).not.toContain(plainUser[1]);

      await start('org-api');
      const credentials = { username: plainUser[0], password: plainUser[1] };
      const again = await waitFor(
        () => browser.submit(page, `${gatehouse.authUrl}/oauth/sign-in`, credentials),
        ({ status }) => status === 303,
      );
      expect(again.status).toBe(303);
    });

    test('a client without a user still obtains tokens, and user details are gone', async () => {
      const answer = await callOrNothing(userDetailsUrl(gatehouse, plainUser[0]), { bearer: accessToken });
      expect(answer).toBeUndefined();
      await start('org-api');
      const client = await registerClient(gatehouse, passwordKind({ authorized_grant_types: ['client_credentials'] }));
      const machine = await registerClient(gatehouse, serviceAccountKind());
      await stop('org-api');
      const form = { grant_type: 'client_credentials' };
      const statuses = [client, machine].map(async (basic) => (await postToken(gatehouse, { basic, form })).status);
      expect(await Promise.all(statuses)).toEqual([200, 503]);
    });
  });

  test('while auth-server is stopped org-api goes on with the keys it has', async () => {
    const { access_token: token } = await getUserTokens(gatehouse, app);
    const before = await getUserDetails(gatehouse, plainUser[0], token);
    expect(await stop('auth-server')).toBe(0);
    const during = await getUserDetails(gatehouse, plainUser[0], token);
    const ready = await call(`${gatehouse.baseUrl}/health/ready`);
    expect([before.status, during.status, ready.status]).toEqual([200, 200, 200]);
    await start('auth-server');
    expect(await isActive(gatehouse, app, token)).toBe(true);
  });

  test('org-api that starts while auth-server is stopped answers 503 until there are keys, then recovers', async () => {
    const { access_token: token } = await getUserTokens(gatehouse, app);
    await Promise.all([stop('auth-server'), stop('org-api')]);
    await start('org-api');
    const answer = await getUserDetails(gatehouse, plainUser[0], token);
    expect(answer.status).toBe(503);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);

    await start('auth-server');
    expect(await callUntil(200, userDetailsUrl(gatehouse, plainUser[0]), { bearer: token })).toBe(200);
  });

  test('tokens, clients and keys outlive a restart of both services', async () => {
    const { access_token: token, refresh_token: refreshToken = '' } = await getUserTokens(gatehouse, app);
    await Promise.all([stop('auth-server'), stop('org-api')]);
    await Promise.all([start('auth-server'), start('org-api')]);
    expect((await getUserDetails(gatehouse, plainUser[0], token)).status).toBe(200);
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
    expect((await postToken(gatehouse, { basic: app, form })).status).toBe(200);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s to auth-server refuses new connections, finishes the request that runs, and ends with 0',
    async (signal) => {
      const organization = await startSlowOrganization();
      const env = { ...gatehouse.env['auth-server'], ORG_API_URL: organization.url };
      const service = await startServiceProcess({ name: 'auth-server', port: await findFreePort(), env });
      try {
        const asking = call(`${service.url}/oauth/token`, { basic: app, form: passwordForm });
        await waitFor(
          async () => organization.asked(),
          (count) => count > 0,
        );
        const ended = service.stop(signal);
        const isGone = async () =>
          (await callOrNothing(`http://127.0.0.1:${new URL(service.url).port}/health/live`)) === undefined;
        expect(await waitFor(isGone, (gone) => gone)).toBe(true);
        organization.release();
        const answer = await asking;
        expect([answer.status, answer.json().error]).toEqual([400, 'invalid_grant']);
        expect(await ended).toBe(0);
      } finally {
        organization.release();
        await service.stop();
        await organization.stop();
      }
    },
  );

  test('SIGTERM to org-api finishes the request that is still being sent, and ends with 0', async () => {
    const { access_token: bearer } = await getUserTokens(gatehouse, app, administrator);
    const body = JSON.stringify({ username: 'late@example.com', userType: 'Robot' });
    const bytes = buildRaw({
      method: 'POST',
      path: '/organization/api/organization/user',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body,
    });
    const socket = connect(Number(new URL(gatehouse.baseUrl).port), '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    const closed = once(socket, 'close');
    socket.write(bytes.subarray(0, -5));
    await sleep(500);
    const ended = stop('org-api');
    await sleep(500);
    socket.write(bytes.subarray(-5));
    await closed;
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    expect(await ended).toBe(0);
  });

  // This waits for nine seconds, whatever the database.
  if (dialect !== quickestDialect) return;

  test('SIGTERM to auth-server ends it with 0 within 10 seconds even where a request never ends', async () => {
    const env = gatehouse.env['auth-server'];
    const service = await startServiceProcess({ name: 'auth-server', port: await findFreePort(), env });
    const bytes = buildRaw({
      method: 'POST',
      path: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=password',
    });
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => {});
    try {
      // The last byte never comes.
      await new Promise((resolve) => socket.write(bytes.subarray(0, -1), resolve));
      await sleep(500);
      const signalledAt = performance.now();
      expect(await service.stop()).toBe(0);
      expect(performance.now() - signalledAt).toBeLessThan(10_000);
      expect(service.output()).toContain('some requests did not finish in time');
    } finally {
      socket.destroy();
      await service.stop();
    }
  });
});

describeGatehouse(
  'guessing',
  (getGatehouse) => {
    let gatehouse: Gatehouse;
    let app: Credentials;
    beforeAll(async () => {
      gatehouse = getGatehouse();
      app = await registerClient(gatehouse, passwordKind());
    });

    const guess = (address: string, username: string, password: string) =>
      postToken(gatehouse, {
        basic: app,
        form: { grant_type: 'password', username, password },
        headers: { 'x-forwarded-for': address },
      });

    test.each([
      ['exists', plainUser[0]],
      ['does not exist', 'nobody@example.com'],
    ])(
      'a password of a user who %s is slowed after 10 tries from one address, and not from another',
      async (_who, username) => {
        const address = uniqueAddress();
        const statuses: number[] = [];
        for (let count = 0; count < 10; count += 1) statuses.push((await guess(address, username, 'not-it')).status);
        expect(statuses).toEqual(Array<number>(10).fill(400));
        const limited = await guess(address, username, plainUser[1]);
        expect(limited.status).toBe(429);
        const retryAfter = Number(limited.headers['retry-after']);
        expect(retryAfter).toBeGreaterThan(0);
        expect(retryAfter).toBeLessThanOrEqual(300);
        expect((await guess(address, username.toUpperCase(), plainUser[1])).status).toBe(429);
        const elsewhere = await guess(uniqueAddress(), username, plainUser[1]);
        expect(elsewhere.status).toBe(username === plainUser[0] ? 200 : 400);
      },
    );

    test('is slowed at POST /clients and on the sign-in page as well', async () => {
      const address = uniqueAddress();
      const headers = { 'x-forwarded-for': address };
      const username = `${uniqueName('admin')}@example.com`;
      const basic: [string, string] = [username, 'not-it'];
      for (let count = 0; count < 10; count += 1) {
        expect((await postClient(gatehouse, passwordKind(), { basic, headers })).status).toBe(401);
      }
      const limited = await postClient(gatehouse, passwordKind({ client_id: 'wanted' }), { basic, headers });
      expect([limited.status, limited.text]).toEqual([
        429,
        expect.stringMatching(/^creation of client wanted failed: /),
      ]);
      expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);

      const parameters = { response_type: 'code', client_id: app[0], redirect_uri: redirectUri };
      const url = buildAuthorizeUrl(gatehouse, parameters);
      let page = await signIn(url, basic);
      for (let count = 0; count < 10; count += 1) page = await signIn(url, basic);
      expect([page.status, page.text]).toEqual([429, expect.stringMatching(/role="alert"[^>]*>Too many tries/)]);
      expect(Number(page.headers['retry-after'])).toBeGreaterThan(0);
    });

    test('a client secret is slowed after 10 tries from one address, and not from another', async () => {
      const address = uniqueAddress();
      const tryAs = (secret: string, from: string) =>
        postToken(gatehouse, {
          basic: [app[0], secret],
          form: passwordForm,
          headers: { 'x-forwarded-for': from },
        });
      const statuses: number[] = [];
      for (let count = 0; count < 10; count += 1) statuses.push((await tryAs('not-it', address)).status);
      expect(statuses).toEqual(Array<number>(10).fill(401));
      const limited = await tryAs(app[1], address);
      expect(limited.status).toBe(429);
      expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
      expect((await tryAs(app[1], uniqueAddress())).status).toBe(200);
    });

    test('is slowed after 100 tries from one address, whatever the usernames', async () => {
      const address = uniqueAddress();
      const statuses: number[] = [];
      for (let count = 0; count < 100; count += 1) {
        statuses.push((await guess(address, `${uniqueName('victim')}@example.com`, 'not-it')).status);
      }
      expect(new Set(statuses)).toEqual(new Set([400]));
      expect((await guess(address, plainUser[0], plainUser[1])).status).toBe(429);
      expect((await guess(uniqueAddress(), plainUser[0], plainUser[1])).status).toBe(200);
    });
  },
  { 'auth-server': { TRUST_PROXY: 'true' }, 'org-api': { TRUST_PROXY: 'true' } },
);

describeOnMysql('an empty database', (dialect) => {
  const expectNoTokens = async ({ url }: ServiceProcess) => {
    const answer = await call(`${url}/oauth/token`, { basic: ['a', 'b'], form: passwordForm });
    expect([answer.status, answer.json().error]).toEqual([503, 'temporarily_unavailable']);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  };

  test.each(['auth-server', 'org-api'] as const)(
    '%s is not ready and says so, gives no token, and becomes ready after migrate without a restart',
    async (name) => {
      const database = await createTestDatabase(dialect);
      const env = {
        DATABASE_URL: database.url,
        MIGRATE_ON_START: 'false',
        KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
        DEMO_DATA: 'true',
      };
      const service = await startServiceProcess({ name, port: await findFreePort(), env, until: 'live' });
      try {
        const readiness = () => call(`${service.url}/health/ready`);
        const before = await waitFor(readiness, ({ text }) => text.includes('migrate'));
        expect(before.status).toBe(503);
        expect(before.json()).toMatchObject({
          status: 'unavailable',
          checks: { database: expect.stringContaining('migrate.js') },
        });
        expect((await call(`${service.url}/health/live`)).status).toBe(200);
        if (name === 'auth-server') await expectNoTokens(service);

        expect(await runServiceScript(name, 'migrate', env)).toMatchObject({ code: 0 });
        const after = await waitFor(readiness, ({ status }) => status === 200);
        expect([after.status, after.json().status]).toEqual([200, 'ok']);
      } finally {
        await service.stop();
        await database.drop();
      }
    },
  );
});
