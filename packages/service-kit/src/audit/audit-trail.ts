import type { Clock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import type { Logger } from '../logging.ts';
import type { CountAuditEvents } from '../metrics/audit-events.ts';
import { type AuditEntry, type AuditEvent, createBuildAuditEvent } from './audit-event.ts';
import { type AuditQuery, createAuditEventStore } from './audit-event-store.ts';
import { buildAuditEventView } from './audit-event-view.ts';
import { createIncompleteEntries } from './incomplete-entries.ts';
import { createRefusalBudget } from './refusal-budget.ts';
import { createWaitingEvents } from './waiting-events.ts';

/** Writes each event as a log line at once, and as a row. Nothing here rejects: a failure to record undoes no change. */
export interface AuditTrail {
  /** For changes by administrators and users. Resolves once the rows are stored, or are queued because storing failed. */
  write(...entries: readonly AuditEntry[]): Promise<void>;
  /**
   * For facts whose request must not wait for a row, such as a sign-in or a refusal. The row follows within a second.
   * Where a name is missing, `complete` looks it up; its result is recorded instead of `entry`. Refusals, and repeated refresh tokens, beyond the
   * budget are not recorded, and `complete` is not called for them. One event for each window says how many there were.
   */
  note(entry: AuditEntry, complete?: () => Promise<AuditEntry>): void;
  /** Stores what this process has not stored yet, then lists, newest first. It waits half a second for missing names. */
  list(query: AuditQuery): Promise<AuditEvent[]>;
  /** Records incomplete entries and stores waiting events, within seconds. Call it before the database is closed. */
  close(): Promise<void>;
}

interface Dependencies {
  /** The name of the service: the actor of the events that count left-out refusals. */
  service: string;
  database: Database;
  retentionDays: number;
  clock: Clock;
  log: Logger;
  count?: CountAuditEvents;
}

/** Milliseconds that the end of the process, and a list, wait for incomplete entries. */
const completionPatience = 2_000;
const listPatience = 500;
/** Milliseconds between two checks for windows of refusals that are over. */
const leftOutInterval = 10_000;

export function createAuditTrail(deps: Dependencies): AuditTrail {
  const { service, database, retentionDays, clock, log, count = () => {} } = deps;
  const store = createAuditEventStore(database, retentionDays);
  const waiting = createWaitingEvents({ store, log, count });
  const buildEvent = createBuildAuditEvent(clock);
  const budget = createRefusalBudget({
    service,
    clock,
    onSpent: (type, about) =>
      log.warn({ type, about }, 'more refusals than are written to the audit trail; their requests stay in the log'),
  });

  /** The line comes first: it remains where the process is killed before the row is stored. */
  const tell = (entry: AuditEntry): AuditEvent => {
    const event = buildEvent(entry);
    log.info({ requestId: event.requestId, audit: buildAuditEventView(event) }, 'audit');
    return event;
  };
  const tellAndWait = (entry: AuditEntry) => waiting.add([tell(entry)]);
  const incomplete = createIncompleteEntries({ tell: tellAndWait, log });
  const isWithinBudget = (entry: AuditEntry) =>
    entry.context === undefined || !isBudgeted(entry.type) || budget.isAffordable(entry);
  const tellLeftOut = (windows: 'over' | 'all') => {
    for (const entry of budget.takeLeftOut(windows)) tellAndWait(entry);
  };
  const watch = setInterval(tellLeftOut, leftOutInterval, 'over').unref();

  return {
    async write(...entries) {
      const events = entries.map(tell);
      try {
        await store.insert(events);
        count('stored', events.length);
      } catch (error) {
        log.error(
          { err: error, audit: events.map(buildAuditEventView) },
          'audit events could not be stored; they will be tried again',
        );
        waiting.add(events);
      }
    },
    note(entry, complete) {
      if (!isWithinBudget(entry)) return;
      if (complete === undefined) tellAndWait(entry);
      else incomplete.add(entry, complete);
    },
    async list(query) {
      tellLeftOut('over');
      await incomplete.wait(listPatience);
      await waiting.flush();
      return store.list(query);
    },
    async close() {
      clearInterval(watch);
      tellLeftOut('all');
      // Complete events come first, because the time for incomplete ones is limited.
      await waiting.flush();
      await incomplete.finish(completionPatience);
      await waiting.flush();
      const left = waiting.stop();
      if (left > 0) log.error({ events: left }, 'audit events were not stored; their lines in the log hold them');
    },
  };
}

/** Events that callers can cause without end: refusals, and retries of one refresh token, as many as they send within seconds. */
function isBudgeted(type: AuditEntry['type']): boolean {
  return type.endsWith('refused') || type === 'refresh_token.repeated';
}
