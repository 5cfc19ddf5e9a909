import type { Counter, Metrics } from './metrics.ts';

/** Counts those who did not prove who they are, or may not do what they ask: by kind, and by a closed set of reasons. */
export type CountRefusal = (kind: string, reason: string) => void;

/** `expected`: the pairs that are shown from the beginning, so that the first refusal is seen as an increase. */
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
