import { type Clock, type Logger, repeatByTimer } from '@gatehouse/service-kit';
import { createAuditTrail } from '@gatehouse/service-kit/audit';
import type { Database } from '@gatehouse/service-kit/database';
import { createAuditEventCounter, createKeptRefusalCounter, type Metrics } from '@gatehouse/service-kit/metrics';
import { createRefusals } from '@gatehouse/service-kit/refusals';
import type { Usage } from '../usage/room.ts';
import type { Fact } from './event.ts';
import { createEvents, type FindUsername } from './events.ts';
import { createFactCounters } from './metrics.ts';
import { createUsageCounters } from './usage.ts';

interface Needs {
  config: { auditRetentionDays: number };
  database: Database;
  metrics: Metrics;
  usage: Usage;
  /** Called after a fact was told, so the organization room may be created later. */
  findUsername: FindUsername;
  clock: Clock;
  log: Logger;
}

export type Events = ReturnType<typeof createEventsRoom>;

/**
 * Takes facts. The code that knows a fact tells it once; this room writes it to the audit trail, the metrics and the counts of use. It
 * keeps the requests that were refused, too.
 */
export function createEventsRoom({ config, database, metrics, usage, findUsername, clock, log }: Needs) {
  const audit = createAuditTrail({
    service: 'auth-server',
    database,
    retentionDays: config.auditRetentionDays,
    clock,
    log,
    count: createAuditEventCounter(metrics),
  });
  const countMetrics = createFactCounters(metrics);
  const { count: countUse } = usage.usageCounts;
  const countUsage = createUsageCounters(usage.usageCounts);
  const count = (fact: Fact) => {
    countMetrics(fact);
    countUsage(fact);
  };
  const { tell, record } = createEvents({ audit, count, findUsername });
  const refusals = createRefusals({
    ...{ database, clock, log, repeat: repeatByTimer },
    count: createKeptRefusalCounter(metrics),
    onRefusal: (code, clientId) => countUse('refusals', code, clientId),
  });
  return {
    ...{ tell, record, audit, refusals },
    async close() {
      await Promise.all([audit.close(), refusals.close()]);
    },
  };
}
