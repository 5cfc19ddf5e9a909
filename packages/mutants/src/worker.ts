import type { TestResult } from '@jest/test-result';
import { createJestSession } from './jest/session.ts';
import { createRecorder } from './recorder.ts';
import { createSweep } from './sweep.ts';
import { createTrial } from './trial.ts';
import { setWatch } from './watch.ts';
import type { WorkerAnswer, WorkerProgress, WorkerTask } from './worker-task.ts';

type Answer = Omit<WorkerAnswer, 'memory'>;

const session = await createJestSession();

async function answer(task: WorkerTask): Promise<Answer> {
  if (task.kind === 'record') return record(task.file);
  return task.kind === 'sweep' ? sweep(task) : tryMutant(task);
}

async function record(file: string): Promise<Answer> {
  const recorder = createRecorder();
  setWatch(recorder);
  const startedAt = performance.now();
  const result = await session.run(file);
  return isGreen(result) ? { recording: recorder.read(performance.now() - startedAt) } : {};
}

async function tryMutant(task: WorkerTask & { kind: 'try' }): Promise<Answer> {
  const trial = createTrial(task);
  setWatch(trial);
  const result = await session.run(task.file);
  const test = trial.killer();
  return { failed: !isGreen(result), ...(test !== undefined && { test }) };
}

async function sweep({ file, turns, withOthers }: WorkerTask & { kind: 'sweep' }): Promise<Answer> {
  // Said before the test runs: one that never ends can say nothing.
  const onRunning = (test: string | null) => void process.send?.({ running: test } satisfies WorkerProgress);
  const watch = createSweep(turns, withOthers, onRunning);
  setWatch(watch);
  const result = await session.run(file);
  return result === undefined || result.testExecError ? {} : { failures: watch.failures() };
}

function isGreen(result: TestResult | undefined): boolean {
  return result !== undefined && result.numFailingTests === 0 && !result.testExecError && !result.failureMessage;
}

process.on('message', (task: WorkerTask) => {
  answer(task).then(
    (found) => process.send?.({ ...found, memory: process.memoryUsage().rss } satisfies WorkerAnswer),
    () => process.exit(1),
  );
});
// What a mutant left behind fails late, and is none of the next one's.
process.on('uncaughtException', () => {});
// Nobody waits for an answer any more.
process.on('disconnect', () => process.exit());
process.send?.('ready');
