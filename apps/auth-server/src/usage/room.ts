import { type Clock, type Logger, repeatByTimer } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import { createUsageCountStore } from './usage-count-store.ts';
import { createUsageCounts } from './usage-counts.ts';

interface Needs {
  database: Database;
  clock: Clock;
  log: Logger;
}

export type Usage = ReturnType<typeof createUsage>;

/** Counts what is used, by hour and by day, and reads the counts of all processes. */
export function createUsage({ database, clock, log }: Needs) {
  const store = createUsageCountStore(database);
  const usageCounts = createUsageCounts({ store, clock, repeat: repeatByTimer, log });
  return { usageCounts, usageCountStore: store };
}
