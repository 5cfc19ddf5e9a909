import type { Mutant } from './syntax/mutant.ts';

/** What became of a mutant. */
export interface Result {
  source: string;
  /** Of the source file and, where the mutant survived, of everything else: what changed is tried again. */
  hash: string;
  mutant: Mutant;
  outcome: 'killed' | 'timeout' | 'survived' | 'not reached';
  /** The test file that failed, and the test, where it was one. */
  killer?: string;
  test?: string;
  /** Test files that come by it, and how many of them ran. */
  reaching: number;
  ran: number;
  milliseconds: number;
}

/** A mutant, and the file that it is in. */
export type Named = Pick<Result, 'source' | 'mutant'>;

export function isAlive({ outcome }: Pick<Result, 'outcome'>): boolean {
  return outcome === 'survived' || outcome === 'not reached';
}
