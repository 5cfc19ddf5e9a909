import config from './jest.config.js';

const inProcess = config.projects.find(({ displayName }) => displayName === 'in process');
const serviceKit = '<rootDir>/packages/service-kit/src';

/**
 * The tests in process, with what they run of both services and of service-kit: `npm run coverage`. Services take service-kit
 * from its sources here, so that what their tests run of it counts.
 */
export default {
  ...config,
  projects: [
    {
      ...inProcess,
      moduleNameMapper: {
        ...inProcess.moduleNameMapper,
        '^@gatehouse/service-kit$': `${serviceKit}/index.ts`,
        '^@gatehouse/service-kit/([\\w-]+)$': `${serviceKit}/$1/index.ts`,
      },
    },
  ],
  collectCoverage: true,
  collectCoverageFrom: ['apps/*/src/**/*.ts', 'packages/service-kit/src/**/*.ts', '!**/*.d.ts'],
  coverageReporters: ['text-summary', 'json-summary'],
};
