import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Console } from './console.ts';

export type Environment = Record<string, string | undefined>;

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** How Node.js runs the services. */
export interface Running {
  /** Of the bundle, below the folder of the service. */
  folder: string;
  flags: readonly string[];
}

/** Starts a service, or the demo application, as a process of its own, with its data in the working directory. Its log lines are shown as they are where `LOG_LEVEL` is set. */
export function startService(name: string, env: Environment, console: Console, running: Running): ChildProcess {
  const { folder, flags } = name === 'demo' ? { folder: 'dist/application', flags: [] } : running;
  const script = `${root}${name === 'demo' ? 'packages' : 'apps'}/${name}/${folder}/main.js`;
  const service = spawn(process.execPath, ['--enable-source-maps', ...flags, script], {
    env: { ...env, LOG_LEVEL: env.LOG_LEVEL || 'info' },
    stdio: ['ignore', env.LOG_LEVEL ? 'inherit' : 'pipe', 'pipe'],
  });
  if (service.stdout !== null) createInterface(service.stdout).on('line', console.readLogLine);
  if (service.stderr !== null) createInterface(service.stderr).on('line', console.readErrorLine);
  return service;
}

/** Processes that end together. */
export interface ProcessGroup {
  /** Whether the first of them has ended, or they were told to. */
  isEnding(): boolean;
  /** Ends all of them gracefully, then this process with this code, or that of the first one to fail. */
  stop(code: number): void;
}

/** When one process ends, ends the others too. Ctrl+C, SIGTERM and a closed terminal end all gracefully. */
export function createProcessGroup(processes: readonly ChildProcess[]): ProcessGroup {
  let exitCode = 0;
  let isEnding = false;
  const stop = (code: number) => {
    exitCode ||= code;
    if (isEnding) return;
    isEnding = true;
    for (const each of processes) each.kill('SIGTERM');
  };
  // A process that a signal ended has no code.
  for (const each of processes) each.once('exit', (code) => stop(code ?? (isEnding ? 0 : 1)));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop(0));
  void Promise.all(processes.map((each) => once(each, 'close'))).then(() => process.exit(exitCode));
  return { isEnding: () => isEnding, stop };
}
