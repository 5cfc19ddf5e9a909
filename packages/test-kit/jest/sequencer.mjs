// Long files start first: one that starts last would run alone, while the other workers have nothing left to do. How long a file
// takes Jest remembers of its last run on this machine; a fresh clone reads it from seconds.json.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @type {typeof import('@jest/test-sequencer').default} Its types are those of CommonJS. */
const Sequencer = createRequire(import.meta.url)('@jest/test-sequencer').default;
/** @typedef {Parameters<InstanceType<typeof Sequencer>['sort']>[0][number]} Test */

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** @type {Record<string, number>} Seconds of the longest files, by project and path. */
const seconds = JSON.parse(readFileSync(new URL('seconds.json', import.meta.url), 'utf8'));

export default class LongestFirst extends Sequencer {
  /**
   * Files that failed in the last run come before all others, as with Jest's own sequencer.
   * @override
   * @param {Test[]} tests
   */
  sort(tests) {
    const known = tests.map((test) => {
      const [status, duration] = this._getCache(test)[test.path] ?? [];
      test.duration = duration ?? expectDuration(test);
      return { test, duration: test.duration, failed: Number(status === 0) };
    });
    known.sort((a, b) => b.failed - a.failed || b.duration - a.duration);
    return known.map(({ test }) => test);
  }

  /**
   * Shards that take about as long as each other: each file, longest first, goes to the one that has the least so far. The
   * times that a machine remembers play no part, as other machines run the other shards.
   * @override
   * @param {Test[]} tests
   * @param {import('@jest/test-sequencer').ShardOptions} options
   */
  shard(tests, { shardIndex, shardCount }) {
    const shards = Array.from({ length: shardCount }, () => ({ duration: 0, tests: /** @type {Test[]} */ ([]) }));
    const expected = tests.map((test) => ({ test, name: nameOf(test), duration: expectDuration(test) }));
    expected.sort((a, b) => b.duration - a.duration || (a.name < b.name ? -1 : 1));
    for (const { test, duration } of expected) {
      const least = shards.reduce((found, other) => (other.duration < found.duration ? other : found));
      least.duration += duration;
      least.tests.push(test);
    }
    return shards[shardIndex - 1]?.tests ?? [];
  }
}

/** @param {Test} test */
function nameOf({ path, context }) {
  return `${context.config.displayName?.name}: ${relative(root, path)}`;
}

/**
 * Milliseconds, the same on every machine. A file that is not listed takes one for each byte.
 * @param {Test} test
 */
function expectDuration(test) {
  const listed = seconds[nameOf(test)];
  return listed === undefined ? (test.context.hasteFS.getSize(test.path) ?? 0) : listed * 1000;
}
