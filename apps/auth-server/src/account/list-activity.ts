import type { Clock, RequestContext } from '@gatehouse/service-kit';
import { type AuditTrail, buildAuditEventView, listEventsOfUser, mergeEvents } from '@gatehouse/service-kit/audit';
import type { AccountData } from '@gatehouse/shared';
import type { FindAccount } from './find-account.ts';

/** Milliseconds for which users see what happened: 90 days. */
const shownFor = 90 * 86_400_000;
const pageLength = 50;

export type ActivityEvent = NonNullable<AccountData['events']>[number];

/** A page of what happened with an account, newest first. */
export interface Activity {
  account: AccountData;
  events: ActivityEvent[];
  /** The cursor of the next page; undefined on the last one. */
  next: string | undefined;
}

export type ListActivity = ReturnType<typeof createListActivity>;

interface Dependencies {
  audit: Pick<AuditTrail, 'list'>;
  findAccount: FindAccount;
  clock: Clock;
}

/** Lists the events by or about a user of both services. `after`: the id of the last event of the page before. */
export function createListActivity({ audit, findAccount, clock }: Dependencies) {
  return async (userId: string, after: string | undefined, context: RequestContext): Promise<Activity> => {
    const page = { from: clock() - shownFor, limit: pageLength + 1, ...(after !== undefined && { after }) };
    const [own, account] = await Promise.all([
      listEventsOfUser(audit, { userId, ...page }),
      findAccount({ userId, events: page }, context),
    ]);
    const merged = mergeEvents<ActivityEvent>([own.map(buildAuditEventView), account.events ?? []], pageLength + 1);
    const events = merged.slice(0, pageLength);
    return { account, events, next: merged.length > pageLength ? events.at(-1)?.id : undefined };
  };
}
