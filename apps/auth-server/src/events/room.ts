import { type Clock, type Logger, repeatByTimer } from '@gatehouse/service-kit';
import { createAuditTrail } from '@gatehouse/service-kit/audit';
import type { Database } from '@gatehouse/service-kit/database';
import { createAuditEventCounter, createKeptRefusalCounter, type Metrics } from '@gatehouse/service-kit/metrics';
import { createRefusals } from '@gatehouse/service-kit/refusals';
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

/**
 * Takes facts. The code that knows a fact tells it once; this room writes it to the audit trail and the metrics. It keeps the requests
 * that were refused, too.
 */
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
  const refusals = createRefusals({
    ...{ database, clock, log, repeat: repeatByTimer },
    count: createKeptRefusalCounter(metrics),
  });
  return {
    ...{ tell, record, audit, refusals },
    async close() {
      await Promise.all([audit.close(), refusals.close()]);
    },
  };
}
