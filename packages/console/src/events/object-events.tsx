import { Link } from 'wouter-preact';
import type { EventQuery } from '../api/events.ts';
import { listRefusals } from '../api/oversight.ts';
import type { Service } from '../api/request.ts';
import { messages } from '../messages/messages.ts';
import { Command } from '../parts/command.tsx';
import { Fault } from '../parts/fault.tsx';
import { OlderNewer } from '../parts/older-newer.tsx';
import { useMergedLists } from '../parts/use-merged-lists.ts';
import { useUrlState } from '../parts/use-url-state.ts';
import { RefusalTable } from '../refusals/refusal-table.tsx';
import { EventTable } from './event-table.tsx';
import { useEvents } from './use-events.ts';

interface Props {
  services: readonly Service[];
  queries: readonly EventQuery[];
  /** Whose refusals of the last day stand there, too. */
  refused?: { client: string } | { user: string };
}

/** The events of one object: of each service, by each of the queries. */
export function ObjectEvents({ services, queries, refused }: Props) {
  const url = useUrlState();
  const { cursor } = url.state;
  const sources = services.flatMap((service) =>
    queries.map((query) => ({ service, query: { ...query, ...(cursor !== undefined && { cursor }) } })),
  );
  const { answer, requests } = useEvents(sources);
  const { events: texts } = messages;
  return (
    <>
      {refused !== undefined && (
        <>
          <ObjectRefusals services={services} refused={refused} />
          <h2>{texts.title}</h2>
        </>
      )}
      <Fault error={answer.error} />
      {answer.data?.items.length === 0 && <p class="nothing">{texts.none}</p>}
      {answer.data && answer.data.items.length > 0 && <EventTable events={answer.data.items} />}
      <OlderNewer cursor={cursor} before={answer.data?.before} show={(next = '') => url.set({ cursor: next })} />
      <Command requests={requests} />
    </>
  );
}

/** The newest refusals; its title leads to all. */
function ObjectRefusals({ services, refused }: Required<Omit<Props, 'queries'>>) {
  const requests = services.map((service) => listRefusals(service, { ...refused, limit: 10 }));
  const answer = useMergedLists(requests, ({ refusals }) => refusals);
  const { refusals: texts } = messages;
  const items = answer.data?.items.slice(0, 10) ?? [];
  return (
    <>
      <h2>
        <Link href={`/refusals?${new URLSearchParams(refused)}`}>{texts.title}</Link>
      </h2>
      <Fault error={answer.error} />
      {answer.isSuccess && items.length === 0 && <p class="quiet">{texts.none}</p>}
      {items.length > 0 && <RefusalTable refusals={items} />}
      <Command requests={requests} />
    </>
  );
}
