import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createTestTimes } from './test-times.ts';
import type { WorkerAnswer, WorkerEnd, WorkerProgress, WorkerTask } from './worker-task.ts';

/** A process that runs test files, replaced when it has grown, ended or run out of time. */
export interface WorkerProcess {
  /** `patience`: milliseconds until it answers, or begins or ends a test of a sweep; the whole sweep has three times as many. */
  run(task: WorkerTask, patience: number): Promise<WorkerAnswer | WorkerEnd>;
  close(): void;
}

/** Modules of test files that ran stay in memory. */
const mostMemory = 800 * 1024 * 1024;
const script = fileURLToPath(new URL('../dist/worker.js', import.meta.url));
/** For a whole sweep: where a mutant left something behind that makes each later test wait, they all end in time. */
const patiences = 3;
/** Milliseconds more for the first task of a process, which loads what all of them need. */
const warmUp = 8_000;
/** A test that takes longer than this part of the patience is slow. */
const slowTests = 6;
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
      const isNew = child === undefined;
      child ??= await startChild();
      const answer = await ask(child, task, { patience, toBegin: patience + (isNew ? warmUp : 0) });
      if ('reason' in answer || answer.memory > mostMemory) end();
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

/** `toBegin`: milliseconds until it says or answers anything. */
function ask(
  child: ChildProcess,
  task: WorkerTask,
  { patience, toBegin }: { patience: number; toBegin: number },
): Promise<WorkerAnswer | WorkerEnd> {
  return new Promise((resolve) => {
    const tests = createTestTimes(patience / slowTests);
    const finish = (answer: WorkerAnswer | WorkerEnd) => {
      for (const timer of [silence, whole]) clearTimeout(timer);
      child.removeAllListeners();
      resolve(answer);
    };
    const giveUp = () => finish({ reason: 'timeout', ...tests.running() });
    let silence = setTimeout(giveUp, toBegin);
    const whole = setTimeout(() => finish({ reason: 'timeout', ...tests.slow() }), toBegin + patience * patiences);
    child.once('exit', () => finish({ reason: 'ended', ...tests.running() }));
    child.on('message', (said: WorkerAnswer | WorkerProgress) => {
      if (!('running' in said)) return finish(said);
      tests.note(said.running);
      clearTimeout(silence);
      silence = setTimeout(giveUp, patience);
    });
    child.send(task);
  });
}
