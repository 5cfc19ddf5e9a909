import type { EventQuery } from '../api/events.ts';
import type { Service } from '../api/request.ts';
import { messages } from '../messages/messages.ts';
import { Command } from '../parts/command.tsx';
import { Fault } from '../parts/fault.tsx';
import { OlderNewer } from '../parts/older-newer.tsx';
import { useUrlState } from '../parts/use-url-state.ts';
import { EventTable } from './event-table.tsx';
import { useEvents } from './use-events.ts';

/** The events of one object: of each service, by each of the queries. */
export function ObjectEvents({ services, queries }: { services: readonly Service[]; queries: readonly EventQuery[] }) {
  const url = useUrlState();
  const { cursor } = url.state;
  const sources = services.flatMap((service) =>
    queries.map((query) => ({ service, query: { ...query, ...(cursor !== undefined && { cursor }) } })),
  );
  const { answer, requests } = useEvents(sources);
  const { events: texts } = messages;
  return (
    <>
      <Fault error={answer.error} />
      {answer.data?.items.length === 0 && <p class="nothing">{texts.none}</p>}
      {answer.data && answer.data.items.length > 0 && <EventTable events={answer.data.items} />}
      <OlderNewer cursor={cursor} before={answer.data?.before} show={(next = '') => url.set({ cursor: next })} />
      <Command requests={requests} />
    </>
  );
}
