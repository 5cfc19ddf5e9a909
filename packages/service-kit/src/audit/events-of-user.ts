import type { AuditEvent } from './audit-event.ts';
import type { AuditTrail } from './audit-trail.ts';
import { mergeEvents } from './merge-events.ts';

/** A page of what a user did and what was done to the user. */
export interface EventsOfUserQuery {
  userId: string;
  /** The id of the last event of the page before. */
  after?: string | undefined;
  /** Milliseconds, inclusive. */
  from: number;
  limit: number;
}

/** Lists the events by or about a user, newest first. Each of the two lists comes from an index of its own. */
export async function listEventsOfUser(
  audit: Pick<AuditTrail, 'list'>,
  { userId, ...page }: EventsOfUserQuery,
): Promise<AuditEvent[]> {
  const lists = await Promise.all([audit.list({ ...page, actor: userId }), audit.list({ ...page, subject: userId })]);
  return mergeEvents(lists, page.limit);
}
