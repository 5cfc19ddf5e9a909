import type { Counter, Metrics } from './metrics.ts';

/** Counts refused authentications and missing rights, by kind and by a closed set of reasons. */
export type CountRefusal = (kind: string, reason: string) => void;

/** `expected` lists the pairs that exist from the start with 0, so that the first refusal shows as an increase. */
export function createRefusalCounter(
  metrics: Metrics,
  expected: Readonly<Record<string, readonly string[]>>,
): CountRefusal {
  const refusals: Counter = metrics.counter({
    name: 'gatehouse_authentication_refusals_total',
    help: 'Refused authentications, by kind of caller and reason',
    labelNames: ['kind', 'reason'],
  });
  for (const [kind, reasons] of Object.entries(expected)) {
    for (const reason of reasons) refusals.add([kind, reason], 0);
  }
  return (kind, reason) => refusals.add([kind, reason]);
}
