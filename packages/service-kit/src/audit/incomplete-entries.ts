import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../logging.ts';
import type { AuditEntry } from './audit-event.ts';

/** Entries that wait for a look-up, such as the name of a user. Each is recorded once. */
export interface IncompleteEntries {
  /** Records `known` itself where `complete` fails or does not end in time. */
  add(known: AuditEntry, complete: () => Promise<AuditEntry>): void;
  /** Waits at most `patience` milliseconds for the look-ups that are under way. */
  wait(patience: number): Promise<void>;
  /** The same, then records the remaining entries as they are. */
  finish(patience: number): Promise<void>;
}

interface Dependencies {
  tell(entry: AuditEntry): void;
  log: Logger;
}

export function createIncompleteEntries({ tell, log }: Dependencies): IncompleteEntries {
  const incomplete = new Map<AuditEntry, Promise<void>>();
  const tellOnce = (known: AuditEntry, entry: AuditEntry) => {
    if (incomplete.delete(known)) tell(entry);
  };
  const wait = async (patience: number) => {
    if (incomplete.size === 0) return;
    const timer = new AbortController();
    const late = sleep(patience, undefined, { signal: timer.signal }).catch(() => {});
    await Promise.race([Promise.all(incomplete.values()), late]);
    timer.abort();
  };
  return {
    add(known, complete) {
      const told = complete()
        .catch((error: unknown) => {
          log.error({ err: error, requestId: known.context?.requestId }, 'an audit event could not be completed');
          return known;
        })
        .then((entry) => tellOnce(known, entry));
      incomplete.set(known, told);
    },
    wait,
    async finish(patience) {
      await wait(patience);
      for (const known of incomplete.keys()) tellOnce(known, known);
    },
  };
}
