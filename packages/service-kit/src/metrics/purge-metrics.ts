import { type Clock, toSeconds } from '../clock.ts';
import type { PurgeObserver } from '../database/purge-expired.ts';
import type { Metrics } from './metrics.ts';

/** Measures the purge: deleted rows, failures, and the time of the last round without a failure. */
export function createPurgeObserver(metrics: Metrics, tables: readonly string[], clock: Clock): PurgeObserver {
  const rows = metrics.counter({
    name: 'gatehouse_purged_rows_total',
    help: 'Expired rows deleted, by table',
    labelNames: ['table'],
  });
  const failures = metrics.counter({
    name: 'gatehouse_purge_failures_total',
    help: 'Deletions of expired rows that failed, by table',
    labelNames: ['table'],
  });
  for (const table of tables) {
    rows.add([table], 0);
    failures.add([table], 0);
  }
  let finishedAt = clock();
  metrics.gauge(
    {
      name: 'gatehouse_purge_last_success_timestamp_seconds',
      help: 'When expired rows of every table were last deleted without failure; at first, the start of the process',
    },
    () => [[[], toSeconds(finishedAt)]],
  );
  return {
    deleted: (table, count) => rows.add([table], count),
    failed: (table) => failures.add([table]),
    finished() {
      finishedAt = clock();
    },
  };
}
