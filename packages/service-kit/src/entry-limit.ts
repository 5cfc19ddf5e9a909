/**
 * Options of an `LRUCache` of at most so many entries. Its own `max` reserves room for all of them at once, 2 MB for 50,000
 * with a lifetime, which a service at rest would hold for nothing.
 */
export function buildEntryLimit(most: number) {
  return { maxSize: most, sizeCalculation: countOne };
}

function countOne(): number {
  return 1;
}
