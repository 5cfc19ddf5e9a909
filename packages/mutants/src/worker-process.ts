import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { WorkerAnswer, WorkerTask } from './worker-task.ts';

/** A process that runs test files, replaced when it has grown, ended or run out of time. */
export interface WorkerProcess {
  /** `timeout`: not done within `milliseconds`; `ended`: the process ended. */
  run(task: WorkerTask, milliseconds: number): Promise<WorkerAnswer | 'timeout' | 'ended'>;
  close(): void;
}

/** Modules of test files that ran stay in memory. */
const mostMemory = 800 * 1024 * 1024;
const script = fileURLToPath(new URL('../dist/worker.js', import.meta.url));
const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

export function createWorkerProcess(): WorkerProcess {
  let child: ChildProcess | undefined;
  const end = () => {
    child?.removeAllListeners();
    child?.kill('SIGKILL');
    child = undefined;
  };
  return {
    async run(task, milliseconds) {
      child ??= await startChild();
      const answer = await ask(child, task, milliseconds);
      if (typeof answer === 'string' || answer.memory > mostMemory) end();
      return answer;
    },
    close: end,
  };
}

async function startChild(): Promise<ChildProcess> {
  const child = fork(script, { execArgv: flags, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve());
    child.once('exit', () => reject(new Error('the worker does not start')));
  });
  child.removeAllListeners();
  return child;
}

function ask(child: ChildProcess, task: WorkerTask, milliseconds: number): Promise<WorkerAnswer | 'timeout' | 'ended'> {
  return new Promise((resolve) => {
    const finish = (answer: WorkerAnswer | 'timeout' | 'ended') => {
      clearTimeout(timer);
      child.removeAllListeners();
      resolve(answer);
    };
    const timer = setTimeout(() => finish('timeout'), milliseconds);
    child.once('exit', () => finish('ended'));
    child.once('message', (answer) => finish(answer as WorkerAnswer));
    child.send(task);
  });
}
