import { type EventQuery, listAuditEvents } from '../api/events.ts';
import type { Service } from '../api/request.ts';
import { useMergedLists } from '../parts/use-merged-lists.ts';

export interface EventSource {
  service: Service;
  query: EventQuery;
}

/** Events of several lists as one page. */
export function useEvents(sources: readonly EventSource[], options: { refetchInterval?: number | false } = {}) {
  const requests = sources.map(({ service, query }) => listAuditEvents(service, { limit: 50, ...query }));
  return { answer: useMergedLists(requests, ({ events }) => events, options), requests };
}
