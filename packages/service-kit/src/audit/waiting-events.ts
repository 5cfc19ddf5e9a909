import { isDatabaseAway } from '../database/database-errors.ts';
import type { Logger } from '../logging.ts';
import type { CountAuditEvents } from '../metrics/audit-events.ts';
import type { AuditEvent } from './audit-event.ts';
import type { AuditEventStore } from './audit-event-store.ts';
import { buildAuditEventView } from './audit-event-view.ts';

/** Rows of one statement. */
const batchSize = 100;
/** Events that may wait while the database is away. */
const capacity = 10_000;
/** Milliseconds after which waiting events are stored. */
const flushInterval = 1_000;

/** Events that wait to be stored, many by one statement. */
export interface WaitingEvents {
  add(events: readonly AuditEvent[]): void;
  /** Stores waiting events; never rejects. Events that cannot be stored now keep waiting. */
  flush(): Promise<void>;
  /** Stops storing from time to time. Gives the number of events that are not stored. */
  stop(): number;
}

interface Dependencies {
  store: AuditEventStore;
  log: Logger;
  count: CountAuditEvents;
}

export function createWaitingEvents({ store, log, count }: Dependencies): WaitingEvents {
  const waiting: AuditEvent[] = [];
  let flushing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** An event that the database refuses for good must not keep the others from being stored. */
  const storeOneByOne = async (batch: readonly AuditEvent[]) => {
    for (const event of batch) {
      try {
        await store.insert([event]);
        count('stored');
      } catch (error) {
        if (isDatabaseAway(error)) throw error;
        const audit = [buildAuditEventView(event)];
        log.error({ err: error, audit }, 'an audit event could not be stored; this line holds it');
        count('failed');
      }
      waiting.shift();
    }
  };
  const storeBatch = async (batch: readonly AuditEvent[]) => {
    try {
      await store.insert(batch);
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      return storeOneByOne(batch);
    }
    count('stored', batch.length);
    waiting.splice(0, batch.length);
  };
  const storeBatches = async () => {
    try {
      while (waiting.length > 0) await storeBatch(waiting.slice(0, batchSize));
    } catch {
      // The database is away: the events keep waiting.
    }
  };
  const flush = () => {
    flushing ??= storeBatches().finally(() => {
      flushing = undefined;
    });
    return flushing;
  };
  const schedule = () => {
    timer ??= setTimeout(async () => {
      await flush();
      timer = undefined;
      if (waiting.length > 0) schedule();
    }, flushInterval).unref();
  };
  const drop = (events: number) => {
    log.error({ events }, 'too many audit events wait for the database: these stay lines in the log');
    count('dropped', events);
  };

  return {
    add(events) {
      const room = Math.max(0, capacity - waiting.length);
      waiting.push(...events.slice(0, room));
      if (events.length > room) drop(events.length - room);
      if (waiting.length > 0) schedule();
    },
    flush,
    stop() {
      clearTimeout(timer);
      count('dropped', waiting.length);
      return waiting.length;
    },
  };
}
