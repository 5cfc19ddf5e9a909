import type { Metrics } from './metrics.ts';

/** `left_out`: more were refused than are kept. `failed`: the database refuses the rows. */
const outcomes = ['stored', 'left_out', 'failed'] as const;

/** Counts refusals by whether they are kept; `amount` is 1 by default. */
export type CountRefusals = (outcome: (typeof outcomes)[number], amount?: number) => void;

export function createKeptRefusalCounter(metrics: Metrics): CountRefusals {
  const refusals = metrics.counter({
    name: 'gatehouse_refusals_total',
    help: 'Refused requests, by whether they are kept for administrators',
    labelNames: ['outcome'],
  });
  for (const outcome of outcomes) refusals.add([outcome], 0);
  return (outcome, amount) => refusals.add([outcome], amount);
}
