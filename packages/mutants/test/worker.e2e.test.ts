import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repositoryRoot } from '@gatehouse/test-kit';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createWorkerProcess } from '../src/worker-process.ts';
import type { WorkerAnswer } from '../src/worker-task.ts';

const worker = createWorkerProcess();
beforeAll(() => {
  const bundler = pathToFileURL(join(repositoryRoot, 'packages/mutants/jest/bundle.mjs')).href;
  execFileSync(process.execPath, ['-e', `import('${bundler}').then(({ bundleMutants }) => bundleMutants())`]);
}, 60_000);
afterAll(() => worker.close());

// Where these fail without any mutant, the mutants that only they notice all seem to survive.
it.each(['apps/auth-server/test/demo-client.test.ts', 'apps/org-api/test/first-users.test.ts'])(
  'runs %s, which starts a service, and finds what it comes by',
  async (file) => {
    const answer = await worker.run({ kind: 'record', file }, 50_000);
    expect(answer).toMatchObject({ recording: expect.anything() });
  },
);

it('fails a test that takes longer than its turn, and no other', async () => {
  const file = 'apps/org-api/test/first-users.test.ts';
  const { recording } = (await worker.run({ kind: 'record', file }, 50_000)) as WorkerAnswer;
  // The last one, which starts a service: what goes on of it after its time meets no other test.
  const { name: test = '' } = recording?.tests.at(-1) ?? {};
  const sweep = { kind: 'sweep', file, turns: [{ test, mutants: [], timeout: 1 }], withOthers: true } as const;
  expect(await worker.run(sweep, 50_000)).toMatchObject({ failures: [test] });
});
