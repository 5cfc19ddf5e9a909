import { describe, expect, test } from '@jest/globals';
import { LRUCache } from 'lru-cache';
import { buildEntryLimit } from '../src/entry-limit.ts';

describe('a cache with a limit of entries', () => {
  test('forgets the entry that was not used for longest, once it is full', () => {
    const cache = new LRUCache<string, number>({ ttl: 60_000, ...buildEntryLimit(3) });
    for (const [index, name] of ['a', 'b', 'c'].entries()) cache.set(name, index);
    cache.get('a');
    cache.set('d', 3);
    cache.set('d', 4);
    expect([...cache.keys()].sort()).toEqual(['a', 'c', 'd']);
    expect(cache.get('d')).toBe(4);
  });

  test('reserves no room for entries that are not there', () => {
    const before = process.memoryUsage();
    const caches = Array.from({ length: 20 }, () => new LRUCache<string, number>(buildEntryLimit(1_000_000)));
    const after = process.memoryUsage();
    expect(caches).toHaveLength(20);
    // With `max` it would be 16 MB for each.
    expect(after.heapUsed - before.heapUsed).toBeLessThan(20_000_000);
  });
});
