import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { WorkerAnswer, WorkerTask } from './worker-task.ts';

/** A process that runs test files. It is replaced when it has grown, ended or run out of time. */
export interface WorkerProcess {
  /** Undefined where the process ended or gave no answer within `patience` milliseconds. */
  run(task: WorkerTask, patience: number): Promise<WorkerAnswer | undefined>;
  close(): void;
}

/** Bytes. Modules of test files that ran stay in memory. */
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
    async run(task, patience) {
      child ??= await startChild();
      const answer = await ask(child, task, patience);
      if (answer === undefined || answer.memory > mostMemory) end();
      return answer;
    },
    close: end,
  };
}

async function startChild(): Promise<ChildProcess> {
  const child = fork(script, { execArgv: flags, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const [said] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (said !== 'ready') throw new Error('the worker does not start');
  return child;
}

function ask(child: ChildProcess, task: WorkerTask, patience: number): Promise<WorkerAnswer | undefined> {
  return new Promise((resolve) => {
    const finish = (answer?: WorkerAnswer) => {
      clearTimeout(timer);
      child.removeAllListeners();
      resolve(answer);
    };
    const timer = setTimeout(finish, patience);
    child.once('exit', () => finish());
    child.once('message', finish);
    child.send(task);
  });
}
