import type { TestResult } from '@jest/test-result';
import { createJestSession } from './jest/session.ts';
import { createRecorder } from './recorder.ts';
import { createTrial } from './trial.ts';
import { setWatch } from './watch.ts';
import type { WorkerAnswer, WorkerTask } from './worker-task.ts';

const session = await createJestSession();

async function answer(task: WorkerTask): Promise<Omit<WorkerAnswer, 'memory'>> {
  if (task.kind === 'record') return record(task.file);
  setWatch(createTrial(task));
  return { failed: !isGreen(await session.run(task.file)) };
}

async function record(file: string): Promise<Omit<WorkerAnswer, 'memory'>> {
  const recorder = createRecorder();
  setWatch(recorder);
  const startedAt = performance.now();
  const result = await session.run(file);
  return isGreen(result) ? { recording: recorder.read(performance.now() - startedAt) } : {};
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
// The leftovers of a mutant fail late, and belong to none of the next one.
process.on('uncaughtException', () => {});
process.on('disconnect', () => process.exit());
process.send?.('ready');
