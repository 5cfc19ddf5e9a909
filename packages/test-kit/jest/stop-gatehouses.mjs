// Jest's globalTeardown of tests that start processes.
export default async function tearDown() {
  const shared = /** @type {Record<symbol, { stop(): Promise<void> }>} */ (/** @type {unknown} */ (globalThis));
  await shared[Symbol.for('shared gatehouses')]?.stop();
}
