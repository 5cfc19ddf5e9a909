import { useState } from 'preact/hooks';
import { type EventQuery, listAuditEvents } from '../api/events.ts';
import type { Send, Service } from '../api/request.ts';
import { useConsole } from '../console.ts';
import { messages } from '../messages/messages.ts';
import { Command } from '../parts/command.tsx';
import { Fault } from '../parts/fault.tsx';
import { type Filter, Filters } from '../parts/filters.tsx';
import { Menu } from '../parts/menu.tsx';
import { mergePages } from '../parts/merge-pages.ts';
import { OlderNewer } from '../parts/older-newer.tsx';
import { saveFile } from '../parts/save-file.ts';
import { useTitle } from '../parts/title.ts';
import { useUrlState } from '../parts/use-url-state.ts';
import { servicesOf } from '../rights.ts';
import { toCsv } from './csv.ts';
import { EventTable } from './event-table.tsx';
import type { ServiceEvent } from './service-event.ts';
import { useEvents } from './use-events.ts';

const { events: texts } = messages;
/** Milliseconds between two looks while the list is followed. */
const followEvery = 5_000;
/** Events in a file. */
const most = 10_000;

const filters: readonly Filter[] = [
  { name: 'type', label: texts.filters.type },
  { name: 'actor', label: texts.filters.actor },
  { name: 'subject', label: texts.filters.subject },
  { name: 'client', label: texts.filters.client },
  { name: 'request', label: texts.filters.request },
  { name: 'address', label: texts.filters.address },
  { name: 'outcome', label: texts.filters.outcome, options: texts.outcomes },
  { name: 'reason', label: texts.filters.reason, options: texts.reasons },
  { name: 'from', label: texts.filters.from, type: 'date' },
  { name: 'to', label: texts.filters.to },
];

export default function Events() {
  useTitle(texts.title);
  const { rights, send } = useConsole();
  const url = useUrlState();
  const [isFollowed, setFollowed] = useState(false);
  const query = url.state as EventQuery;
  const services = servicesOf(rights);
  const { answer, requests } = useEvents(
    services.map((service) => ({ service, query })),
    { refetchInterval: isFollowed ? followEvery : false },
  );
  const found = answer.data?.items ?? [];
  const before = answer.data?.before;
  return (
    <>
      <div class="head">
        <h1>{texts.title}</h1>
        <div class="actions">
          <label class="toggle">
            <input
              type="checkbox"
              checked={isFollowed}
              onChange={({ currentTarget }) => setFollowed(currentTarget.checked)}
            />
            <span>{texts.follow}</span>
          </label>
          <Save load={() => readAll(send, services, query)} />
        </div>
      </div>
      <Filters url={url} filters={filters} />
      <Fault error={answer.error} />
      {answer.isPending && (
        <p class="loading" role="status">
          {messages.loading}
        </p>
      )}
      {answer.isSuccess && found.length === 0 && <p class="nothing">{texts.none}</p>}
      {found.length > 0 && <EventTable events={found} />}
      <OlderNewer cursor={url.state.cursor} before={before} show={(cursor = '') => url.set({ cursor })} />
      <Command requests={requests} />
    </>
  );
}

function Save({ load }: { load: () => Promise<ServiceEvent[]> }) {
  const [state, setState] = useState('');
  const save = async (format: 'csv' | 'jsonl') => {
    setState(texts.reading);
    try {
      const events = await load();
      const text = format === 'csv' ? toCsv(events) : events.map((event) => `${JSON.stringify(event)}\n`).join('');
      saveFile(`events.${format}`, text);
      setState(texts.read(events.length));
    } catch (error) {
      setState(String(error));
    }
  };
  return (
    <Menu label={texts.save}>
      <button type="button" onClick={() => save('csv')}>
        CSV
      </button>
      <button type="button" onClick={() => save('jsonl')}>
        {texts.jsonLines}
      </button>
      <p role="status">{state}</p>
    </Menu>
  );
}

async function readAll(send: Send, services: readonly Service[], query: EventQuery): Promise<ServiceEvent[]> {
  const pages = await Promise.all(services.map((service) => readService(send, service, query)));
  return mergePages<ServiceEvent>(pages).items.slice(0, most);
}

async function readService(
  send: Send,
  service: Service,
  query: EventQuery,
): Promise<{ items: ServiceEvent[]; next?: string | undefined }> {
  const items: ServiceEvent[] = [];
  let cursor: string | undefined;
  do {
    const request = listAuditEvents(service, { ...query, limit: 100, ...(cursor !== undefined && { cursor }) });
    const { body } = await send(request);
    items.push(...body.events.map((event) => ({ ...event, service })));
    cursor = body.next_cursor ?? body.nextCursor;
  } while (cursor !== undefined && items.length < most);
  return { items, next: cursor };
}
