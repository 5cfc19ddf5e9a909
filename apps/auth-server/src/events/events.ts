import type { RequestContext } from '@gatehouse/service-kit';
import type { AuditEntry, AuditTrail } from '@gatehouse/service-kit/audit';
import { buildRecordedEntry, buildToldEntry } from './audit.ts';
import type { Fact, RecordFact, Tell } from './event.ts';

/** Finds the name of a user; undefined where org-api gives no answer now. */
export type FindUsername = (userId: string, context: RequestContext) => Promise<string | undefined>;

export interface Events {
  tell: Tell;
  record: RecordFact;
}

interface Dependencies {
  audit: Pick<AuditTrail, 'note' | 'write'>;
  count(fact: Fact): void;
  findUsername: FindUsername;
}

/** Counts each fact in the metrics and writes it to the audit trail. */
export function createEvents({ audit, count, findUsername }: Dependencies): Events {
  /** Adds the name of the user: facts about grants and sessions have only the id. */
  const addName = async (entry: AuditEntry, userId: string, context: RequestContext): Promise<AuditEntry> => {
    const named = { kind: 'user', id: userId, name: await findUsername(userId, context) } as const;
    const isUser = entry.actor.id === userId;
    return { ...entry, actor: isUser ? named : entry.actor, subject: named };
  };
  const note = (fact: Extract<Fact, { userId: string | undefined }>, entry: AuditEntry) => {
    const { userId, context } = fact;
    if (userId === undefined) audit.note(entry);
    // The name is looked up after the entry passed its budget, and no request waits for it.
    else audit.note(entry, () => addName(entry, userId, context));
  };

  return {
    tell(fact) {
      count(fact);
      const entry = buildToldEntry(fact);
      if (entry === undefined) return;
      if ('userId' in fact) note(fact, entry);
      else audit.note(entry);
    },
    record: (fact) => audit.write(buildRecordedEntry(fact)),
  };
}
