// Runs before a test file that is to find two replicas of each service wherever it starts one: see jest.config.js.
import { jest } from '@jest/globals';

process.env.E2E_REPLICAS = '2';
// Twice the processes have to start.
jest.setTimeout(120_000);
