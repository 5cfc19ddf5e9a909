import { useQuery } from '@tanstack/preact-query';
import { type EventQuery, listAuditEvents } from '../api/events.ts';
import type { ApiRequest, Service } from '../api/request.ts';
import { useConsole } from '../console.ts';
import { mergePages } from '../parts/merge-pages.ts';
import type { ServiceEvent } from './service-event.ts';

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
          const items = body.events.map((event) => ({ ...event, service: request.service }));
          return { items, next: body.next_cursor ?? body.nextCursor };
        }),
      );
      return mergePages<ServiceEvent>(pages);
    },
    ...options,
  });
  return { answer, requests: requests as ApiRequest[] };
}
