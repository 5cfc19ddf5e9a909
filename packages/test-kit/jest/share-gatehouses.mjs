// Jest's globalSetup of tests that start processes: see packages/test-kit/src/shared-gatehouse.ts.
import { shareGatehouses } from '../dist/index.js';

export default async function setUp() {
  Object.assign(globalThis, { [Symbol.for('shared gatehouses')]: await shareGatehouses() });
}
