import { createHash } from 'node:crypto';

const hashes = 2 ** 32;

/**
 * Whether a sample of so many percent has what is called `name`. It is the same in each run, and a larger sample has all of a
 * smaller one, so that a run goes on where one with a smaller sample ended. Pure.
 */
export function isInSample(name: string, percent: number): boolean {
  const drawn = createHash('sha256').update(name).digest().readUInt32BE();
  return drawn * 100 < percent * hashes;
}
