import { type Clock, type Logger, repeatByTimer } from '@gatehouse/service-kit';
import { createAuditTrail } from '@gatehouse/service-kit/audit';
import type { Database } from '@gatehouse/service-kit/database';
import { createAuditEventCounter, createKeptRefusalCounter, type Metrics } from '@gatehouse/service-kit/metrics';
import { createRefusals } from '@gatehouse/service-kit/refusals';
import type { Config } from '../config.ts';
import { createFactCounters } from './metrics.ts';

interface Needs {
  config: Pick<Config, 'auditRetentionDays'>;
  database: Database;
  metrics: Metrics;
  clock: Clock;
  log: Logger;
}

export type Events = ReturnType<typeof createEvents>;

/** Facts are counted; changes of users and refusals are audit events. Requests that were refused are kept for a day. */
export function createEvents({ config, database, metrics, clock, log }: Needs) {
  const count = createAuditEventCounter(metrics);
  const { auditRetentionDays: retentionDays } = config;
  const audit = createAuditTrail({ service: 'org-api', database, retentionDays, clock, log, count });
  const refusals = createRefusals({
    ...{ database, clock, log, repeat: repeatByTimer },
    count: createKeptRefusalCounter(metrics),
  });
  return {
    tell: createFactCounters(metrics),
    ...{ audit, refusals },
    async close() {
      await Promise.all([audit.close(), refusals.close()]);
    },
  };
}
