import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { listWorkspaceSources } from './packages/bundler/workspace-sources.mjs';

const { TEST_MYSQL_URL } = process.env;

const stripTypes = {
  jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};

/** Tests run as native ES modules, TypeScript is stripped by SWC. */
const common = {
  testEnvironment: '<rootDir>/packages/test-kit/jest/environment.mjs',
  roots: ['<rootDir>/apps', '<rootDir>/packages'],
  modulePathIgnorePatterns: ['/dist/.*package.json'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', stripTypes] },
};

/** Where a file stands or what it is called says what it does: these start processes, database servers or a browser. */
const startsProcesses = ['/packages/e2e/test/.*\\.test\\.ts$', '/test/.*\\.e2e\\.test\\.ts$'];

/** The sources of the services are bundled, and compiled once for all files (packages/test-kit/jest). */
const bundled = new URL('packages/test-kit/dist/packages/', import.meta.url);
/** CommonJS of other packages asks for a version of its own of the second. */
const notThere = ['load.js', 'ipaddr.js.js'];
const packagesOnceCompiled = Object.fromEntries(
  readdirSync(bundled)
    .filter((file) => file.endsWith('.js') && !notThere.includes(file))
    .map((file) => [`^${file.slice(0, -'.js'.length).replaceAll('+', '/')}$`, new URL(file, bundled).pathname]),
);

/** Tests of processes also load client libraries, which need versions of their own of these. */
const ownOfClientLibraries = ['ajv', 'jose', 'lru-cache', 'uuid'];
const packagesBesideClientLibraries = Object.fromEntries(
  Object.entries(packagesOnceCompiled).filter(([name]) => !ownOfClientLibraries.includes(name.slice(1, -1))),
);

/**
 * Sources are made one script, and compiled once for all files too. Coverage is counted file by file, and so takes each source
 * file for itself.
 */
const sourcesOnceCompiled = process.argv.some((argument) => argument.startsWith('--coverage'))
  ? {}
  : { transform: { '^.+\\.ts$': ['<rootDir>/packages/test-kit/jest/transform.mjs', stripTypes] } };
const workspaceSources = Object.fromEntries(listWorkspaceSources().map(({ pattern, file }) => [pattern, file]));

const inProcess = {
  ...common,
  ...sourcesOnceCompiled,
  displayName: 'in process',
  moduleNameMapper: { ...packagesOnceCompiled, ...workspaceSources },
  globalSetup: '<rootDir>/packages/test-kit/jest/bundle.mjs',
  testMatch: ['**/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', ...startsProcesses],
};

/**
 * Files that run a second time against two replicas of each service behind a balancer, on MySQL. Not here, and why:
 * `operations/` starts its own replicas; `outages`, `key-rotation`, `revocation-at-resource-servers`, `log-secrecy`
 * and `measurements` stop, change, read or measure one process; `documentation` and `manifests` start none;
 * `browser`, `consent-in-browser` and `hostile-input` are about one answer at a time, of any replica, and take minutes.
 */
const replicatedNames = [
  'interface',
  'postman',
  'client-libraries',
  'user-details-cli',
  'races',
  'endings',
  'ceilings',
  'journeys/consent',
  'journeys/consent-limits',
  'journeys/libraries',
  'journeys/proven-clients',
  'standards/*',
];
const replicated = replicatedNames.map((name) => `<rootDir>/packages/e2e/test/${name}.test.ts`);
/** Their requests meet within one process as well as between two, so they also run on MySQL with one of each. */
const alsoAtOneProcess = ['races', 'endings'];
const replicatedPatterns = replicatedNames
  .filter((name) => !alsoAtOneProcess.includes(name))
  .map((name) => `/packages/e2e/test/${name.replace('*', '[^/]+')}\\.test\\.ts$`);

const withProcesses = {
  ...common,
  ...sourcesOnceCompiled,
  moduleNameMapper: { ...packagesBesideClientLibraries, ...workspaceSources },
  globalSetup: '<rootDir>/packages/test-kit/jest/share-gatehouses.mjs',
  globalTeardown: '<rootDir>/packages/test-kit/jest/stop-gatehouses.mjs',
};

const oneOfEach = {
  ...withProcesses,
  displayName: 'one of each',
  testRegex: startsProcesses,
  testPathIgnorePatterns: ['/node_modules/', ...(TEST_MYSQL_URL ? replicatedPatterns : [])],
};

/**
 * The replicated files on SQLite too. On MySQL they run with two replicas of each service: these send the same statements,
 * and a balancer spreads the requests. Programs of others see no database: where there is MySQL, they run on it alone. What
 * depends on requests that meet within one process runs on MySQL with one of each too, by name.
 */
const programsOfOthers = ['postman', 'client-libraries', 'user-details-cli', 'journeys/libraries'];
const onSqlite = {
  ...withProcesses,
  displayName: 'one of each, on SQLite',
  testMatch: replicated.filter(
    (file) => ![...alsoAtOneProcess, ...programsOfOthers].some((name) => file.endsWith(`/${name}.test.ts`)),
  ),
  setupFilesAfterEnv: ['<rootDir>/packages/e2e/test/support/on-sqlite.ts'],
};

const withReplicas = {
  ...withProcesses,
  displayName: 'two replicas',
  testMatch: replicated,
  setupFilesAfterEnv: ['<rootDir>/packages/e2e/test/support/with-replicas.ts'],
};

/** One Jest run for every workspace; SQLite is one file on one machine, so replicas need MySQL. */
export default {
  projects: [inProcess, oneOfEach, ...(TEST_MYSQL_URL ? [onSqlite, withReplicas] : [])],
  reporters: ['default', '<rootDir>/packages/test-kit/dist/summary-reporter.js'],
  testSequencer: '<rootDir>/packages/test-kit/jest/sequencer.mjs',
  // Where it ends, a test hangs: other workers make some of them ten times as long.
  testTimeout: 120_000,
  // Tests wait for a part of their time, so there are twice as many workers as there are cores.
  // A worker that has grown all the same is replaced between two files.
  maxWorkers: availableParallelism() * 2,
  workerIdleMemoryLimit: '500MB',
};
