import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Children } from '../machine/children.ts';
import type { LoadResult } from '../measurement/sample.ts';
import { type Load, type LoadSize, longestWarmup, type WindowObserver } from './load.ts';

/** Sends a load and says how the server took it. */
export type RunLoad = (load: Load, size: LoadSize, observer: WindowObserver) => Promise<LoadResult>;

export interface LoadGenerators {
  run: RunLoad;
  /** For the report. */
  description: string;
}

const wrkScript = fileURLToPath(new URL('../../wrk/requests.lua', import.meta.url));
const socketScript = fileURLToPath(new URL('./socket-load.js', import.meta.url));

/**
 * Chooses wrk, where it is installed, for requests that can be repeated, because it costs the least. The generator of this
 * package sends everything else.
 */
export function createLoadGenerators(options: { folder: string; children: Children }): LoadGenerators {
  // wrk has no way to say its version that ends with 0.
  const hasWrk = spawnSync('wrk', ['-v']).error === undefined;
  let files = 0;
  const write = async (name: string, content: string) => {
    files += 1;
    const path = join(options.folder, `${files}-${name}`);
    await writeFile(path, content, 'latin1');
    return path;
  };
  const run: RunLoad = async (load, size, observer) => {
    const requestsFile = await write('requests', load.requests.join('\0'));
    try {
      if (hasWrk && load.order === 'cycle' && !load.slow)
        return await runWrk({ ...options, requestsFile, load, size, observer });
      const plan = await write(
        'plan.json',
        JSON.stringify({ ...size, port: load.port, order: load.order, requestsFile }),
      );
      return await runSocketLoad({ ...options, plan, size, observer });
    } finally {
      await rm(requestsFile);
    }
  };
  return { run, description: hasWrk ? 'wrk, one thread; own generator for what is sent once or takes long' : 'own' };
}

interface WrkRun {
  requestsFile: string;
  load: Load;
  size: LoadSize;
  observer: WindowObserver;
  children: Children;
}

async function runWrk({ requestsFile, load, size, observer, children }: WrkRun): Promise<LoadResult> {
  const wrk = async (seconds: number) => {
    const sizes = ['-t1', `-c${size.connections}`, `-d${seconds}s`, '--timeout', '10s'];
    const target = [`http://127.0.0.1:${load.port}/`, '--', requestsFile];
    const child = spawn('wrk', [...sizes, '-s', wrkScript, ...target], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.add(child);
    return readResult(child);
  };
  const warm = size.warmupSeconds < 1 ? undefined : await wrk(Math.ceil(size.warmupSeconds));
  observer.begin();
  const result = await wrk(Math.ceil(size.seconds));
  observer.end();
  return { ...result, failures: result.failures + (warm?.failures ?? 0) };
}

interface SocketRun {
  plan: string;
  size: LoadSize;
  observer: WindowObserver;
  children: Children;
}

async function runSocketLoad({ plan, size, observer, children }: SocketRun): Promise<LoadResult> {
  const child = spawn(process.execPath, [socketScript, plan], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  const deadline = setTimeout(
    () => child.kill('SIGKILL'),
    (size.seconds + size.warmupSeconds + longestWarmup + 30) * 1000,
  );
  const result = await readResult(child, { onWindow: () => observer.begin(), onResult: () => observer.end() });
  clearTimeout(deadline);
  await rm(plan);
  return result;
}

/** Reads lines until the result, which is the one in braces; calls back when the window begins and when it has ended. */
export async function readResult(
  child: ChildProcess,
  { onWindow = () => {}, onResult = () => {} }: { onWindow?(): void; onResult?(): void } = {},
): Promise<LoadResult> {
  const exited = once(child, 'exit');
  let result: LoadResult | undefined;
  if (child.stdout !== null) {
    for await (const line of createInterface({ input: child.stdout })) {
      if (line === 'window') onWindow();
      if (!line.startsWith('{')) continue;
      onResult();
      result = JSON.parse(line) as LoadResult;
    }
  }
  await exited;
  if (result === undefined) throw new Error(`the load generator ended with ${child.exitCode ?? child.signalCode}`);
  return result;
}
