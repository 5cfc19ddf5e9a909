import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repositoryRoot } from '@gatehouse/test-kit';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createWorkerProcess } from '../src/worker-process.ts';

const worker = createWorkerProcess();
beforeAll(() => {
  const bundler = pathToFileURL(join(repositoryRoot, 'packages/mutants/jest/bundle.mjs')).href;
  execFileSync(process.execPath, ['-e', `import('${bundler}').then(({ bundleMutants }) => bundleMutants())`]);
}, 60_000);
afterAll(() => worker.close());

// Where these fail without any mutant, the mutants that only they notice all seem to survive.
it.each(['apps/auth-server/test/grants/demo-client.test.ts', 'apps/org-api/test/first-users.test.ts'])(
  'runs %s, which starts a service, and finds what it comes by',
  async (file) => {
    const answer = await worker.run({ kind: 'record', file }, 50_000);
    expect(answer).toMatchObject({ recording: expect.anything() });
  },
);
