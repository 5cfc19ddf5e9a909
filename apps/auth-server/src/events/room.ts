import type { Clock, Logger } from '@gatehouse/service-kit';
import { createAuditTrail } from '@gatehouse/service-kit/audit';
import type { Database } from '@gatehouse/service-kit/database';
import { createAuditEventCounter, type Metrics } from '@gatehouse/service-kit/metrics';
import { createEvents, type FindUsername } from './events.ts';
import { createFactCounters } from './metrics.ts';

interface Needs {
  config: { auditRetentionDays: number };
  database: Database;
  metrics: Metrics;
  /** The values of `grant_type`: each has a count from the beginning. */
  /** Called after a fact was told, so the organization room may be created later. */
  findUsername: FindUsername;
  clock: Clock;
  log: Logger;
}

export type Events = ReturnType<typeof createEventsRoom>;

/** Takes facts. The code that knows a fact tells it once; this room writes it to the audit trail and the metrics. */
export function createEventsRoom({ config, database, metrics, findUsername, clock, log }: Needs) {
  const audit = createAuditTrail({
    service: 'auth-server',
    database,
    retentionDays: config.auditRetentionDays,
    clock,
    log,
    count: createAuditEventCounter(metrics),
  });
  const count = createFactCounters(metrics);
  const { tell, record } = createEvents({ audit, count, findUsername });
  return { tell, record, audit, close: () => audit.close() };
}
