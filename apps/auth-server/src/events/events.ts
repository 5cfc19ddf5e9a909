import { noteKnown, type RequestContext } from '@gatehouse/service-kit';
import type { AuditEntry, AuditTrail } from '@gatehouse/service-kit/audit';
import { buildRecordedEntry, buildToldEntry } from './audit.ts';
import type { Fact, RecordedFact } from './event.ts';
import { findKnown } from './known.ts';

/** Finds the name of a user; undefined where org-api gives no answer now. */
export type FindUsername = (userId: string, context: RequestContext) => Promise<string | undefined>;

interface Dependencies {
  audit: Pick<AuditTrail, 'note' | 'write'>;
  count(fact: Fact): void;
  findUsername: FindUsername;
}

export type Events = ReturnType<typeof createEvents>;

/** Counts each fact, writes it to the audit trail, and keeps with its request what it says of that. */
export function createEvents({ audit, count, findUsername }: Dependencies) {
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
    /** Returns at once and never throws. */
    tell(fact: Fact): void {
      count(fact);
      const known = findKnown(fact);
      if (known !== undefined && 'context' in fact) noteKnown(fact.context, known);
      const entry = buildToldEntry(fact);
      if (entry === undefined) return;
      if ('userId' in fact) note(fact, entry);
      else audit.note(entry);
    },
    /** Resolves once the fact is stored, or is queued because storing failed. Never rejects. */
    record: (fact: RecordedFact): Promise<void> => audit.write(buildRecordedEntry(fact)),
  };
}
