import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifier } from '@gatehouse/resource-server';
import {
  call,
  createTestBrowser,
  createTestDatabase,
  findFreePort,
  quickestDialect,
  repositoryRoot,
  type ServiceProcess,
  startServiceProcess,
  type TestDatabase,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Dispatcher, fetch as fetchBy } from 'undici';
import { createPkce, getLocation, signIn } from './support/authorization.ts';
import type { Credentials } from './support/clients.ts';
import { parseSteps, readBlocks, readGuide } from './support/guide.ts';
import { doSteps } from './support/guide-terminal.ts';
import { describeWithNginx, type Nginx, startNginx } from './support/nginx.ts';
import { readClaims, type TokenResponse } from './support/tokens.ts';

const page = readGuide('a-proxy-in-front.md');
const authUrl = 'https://auth.example.com';
const redirectUri = 'https://app.example.com/callback';
/** As the guide registers it. */
const client: Credentials = ['first-app', 'the-secret-of-the-first-app'];
const [, adminUsername = '', adminPassword = ''] = /^ADMIN=(.+?):(.+)$/m.exec(page) ?? [];

/** What the guide tells both services. */
function readSettings(adapt: (text: string) => string): Record<string, string> {
  const lines = adapt(readBlocks(page, 'ini')[0] ?? '')
    .trim()
    .split('\n');
  return Object.fromEntries(lines.map((line) => line.split('=', 2)));
}

describeWithNginx('docs/guides/a-proxy-in-front.md', () => {
  let nginx: Nginx;
  let databases: [TestDatabase, TestDatabase];
  let authServer: ServiceProcess;
  let orgApi: ServiceProcess;
  let dispatcher: Dispatcher;

  beforeAll(async () => {
    const [authPort, orgPort] = [await findFreePort(), await findFreePort()];
    nginx = await startNginx({ '127.0.0.1:9000': `127.0.0.1:${authPort}`, '127.0.0.1:9001': `127.0.0.1:${orgPort}` });
    databases = await Promise.all([createTestDatabase(quickestDialect), createTestDatabase(quickestDialect)]);
    const settings = { ...readSettings(nginx.adapt), MIGRATE_ON_START: 'true' };
    const ofAuthServer = { DATABASE_URL: databases[0].url, KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') };
    const ofOrgApi = {
      DATABASE_URL: databases[1].url,
      CREDENTIALS_KEY: randomBytes(32).toString('base64'),
      BOOTSTRAP_ADMIN_USERNAME: adminUsername,
      BOOTSTRAP_ADMIN_PASSWORD: adminPassword,
    };
    [authServer, orgApi] = await Promise.all([
      startServiceProcess({ name: 'auth-server', port: authPort, env: { ...settings, ...ofAuthServer } }),
      startServiceProcess({ name: 'org-api', port: orgPort, env: { ...settings, ...ofOrgApi } }),
    ]);
    await nginx.addSite(nginx.adapt(readBlocks(page, 'nginx')[0] ?? ''));
    const terminal = { folder: repositoryRoot, env: { ...process.env, ...nginx.env } };
    await doSteps(parseSteps(nginx.adapt(page)), terminal, 50_000);
    dispatcher = nginx.connect(join(nginx.folder, 'gatehouse/tls/ca.pem'));
  });
  afterAll(async () => {
    await dispatcher?.destroy();
    await nginx?.stop();
    await Promise.all([authServer?.stop('SIGKILL'), orgApi?.stop('SIGKILL')]);
    await Promise.all((databases ?? []).map((database) => database.drop()));
  });

  const getTokens = async (form: Record<string, string>): Promise<TokenResponse> => {
    const answer = await call(`${authUrl}/oauth/token`, { basic: client, form, dispatcher });
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    return answer.json<TokenResponse & Record<string, unknown>>();
  };

  test('its commands ran as they stand, and a person signs in behind it, with a state of 6,000 characters', async () => {
    const { verifier: codeVerifier, challenge } = createPkce();
    const state = randomBytes(4_500).toString('base64url');
    const parameters = {
      response_type: 'code',
      client_id: client[0],
      redirect_uri: redirectUri,
      scope: 'openid',
      state,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    };
    const url = `${authUrl}/oauth/authorize?${new URLSearchParams(parameters)}`;
    const browser = createTestBrowser(dispatcher);
    const location = getLocation(await signIn(url, [adminUsername, adminPassword], browser));
    expect(location.searchParams.get('state')).toBe(state);
    const code = location.searchParams.get('code') ?? '';
    const grant = { grant_type: 'authorization_code', code, redirect_uri: redirectUri };
    const { id_token: idToken = '' } = await getTokens({ ...grant, code_verifier: codeVerifier });
    expect(readClaims(idToken)).toMatchObject({ iss: authUrl, aud: client[0] });
  });

  test('a resource server waits for the status list through it, and refuses a revoked token within half a second', async () => {
    const api = verifier({
      issuer: authUrl,
      audience: 'https://api.example.com',
      fetch: (url, init) => fetchBy(url, { ...init, dispatcher }),
    });
    const form = { grant_type: 'password', username: adminUsername, password: adminPassword };
    const { access_token: token } = await getTokens(form);
    const ask = () => api.verify({ method: 'GET', url: '/', headers: { authorization: `Bearer ${token}` } });
    await ask();
    const start = performance.now();
    await call(`${authUrl}/oauth/revoke`, { basic: client, form: { token }, dispatcher });
    const askUntilRefused = async () => {
      for (; performance.now() - start < 10_000; await sleep(10)) await ask();
    };
    await expect(askUntilRefused()).rejects.toMatchObject({ code: 'invalid_token' });
    // Half a second where the machine has nothing else to do.
    expect(performance.now() - start).toBeLessThan(900);
    api.close();
  });

  test('leads no other host to the services', async () => {
    expect((await call('https://localhost/docs', { dispatcher }).catch((error: Error) => error)).toString()).toMatch(
      /altnames|certificate/,
    );
    const headers = { host: 'other.example.com' };
    expect((await call(`${authUrl}/docs`, { dispatcher, headers })).status).toBe(421);
  });

  test('gives the key set while auth-server is away, so that APIs go on', async () => {
    const keys = () => call(`${authUrl}/oauth/jwks`, { dispatcher });
    const before = await keys();
    await authServer.stop('SIGKILL');
    const after = await keys();
    expect([after.status, after.text]).toEqual([200, before.text]);
    expect((await call(`${authUrl}/docs`, { dispatcher })).status).toBe(502);
  });
});
