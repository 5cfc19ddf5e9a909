import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';

export type ServiceName = 'auth-server' | 'org-api';

/** A built service that runs as a process of its own, as it does in production. */
export interface ServiceProcess {
  url: string;
  pid: number;
  /** Milliseconds from the start of the process to its first answer. */
  startedIn: number;
  /** Everything it wrote so far. */
  output(): string;
  /** Sends the signal and gives the exit code; null where a signal ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Milliseconds a start may take, on a machine that has other things to do. */
const startLimit = 100_000;

/** Milliseconds before which none answers, so none is asked: each question takes time from the processes that start. */
const earliest = 200;

/** The folder of the repository. */
export const repositoryRoot = fileURLToPath(new URL('../../../', import.meta.url));

/** Starts `node apps/<name>/dist/main.js`; resolves as soon as it answers `/health/<until>`. */
export async function startServiceProcess(options: {
  name: ServiceName;
  port: number;
  env: Record<string, string>;
  until?: 'live' | 'ready';
  /** The folder of another build of the repository. */
  root?: string;
}): Promise<ServiceProcess> {
  const { name, port, env, until = 'ready', root = repositoryRoot } = options;
  const startedAt = performance.now();
  const child = spawn(process.execPath, [`apps/${name}/dist/main.js`], {
    cwd: root,
    env: { PATH: process.env.PATH, PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  const keep = (chunk: Buffer) => {
    chunks.push(chunk.toString());
    if (process.env.GATEHOUSE_TEST_LOG) appendFileSync(process.env.GATEHOUSE_TEST_LOG, chunk);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const output = () => chunks.join('');
  const url = `http://localhost:${port}`;

  // 'exit' may come before the last of its output does.
  const exited = once(child, 'close');
  await sleep(earliest);
  while (!(await answers(`http://127.0.0.1:${port}/health/${until}`))) {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}: ${output()}`);
    if (performance.now() - startedAt > startLimit) {
      child.kill('SIGKILL');
      throw new Error(`${name} does not answer: ${output()}`);
    }
    await sleep(40);
  }
  return {
    url,
    pid: child.pid as number,
    startedIn: Math.round(performance.now() - startedAt),
    output,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      const [code] = (await exited) as [number | null];
      return code;
    },
  };
}

/** Runs `node apps/<name>/dist/<script>.js` to its end. */
export async function runServiceScript(
  name: ServiceName,
  script: string,
  env: Record<string, string>,
  args: readonly string[] = [],
) {
  const child = spawn(process.execPath, [`apps/${name}/dist/${script}.js`, ...args], {
    cwd: repositoryRoot,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output: chunks.join('') };
}

/** Brings the database of a service up to date. */
export async function migrateService(name: ServiceName, env: Record<string, string>): Promise<void> {
  const { code, output } = await runServiceScript(name, 'migrate', env);
  if (code !== 0) throw new Error(`migration of ${name} failed: ${output}`);
}

async function answers(url: string): Promise<boolean> {
  try {
    const { statusCode, body } = await request(url, { reset: true });
    await body.dump();
    return statusCode === 200;
  } catch {
    return false;
  }
}
