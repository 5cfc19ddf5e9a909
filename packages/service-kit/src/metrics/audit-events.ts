import type { Counter, Metrics } from './metrics.ts';

/** `dropped`: the event found no room to wait for the database, or no time. `failed`: the database refuses the row. */
const outcomes = ['stored', 'dropped', 'failed'] as const;

/** Counts audit events by the outcome of their rows; `amount` is 1 by default. */
export type CountAuditEvents = (outcome: (typeof outcomes)[number], amount?: number) => void;

export function createAuditEventCounter(metrics: Metrics): CountAuditEvents {
  const events: Counter = metrics.counter({
    name: 'gatehouse_audit_events_total',
    help: 'Audit events, by what became of their rows',
    labelNames: ['outcome'],
  });
  for (const outcome of outcomes) events.add([outcome], 0);
  return (outcome, amount) => events.add([outcome], amount);
}
