// Jest's globalSetup of tests that start processes: see packages/test-kit/src/shared-gatehouse.ts.
import { bundleSources } from '../../bundler/bundle-sources.mjs';
import { shareGatehouses } from '../dist/index.js';

export default async function setUp() {
  await bundleSources();
  Object.assign(globalThis, { [Symbol.for('shared gatehouses')]: await shareGatehouses() });
}
