import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Ends every process that this run started, so that none outlives it. */
export interface Children {
  add(child: ChildProcess): void;
  /** Ends them at once. An interrupted run calls it. */
  killAll(): void;
}

export function createChildren(): Children {
  const running = new Set<ChildProcess>();
  let ended = false;
  return {
    add(child) {
      if (ended) child.kill('SIGKILL');
      running.add(child);
      child.once('exit', () => running.delete(child));
    },
    killAll() {
      ended = true;
      for (const child of running) child.kill('SIGKILL');
    },
  };
}

/** Milliseconds after which a process that was asked to end is ended. */
const patience = 12_000;

/** Asks a process to end, and waits until it has. */
export async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), patience);
  await exited;
  clearTimeout(force);
}
