import { useQuery } from '@tanstack/preact-query';
import type { ApiRequest, Send, Service } from '../api/request.ts';
import { useConsole } from '../console.ts';
import { mergePages } from './merge-pages.ts';

/** A page of a list; each service has its own name for the cursor. */
interface Page {
  next_cursor?: string;
  nextCursor?: string;
}

interface Options {
  /** Milliseconds. */
  refetchInterval?: number | false;
  /** In place of sending as it is. */
  through?: (send: Send) => Send;
}

/** The answers of several lists as one page, each item with the service that has it. */
export function useMergedLists<Body extends Page, Item extends { id: string }>(
  requests: readonly ApiRequest<Body>[],
  itemsOf: (body: Body) => readonly Item[],
  { through = (send) => send, ...options }: Options = {},
) {
  const { send: sendPlain } = useConsole();
  return useQuery({
    queryKey: ['merged', requests.map(({ service, path, query }) => [service, path, query])],
    queryFn: async () => {
      const send = through(sendPlain);
      const pages = await Promise.all(
        requests.map(async (request) => {
          const { body } = await send(request);
          const items = itemsOf(body).map((item) => ({ ...item, service: request.service }));
          return { items, next: body.next_cursor ?? body.nextCursor };
        }),
      );
      return mergePages<Item & { service: Service }>(pages);
    },
    ...options,
  });
}
