import { useQuery } from '@tanstack/preact-query';
import { type EventQuery, listAuditEvents } from '../api/events.ts';
import type { ApiRequest, Service } from '../api/request.ts';
import { useConsole } from '../console.ts';
import { mergeEvents } from './merge.ts';

export interface EventSource {
  service: Service;
  query: EventQuery;
}

/** Events of several lists as one page. */
export function useEvents(sources: readonly EventSource[], options: { refetchInterval?: number | false } = {}) {
  const { send } = useConsole();
  const requests = sources.map(({ service, query }) => listAuditEvents(service, { limit: 50, ...query }));
  const answer = useQuery({
    queryKey: ['events', sources],
    queryFn: async () => {
      const pages = await Promise.all(
        requests.map(async (request) => {
          const { body } = await send(request);
          return { service: request.service, events: body.events, next: body.next_cursor ?? body.nextCursor };
        }),
      );
      return mergeEvents(pages);
    },
    ...options,
  });
  return { answer, requests: requests as ApiRequest[] };
}
