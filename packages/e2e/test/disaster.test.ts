import { join } from 'node:path';
import { call, findFreePort, type ServiceName, type ServiceProcess, startServiceProcess } from '@gatehouse/test-kit';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { followPage, makeInstallation } from './support/backup-guide.ts';
import { waitFor } from './support/wait.ts';

const names: ServiceName[] = ['auth-server', 'org-api'];
const administrator: [string, string] = ['admin@example.com', 'admin-password'];
const client: [string, string] = ['an-application', 'the-secret-of-the-application'];
const keyOf = (text: string) => Buffer.alloc(32, text).toString('base64');
/** Milliseconds; some seconds where the machine has nothing else to do. */
const patience = 120_000;

interface Drill {
  heading: string;
  /** The services that stop before the loss. */
  stopped: ServiceName[];
  /** The services that start after it. */
  started: ServiceName[];
  /** The variable with another key from the loss on: its service starts before the command. */
  lostKey?: 'KEY_ENCRYPTION_KEY' | 'CREDENTIALS_KEY';
  /** The status of a refresh token of before. */
  refresh: number;
}

const drills: Drill[] = [
  { heading: '## Both databases are lost', stopped: names, started: names, refresh: 400 },
  { heading: '## The database of auth-server is lost', stopped: ['auth-server'], started: names, refresh: 400 },
  { heading: '## The database of org-api is lost', stopped: names, started: names, refresh: 400 },
  {
    heading: '## KEY_ENCRYPTION_KEY is lost',
    ...{ stopped: ['auth-server'], started: [], lostKey: 'KEY_ENCRYPTION_KEY', refresh: 200 },
  },
  {
    heading: '## CREDENTIALS_KEY is lost',
    ...{ stopped: ['org-api'], started: [], lostKey: 'CREDENTIALS_KEY', refresh: 200 },
  },
];

describe('docs/operations/disaster.md', () => {
  let installation: ReturnType<typeof makeInstallation>;
  let ports: Record<ServiceName, number>;
  let keys: Record<string, string>;
  const running = new Map<ServiceName, ServiceProcess>();

  beforeEach(async () => {
    installation = makeInstallation();
    ports = { 'auth-server': await findFreePort(), 'org-api': await findFreePort() };
    keys = { KEY_ENCRYPTION_KEY: keyOf('keys'), CREDENTIALS_KEY: keyOf('codes') };
    await Promise.all(names.map((name) => start(name)));
  });
  afterEach(async () => {
    for (const service of running.values()) await service.stop('SIGKILL');
    installation.remove();
  });

  const url = (name: ServiceName) => `http://localhost:${ports[name]}`;
  const envOf = (name: ServiceName) => ({
    ...{ AUTH_URL: url('auth-server'), BASE_URL: url('org-api'), DEMO_DATA: 'true', MIGRATE_ON_START: 'true' },
    DATABASE_URL: `sqlite:${join(installation.folder, '.data', `${name}.sqlite`)}`,
    ...keys,
  });
  const start = async (name: ServiceName, until: 'live' | 'ready' = 'ready') => {
    await running.get(name)?.stop();
    running.set(name, await startServiceProcess({ name, port: ports[name], env: envOf(name), until }));
  };
  const follow = (page: string, heading: string) => {
    const urls = { 'auth-server': url('auth-server'), 'org-api': url('org-api') };
    const env = { 'auth-server': envOf('auth-server'), 'org-api': envOf('org-api') };
    return followPage(page, heading, { folder: installation.folder, urls, env });
  };
  const ask = (form: Record<string, string>) => call(`${url('auth-server')}/oauth/token`, { basic: client, form });
  const signIn = () => ask({ grant_type: 'password', username: 'user@example.com', password: 'user-password' });
  const areReady = async () => {
    const answers = await Promise.all(names.map((name) => call(`${url(name)}/health/ready`).catch(() => undefined)));
    return answers.every((answer) => answer?.status === 200);
  };

  test.each(drills)(
    '$heading',
    async ({ heading, stopped, started, lostKey, refresh }) => {
      const json = { client_id: client[0], client_secret: client[1], scope: ['profile'] };
      const grants = { authorized_grant_types: ['password', 'refresh_token'] };
      const registered = await call(`${url('auth-server')}/clients`, {
        basic: administrator,
        json: { ...json, ...grants },
      });
      expect(registered.status).toBe(200);
      const before = (await signIn()).json<{ refresh_token: string }>();
      await follow('backup.md', '### Back up');

      const lostAt = performance.now();
      for (const name of stopped) await running.get(name)?.stop('SIGKILL');
      if (lostKey !== undefined) keys[lostKey] = keyOf('another');
      if (lostKey !== undefined) for (const name of stopped) await start(name, 'live');
      const commands = await follow('disaster.md', heading);
      await Promise.all(started.map((name) => start(name)));
      expect(await waitFor(areReady, (ready) => ready, 30_000)).toBe(true);
      const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1);
      process.stdout.write(
        `${heading}: ready after ${seconds(performance.now() - lostAt)} s, the commands ${seconds(commands)} s\n`,
      );

      expect((await signIn()).status).toBe(200);
      const form = { grant_type: 'refresh_token', refresh_token: before.refresh_token };
      expect((await ask(form)).status).toBe(refresh);
    },
    patience,
  );
});
