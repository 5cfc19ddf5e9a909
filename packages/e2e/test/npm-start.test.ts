import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findFreePort, repositoryRoot } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { request } from 'undici';

const execute = promisify(execFile);
const { PATH } = process.env;

interface Run {
  process: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** The exit code, once all of its output is there. */
  ended: Promise<number | null>;
}

/** Runs what `npm start` runs, without the build, with its data in `folder`. */
function start(folder: string, env: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, [join(repositoryRoot, 'packages/demo/start.mjs'), '--built'], {
    cwd: folder,
    env: { PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    output.stdout += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    output.stderr += chunk;
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { process: child, stdout: () => output.stdout, stderr: () => output.stderr, ended };
}

async function until(holds: () => boolean, run: Run): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!holds()) {
    if (Date.now() > deadline || run.process.exitCode !== null) throw new Error(`${run.stdout()}\n${run.stderr()}`);
    await sleep(20);
  }
}

/** A port that nobody listens on, and whose next two are free as well. */
async function findPorts(): Promise<number> {
  for (;;) {
    const [port, next, last] = [await findFreePort(), await findFreePort(), await findFreePort()];
    if (next === port + 1 && last === port + 2) return port;
  }
}

describe('npm start', () => {
  let folder: string;
  let port: number;
  let run: Run;
  let authUrl: string;
  let baseUrl: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-start-'));
    port = await findPorts();
    [authUrl, baseUrl] = [`http://localhost:${port}`, `http://localhost:${port + 1}`];
    run = start(folder, { PORT: String(port), AUTH_ULR: 'http://localhost:7000' });
    await until(() => run.stdout().includes('to start from the beginning.\n'), run);
  });
  afterAll(async () => {
    run.process.kill('SIGTERM');
    await run.ended;
    await rm(folder, { recursive: true, force: true });
  });

  /** The lines that came on standard output since a moment. */
  const linesSince = (before: number) => run.stdout().slice(before).split('\n').slice(0, -1);

  test('prints the banner, with the ports that PORT names, and nothing else', async () => {
    const { buildBanner } = (await import(join(repositoryRoot, 'packages/demo/dist/banner.js'))) as {
      buildBanner(
        options: Record<'authUrl' | 'baseUrl' | 'demoUrl' | 'consoleUrl' | 'folder' | 'clientId', string>,
      ): string;
    };
    expect(run.stdout()).toBe(
      buildBanner({
        ...{ authUrl, baseUrl, demoUrl: `http://localhost:${port + 2}`, consoleUrl: `${authUrl}/console` },
        ...{ folder: `.data/${port}`, clientId: 'my-app' },
      }),
    );
  });

  test('warns once of a variable whose name is misspelt', () => {
    expect(run.stderr()).toBe('warning: AUTH_ULR is set, and Gatehouse has no such variable: did you mean AUTH_URL?\n');
  });

  test('prints commands that give a token and user details as they stand', async () => {
    const commands = run
      .stdout()
      .split('\n\n')
      .filter((block) => /^(curl|TOKEN)/.test(block));
    expect(commands).toHaveLength(3);
    const { stdout } = await execute('sh', ['-c', commands.join('\n')]);
    const [created, details = '', end] = stdout.split('\n');
    expect(created).toBe('client my-app created successfully under realm main');
    expect(JSON.parse(details)).toMatchObject({ username: 'user@example.com' });
    expect(end).toBe('');
  });

  test('prints a refused request as one line: method, path, status, reason; no query, no secret', async () => {
    const before = run.stdout().length;
    await request(`${authUrl}/nothing?code=hush-query`);
    await request(`${authUrl}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('my-app:hush-secret').toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'password', username: 'user@example.com', password: 'hush' }).toString(),
    });
    await request(`${baseUrl}/organization/api/organization/user`, { headers: { authorization: 'Bearer hush' } });
    // A mail about the sign-in of another test may go out meanwhile.
    const refusals = () => linesSince(before).filter((line) => !line.startsWith('mail to '));
    await until(() => refusals().length >= 3, run);
    await sleep(200);
    const lines = refusals().sort();
    expect(lines).toEqual([
      'GET /nothing 404 Not Found',
      expect.stringMatching(/^GET \/organization\/api\/organization\/user 401 \S+/),
      expect.stringMatching(/^POST \/oauth\/token 4\d\d \S+/),
    ]);
    expect(lines.join()).not.toContain('hush');
  });

  test('a second one says which ports are taken, by which processes, and what to do, and starts nothing', async () => {
    const startedAt = performance.now();
    const second = start(folder, { PORT: String(port) });
    expect(await second.ended).toBe(1);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(second.stdout()).toBe('');
    const owner = (name: string) => `node apps/${name}/dist/main\\.js \\(process \\d+\\)`;
    expect(second.stderr()).toMatch(
      new RegExp(
        `^npm start: port ${port} is taken by ${owner('auth-server')}, port ${port + 1} is taken by ${owner('org-api')}, ` +
          `port ${port + 2} is taken by node packages/demo/dist/application/main\\.js \\(process \\d+\\): ` +
          `stop what runs there, or choose other ports, such as \`PORT=\\d+ npm start\`\n$`,
      ),
    );
    expect((await request(`${authUrl}/health/ready`)).statusCode).toBe(200);
  });

  test('another one on other ports has data of its own, and leaves those of the first as they are', async () => {
    const otherPort = await findPorts();
    const other = start(folder, { PORT: String(otherPort) });
    await until(() => other.stdout().includes(`Data stays in .data/${otherPort}/`), other);
    expect(other.stdout()).toContain(`Open http://localhost:${otherPort + 2} in a browser`);
    // The name is free again: the other one has a database of its own.
    expect(other.stdout()).toContain('"client_id":"my-app"');
    const databases = ['auth-server.sqlite', 'org-api.sqlite'];
    for (const each of [port, otherPort]) {
      expect(await readdir(join(folder, '.data', String(each)))).toEqual(expect.arrayContaining(databases));
    }
    const callback = new URL(
      (await request(`http://localhost:${port + 2}/sign-in`, { method: 'POST' })).headers.location as string,
    );
    expect(callback.searchParams.get('redirect_uri')).toBe(`http://localhost:${port + 2}/callback`);
    expect((await request(callback)).statusCode).toBe(200);
    other.process.kill('SIGTERM');
    expect(await other.ended).toBe(0);
  });

  test('--help says how it is used, and starts nothing', async () => {
    const { stdout } = await execute(process.execPath, [join(repositoryRoot, 'packages/demo/start.mjs'), '--help']);
    expect(stdout).toMatch(/^usage: npm start\n.*PORT=9100 npm start.*DEMO_URL/s);
  });

  test('text answers end with a line end, so that the prompt of a shell stands below them', async () => {
    const paths = [
      `${authUrl}/oauth/userinfo`,
      `${authUrl}/nothing`,
      `${baseUrl}/nothing`,
      `${authUrl}/health/live`,
      `${baseUrl}/health/ready`,
    ];
    for (const url of [...paths, `${authUrl}/oauth/introspect`]) {
      const { body } = await request(url, { method: url.endsWith('introspect') ? 'POST' : 'GET' });
      expect(await body.text()).toMatch(/^\{.*\}\n$/);
    }
  });

  test('ends with 0 on Ctrl+C, which the terminal sends to all of its processes', async () => {
    const other = await mkdtemp(join(tmpdir(), 'gatehouse-start-'));
    const third = start(other, { PORT: String(await findPorts()) });
    await until(() => third.stdout() !== '', third);
    third.process.kill('SIGINT');
    expect([await third.ended, third.stderr()]).toEqual([0, '']);
    await rm(other, { recursive: true, force: true });
  });

  test.each([
    ['npm start: PORT must be an integer', { PORT: 'http' }],
    ['npm start: PORT is set beside AUTH_URL', { PORT: '9100', AUTH_URL: 'http://localhost:9000' }],
    ['npm start: DATABASE_URL is set', { DATABASE_URL: 'sqlite:/etc/passwd/y' }],
    ['npm start: NODE_ENV is production', { NODE_ENV: 'production' }],
    ['npm start: AUTH_URL must be', { AUTH_URL: 'nonsense' }],
    ['configuration: REALM must be', { REALM: 'two words', PORT: 'free' }],
    ['configuration: EXTRA_SCOPES must be separated by spaces', { EXTRA_SCOPES: 'a,b', PORT: 'free' }],
    ['configuration: TRUST_PROXY must be', { TRUST_PROXY: 'everybody', PORT: 'free' }],
  ])('says in one line what it cannot do, and exits with 1: %s', async (text, env: Record<string, string>) => {
    const other = await mkdtemp(join(tmpdir(), 'gatehouse-start-'));
    const refused = start(other, { ...env, ...(env.PORT === 'free' ? { PORT: String(await findPorts()) } : {}) });
    expect([await refused.ended, refused.stdout()]).toEqual([1, '']);
    expect(refused.stderr()).toMatch(/^[^\n]+\n$/);
    expect(refused.stderr()).toContain(text);
    await rm(other, { recursive: true, force: true });
  });
});

describe.each(['auth-server', 'org-api'])('%s, started by itself', (name) => {
  const runService = async (env: Record<string, string>) => {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-start-'));
    const main = join(repositoryRoot, `apps/${name}/dist/main.js`);
    await writeFile(join(folder, 'letter.txt'), 'Dear reader, this is no database. '.repeat(40));
    try {
      return await execute(process.execPath, [main], {
        cwd: folder,
        env: { PATH, PORT: '0', ...env },
        timeout: 20_000,
      });
    } catch (error) {
      return error as { code: number; stdout: string; stderr: string };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };

  test.each([
    ['sqlite:/etc/passwd/y', 'a part of its path is not a folder'],
    ['sqlite:/etc', 'it is a folder'],
    ['sqlite:letter.txt', 'it is not an SQLite database'],
  ])('refuses DATABASE_URL=%s at once, in one line', async (DATABASE_URL, reason) => {
    const path = DATABASE_URL.slice('sqlite:'.length);
    expect(await runService({ DATABASE_URL })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `configuration: DATABASE_URL: ${path} cannot be opened: ${reason}\n`,
    });
  });
});
