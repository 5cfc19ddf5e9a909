import type { Mutant } from './syntax/mutant.ts';

/** The fate of a mutant. */
export interface Result {
  source: string;
  mutant: Mutant;
  outcome: 'killed' | 'survived' | 'not reached';
  /** Test files that come by it, and how many of them ran. */
  reaching: number;
  ran: number;
}

export function isAlive({ outcome }: Pick<Result, 'outcome'>): boolean {
  return outcome !== 'killed';
}
