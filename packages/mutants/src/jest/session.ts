import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TestResult } from '@jest/test-result';
import type { Config } from '@jest/types';
import { readConfig } from 'jest-config';
import { TestWatcher } from 'jest-watcher';
import { root } from '../sources.ts';

/** Jest, ready to run one test file after the other in this process. */
export interface JestSession {
  /** Undefined: the file could not be run at all. */
  run(file: string): Promise<TestResult | undefined>;
}

/** Their types are those of CommonJS, so they are taken as such. */
const require = createRequire(import.meta.url);
const { default: TestRunner } = require('jest-runner') as typeof import('jest-runner');
const { default: Runtime } = require('jest-runtime') as typeof import('jest-runtime');

const ignored = () => {};
const silent = { ...console, log: ignored, warn: ignored, error: ignored } as Console;

export async function createJestSession(): Promise<JestSession> {
  const argv = { $0: '', _: [], ci: true, watchman: false } as unknown as Config.Argv;
  const { globalConfig, projectConfig } = await readConfig(argv, await buildConfig(), true, root);
  const context = await Runtime.createContext(projectConfig, { console: silent, maxWorkers: 1, watchman: false });
  return {
    async run(file) {
      const runner = new TestRunner({ ...globalConfig, silent: true }, { changedFiles: undefined }, {});
      let result: TestResult | undefined;
      runner.on('test-file-success', ([, found]) => {
        result = found;
      });
      const test = { context, path: join(root, file) };
      await runner.runTests([test], new TestWatcher({ isWatchMode: false }), { serial: true });
      return result;
    },
  };
}

/** As jest.config.js runs the tests in process, but with mutants in the script of the sources. */
async function buildConfig(): Promise<Config.InitialOptions> {
  const { default: config } = (await import(pathToFileURL(join(root, 'jest.config.js')).href)) as {
    default: { projects: (Config.InitialOptions & { displayName: string })[] };
  };
  const inProcess = config.projects.find(({ displayName }) => displayName === 'in process');
  if (inProcess === undefined) throw new Error('jest.config.js has no project "in process"');
  const [pattern, transform] = Object.entries(inProcess.transform ?? {})[0] ?? [];
  return {
    ...inProcess,
    rootDir: root,
    // A busy machine takes long to start two services.
    testTimeout: 120_000,
    testEnvironment: join(root, 'packages/mutants/jest/environment.mjs'),
    transform: {
      [pattern ?? '']: [join(root, 'packages/mutants/jest/transformer.mjs'), transform?.[1] as object],
    },
  };
}
