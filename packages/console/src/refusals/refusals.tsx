import { Link } from 'wouter-preact';
import { getRefusals, listRefusals } from '../api/oversight.ts';
import { ApiError, type Send } from '../api/request.ts';
import { useConsole } from '../console.ts';
import { messages } from '../messages/messages.ts';
import { Command } from '../parts/command.tsx';
import { Fault } from '../parts/fault.tsx';
import { type Filter, Filters } from '../parts/filters.tsx';
import { OlderNewer } from '../parts/older-newer.tsx';
import { Time } from '../parts/time.tsx';
import { useTitle } from '../parts/title.ts';
import { useMergedLists } from '../parts/use-merged-lists.ts';
import { useSegments } from '../parts/use-segments.ts';
import { useUrlState } from '../parts/use-url-state.ts';
import { servicesOf } from '../rights.ts';
import { placeOfFault } from './place-of-fault.ts';
import { RefusalTable, Whom } from './refusal-table.tsx';

const { refusals: texts } = messages;
const filters: readonly Filter[] = [
  { name: 'request', label: texts.filters.request },
  { name: 'client', label: texts.filters.client },
  { name: 'user', label: texts.filters.user },
  { name: 'status', label: texts.filters.status },
  { name: 'code', label: texts.filters.code },
  { name: 'from', label: texts.filters.from },
  { name: 'to', label: texts.filters.to },
];

export default function Refusals() {
  const [, request = ''] = useSegments();
  return request === '' ? <RefusalList /> : <RefusalsOfRequest key={request} request={request} />;
}

/** Of a request id: a service that keeps nothing of it answers 404. */
const withoutUnkept = (send: Send) =>
  (async (request) =>
    send(request).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404) return { body: { refusals: [] }, etag: undefined };
      throw error;
    })) as Send;

function RefusalList() {
  useTitle(texts.title);
  const url = useUrlState();
  const { rights } = useConsole();
  const requests = servicesOf(rights).map((service) => listRefusals(service, { ...url.state, limit: 50 }));
  const answer = useMergedLists(requests, ({ refusals }) => refusals);
  return (
    <>
      <h1>{texts.title}</h1>
      <p class="quiet">{texts.text}</p>
      <Filters url={url} filters={filters} />
      <Fault error={answer.error} />
      {answer.isSuccess && answer.data.items.length === 0 && <p class="nothing">{texts.none}</p>}
      {answer.data && answer.data.items.length > 0 && <RefusalTable refusals={answer.data.items} />}
      <OlderNewer cursor={url.state.cursor} before={answer.data?.before} show={(cursor = '') => url.set({ cursor })} />
      <Command requests={requests} />
    </>
  );
}

function RefusalsOfRequest({ request }: { request: string }) {
  useTitle(request);
  const { rights } = useConsole();
  const requests = servicesOf(rights).map((service) => getRefusals(service, request));
  const answer = useMergedLists(requests, ({ refusals }) => refusals, { through: withoutUnkept });
  return (
    <>
      <p class="path">
        <Link href="/refusals">{texts.title}</Link>
      </p>
      <h1 class="text">{request}</h1>
      <Fault error={answer.error} />
      {answer.isSuccess && answer.data.items.length === 0 && <p class="nothing">{texts.noneOfRequest}</p>}
      {answer.data?.items.map((refusal) => (
        <section class="card refusal" key={refusal.id}>
          <h2 class="text">{refusal.reason}</h2>
          <p>
            <strong>{texts.advice}</strong> <Advice text={refusal.advice} place={placeOfFault(refusal, rights)} />
          </p>
          <p class="quiet">
            <Time exact at={refusal.time} /> {`\u00b7 ${refusal.service} \u00b7 ${refusal.network}`}
          </p>
          <p class="quiet text">{[refusal.operation, refusal.status, refusal.code].join(' \u00b7 ')}</p>
          <Whom refusal={refusal} />
        </section>
      ))}
      <p>
        <Link href={`/events?${new URLSearchParams({ request })}`}>{texts.events}</Link>
      </p>
      <Command requests={requests} />
    </>
  );
}

/** It leads to the field that is at fault, where the console has it. */
function Advice({ text, place }: { text: string; place: string | undefined }) {
  return place === undefined ? text : <Link href={place}>{text}</Link>;
}
