/** One Jest run for every workspace: tests run as native ES modules, TypeScript is stripped by SWC. */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/apps', '<rootDir>/packages'],
  testMatch: ['**/test/**/*.test.ts'],
  modulePathIgnorePatterns: ['/dist/.*package.json'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2023', parser: { syntax: 'typescript' } }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
  reporters: ['default', '<rootDir>/packages/test-kit/dist/summary-reporter.js'],
  testTimeout: 60_000,
};
