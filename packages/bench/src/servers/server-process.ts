import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { type Children, stopChild } from '../machine/children.ts';

/** A server that runs as a process of its own and is ready. */
export interface ServerProcess {
  pid: number;
  port: number;
  url: string;
  /** Milliseconds from the start of the process until it was ready. */
  readyIn: number;
  stop(): Promise<void>;
}

export interface ServerScript {
  /** Path of the script. */
  script: string;
  port: number;
  /** Answers 200 once the server is ready. */
  readyPath: string;
  env: Record<string, string>;
  /** File descriptor for the script's output. If absent, the output is discarded. */
  logFile?: number | undefined;
  children: Children;
}

const readyWithin = 30_000;

export async function startServer(options: ServerScript): Promise<ServerProcess> {
  const { script, port, readyPath, env, children, logFile = 'ignore' } = options;
  const startedAt = performance.now();
  const child = spawn(process.execPath, [script], {
    // The images have the same settings.
    env: { PATH: process.env.PATH, NODE_ENV: 'production', MALLOC_ARENA_MAX: '1', PORT: String(port), ...env },
    stdio: ['ignore', logFile, logFile === 'ignore' ? 'inherit' : logFile],
  });
  children.add(child);
  const url = `http://127.0.0.1:${port}`;
  while (!(await isReady(url + readyPath))) {
    const ended = child.exitCode ?? child.signalCode;
    if (ended !== null) throw new Error(`${script} ended with ${ended}`);
    if (performance.now() - startedAt > readyWithin) throw new Error(`${script} is not ready after ${readyWithin} ms`);
    await sleep(5);
  }
  const readyIn = performance.now() - startedAt;
  return { pid: child.pid as number, port, url, readyIn, stop: () => stopChild(child) };
}

async function isReady(url: string): Promise<boolean> {
  try {
    const { statusCode, body } = await request(url, { reset: true });
    await body.dump();
    return statusCode === 200;
  } catch {
    return false;
  }
}
