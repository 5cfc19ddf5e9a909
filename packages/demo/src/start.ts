import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { buildBanner } from './banner.ts';

/*
 * `npm start`: both services as processes of their own, each on its embedded SQLite database under .data/, with the
 * demo users, and a banner that says what to do next.
 */

const root = fileURLToPath(new URL('../../../', import.meta.url));
const authUrl = process.env.AUTH_URL ?? 'http://localhost:9000';
const baseUrl = process.env.BASE_URL ?? 'http://localhost:9001';
const readyWithin = 60_000;

const services = [start('org-api', baseUrl, { DEMO_DATA: 'true' }), start('auth-server', authUrl, {})];
stopTogether();
await Promise.all([waitUntilReady(baseUrl), waitUntilReady(authUrl)]);
process.stdout.write(buildBanner({ authUrl, baseUrl, clientId: await chooseClientId() }));

function start(name: string, url: string, extra: Record<string, string>) {
  const { DATABASE_URL: _theirOwn, NODE_ENV: _development, ...inherited } = process.env;
  const { port, protocol } = new URL(url);
  const env = {
    LOG_LEVEL: 'warn',
    ...inherited,
    AUTH_URL: authUrl,
    BASE_URL: baseUrl,
    PORT: port || (protocol === 'https:' ? '443' : '80'),
    ...extra,
  };
  return spawn(process.execPath, ['--enable-source-maps', `apps/${name}/dist/main.js`], {
    cwd: root,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

/** When one service ends, ends the other too. Ctrl+C ends both gracefully. */
function stopTogether(): void {
  let exitCode = 0;
  const stopAll = () => {
    for (const service of services) service.kill('SIGTERM');
  };
  for (const service of services) {
    service.once('exit', (code) => {
      exitCode ||= code ?? 0;
      stopAll();
    });
  }
  process.once('SIGINT', stopAll);
  process.once('SIGTERM', stopAll);
  void Promise.all(services.map((service) => once(service, 'exit'))).then(() => process.exit(exitCode));
}

async function waitUntilReady(url: string): Promise<void> {
  const deadline = Date.now() + readyWithin;
  while (!(await isReady(url))) {
    if (Date.now() > deadline) throw new Error(`${url} did not become ready in time`);
    await sleep(50);
  }
}

async function isReady(url: string): Promise<boolean> {
  const answer = await request(`${url}/health/ready`).catch(() => undefined);
  await answer?.body.dump();
  return answer?.statusCode === 200;
}

/** A client_id that is free, so that the banner's commands work after every start. */
async function chooseClientId(): Promise<string> {
  const authorization = `Basic ${Buffer.from('admin@example.com:admin-password').toString('base64')}`;
  for (let number = 1; ; number += 1) {
    const clientId = number === 1 ? 'my-app' : `my-app-${number}`;
    const { statusCode, body } = await request(`${authUrl}/clients/${clientId}`, { headers: { authorization } });
    await body.dump();
    if (statusCode !== 200) return clientId;
  }
}
