import config from './jest.config.js';

/**
 * The tests in process, with what they run of both services and of service-kit: `npm run coverage`. It fails below the threshold,
 * which takes both databases: set `TEST_MYSQL_URL`.
 */
export default {
  ...config,
  projects: config.projects.filter(({ displayName }) => displayName === 'in process'),
  collectCoverageFrom: ['apps/*/src/**/*.ts', 'packages/service-kit/src/**/*.ts', '!**/*.d.ts'],
  coverageReporters: ['text-summary', 'json-summary', 'html'],
  coverageThreshold: { global: { lines: 95, branches: 92 } },
};
