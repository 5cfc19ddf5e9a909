import { Link } from 'wouter-preact';
import {
  getConfiguration,
  getReadiness,
  getStatistics,
  listFindings,
  listKeys,
  type StatisticsQuery,
} from '../api/oversight.ts';
import type { Service } from '../api/request.ts';
import { useConsole } from '../console.ts';
import { EventTable } from '../events/event-table.tsx';
import { useEvents } from '../events/use-events.ts';
import { messages } from '../messages/messages.ts';
import { Command } from '../parts/command.tsx';
import { Facts } from '../parts/facts.tsx';
import { Fault } from '../parts/fault.tsx';
import { Measure } from '../parts/measure.tsx';
import { clientPath } from '../parts/paths.ts';
import { Time } from '../parts/time.tsx';
import { useTitle } from '../parts/title.ts';
import { useAnswer } from '../parts/use-api.ts';
import { useUrlState } from '../parts/use-url-state.ts';
import { servicesOf } from '../rights.ts';
import { Findings } from './findings.tsx';

const { overview: texts } = messages;
const services = ['auth-server', 'org-api'] as const;
const hour = 3_600_000;
/** Milliseconds, and the step of the bars. */
const spans = {
  day: { length: 24 * hour, step: 'hour' },
  month: { length: 30 * 24 * hour, step: 'day' },
} as const;
type Span = keyof typeof spans;

const grants: Readonly<Record<string, string>> = messages.clients.options;
const outcomes: Readonly<Record<string, string>> = texts.outcomes;

/** The state of the realm at a glance; each number leads to what is behind it. */
export default function Overview() {
  useTitle(texts.title);
  const { rights } = useConsole();
  const { state, set } = useUrlState();
  const span: Span = state.span === 'month' ? 'month' : 'day';
  const { length, step } = spans[span];
  // To the beginning of an hour, so that the same question is asked again.
  const from = new Date(Math.floor((Date.now() - length) / hour) * hour).toISOString();
  const ask = (measure: StatisticsQuery['measure'], by: NonNullable<StatisticsQuery['by']>) =>
    getStatistics({ measure, by, step, from });
  const requests = {
    signIns: ask('sign_ins', 'outcome'),
    tokens: ask('tokens', 'grant_type'),
    refusals: ask('refusals', 'reason'),
    clients: ask('tokens', 'client'),
  };
  const events = useEvents(servicesOf(rights).map((service) => ({ service, query: { limit: 10 } })));
  const health = [
    ...services.map(getReadiness),
    ...(rights.changeUsers ? services.map(getConfiguration) : []),
    listKeys(),
  ];
  return (
    <>
      <div class="head">
        <h1>{texts.title}</h1>
        <div class="actions">
          {(Object.keys(spans) as Span[]).map((each) => (
            <button
              type="button"
              key={each}
              aria-pressed={each === span}
              onClick={() => set({ span: each === 'day' ? '' : each })}
            >
              {texts.spans[each]}
            </button>
          ))}
        </div>
      </div>
      <Findings />
      <div class="cards">
        <Measure
          request={requests.signIns}
          title={texts.signIns}
          name={(key) => outcomes[key] ?? key}
          pathOf={(key) => pathOfOutcome(key, from)}
        />
        <Measure
          request={requests.tokens}
          title={texts.tokens}
          name={(key) => grants[key] ?? key}
          pathOf={(key) => search('/clients', { grant_type: key })}
        />
        <Measure
          request={requests.refusals}
          title={texts.refusals}
          name={(key) => key}
          pathOf={(key) => search('/refusals', { code: key, from })}
        />
        <Measure request={requests.clients} title={texts.clients} name={(key) => key} pathOf={clientPath} />
      </div>
      <h2>{texts.health}</h2>
      <div class="cards">
        {services.map((service) => (
          <Health key={service} service={service} />
        ))}
        <KeyAge />
      </div>
      <h2>{texts.events}</h2>
      <LastEvents answer={events.answer} />
      <Command requests={[...Object.values(requests), listFindings(), ...health, ...events.requests]} />
    </>
  );
}

const search = (path: string, query: Record<string, string>) => `${path}?${new URLSearchParams(query)}`;

/** Where sign-ins that ended so are; undefined where the log alone has them. */
function pathOfOutcome(outcome: string, from: string): string | undefined {
  switch (outcome) {
    case 'unavailable':
      return undefined;
    case 'rate_limited':
      return search('/refusals', { status: '429', from });
    case 'second_step':
      return search('/events', { type: 'second_step.succeeded,second_step.refused', from });
    case 'refused':
      return search('/events', { type: 'sign_in.refused', from });
    default:
      return search('/events', { type: 'sign_in.succeeded', from });
  }
}

function Health({ service }: { service: Service }) {
  const { rights } = useConsole();
  const answer = useAnswer(getReadiness(service));
  const configuration = useAnswer(getConfiguration(service), { enabled: rights.changeUsers });
  const { status, checks = {} } = answer.data?.body ?? {};
  return (
    <section class="card">
      <h2>{service}</h2>
      <Fault error={answer.error} />
      <Facts
        facts={[
          [texts.state, status],
          [messages.settings.version, configuration.data?.body.version],
          ...Object.entries(checks).map(([name, state]) => [name, state] as const),
        ]}
      />
    </section>
  );
}

function KeyAge() {
  const answer = useAnswer(listKeys());
  const keys = answer.data?.body.keys ?? [];
  return (
    <section class="card">
      <h2>
        <Link href="/keys">{messages.keys.title}</Link>
      </h2>
      <Fault error={answer.error} />
      <Facts
        facts={keys.map(
          ({ kid, alg, signFrom }) =>
            [`${alg} ${kid.slice(0, 8)}`, signFrom ? <Time key={kid} at={signFrom} /> : ''] as const,
        )}
      />
    </section>
  );
}

function LastEvents({ answer }: Pick<ReturnType<typeof useEvents>, 'answer'>) {
  const items = answer.data?.items.slice(0, 10) ?? [];
  return (
    <>
      <Fault error={answer.error} />
      {items.length > 0 && <EventTable events={items} />}
    </>
  );
}
