import type { Metrics } from '@gatehouse/service-kit/metrics';
import type { NoPlace } from './waiting-places.ts';

/** Why a caller was answered at once that asked to wait. */
export type RefusedWait = NoPlace | 'stopping';

/** Tells operators of callers that wait for a status list to change, and of those that may not. */
export interface MeterWaits {
  /** `count` gives how many wait now. */
  observe(count: () => number): void;
  refused(reason: RefusedWait): void;
}

const reasons: readonly RefusedWait[] = ['process', 'network', 'client', 'stopping'];

export function meterWaits(metrics: Metrics): MeterWaits {
  const refused = metrics.counter({
    name: 'gatehouse_status_list_refused_waits_total',
    help: 'Callers that asked to wait for a status list and were answered at once, by reason',
    labelNames: ['reason'],
  });
  for (const reason of reasons) refused.add([reason], 0);
  return {
    observe(count) {
      const help = 'Callers that wait for a status list to change';
      metrics.gauge({ name: 'gatehouse_status_list_waiting_readers', help }, () => [[[], count()]]);
    },
    refused: (reason) => refused.add([reason]),
  };
}
