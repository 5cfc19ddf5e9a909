import { Link } from 'wouter-preact';
import type { AuditEvent } from '../api/auth-server.ts';
import { messages } from '../messages/messages.ts';
import { Changes } from '../parts/changes.tsx';
import { clientPath, userPath } from '../parts/paths.ts';
import { Time } from '../parts/time.tsx';
import type { ServiceEvent } from './service-event.ts';

const { events: texts } = messages;

/** When, what, who, whom, and what changed. */
export function EventTable({ events }: { events: readonly ServiceEvent[] }) {
  return (
    <table class="list events">
      <thead>
        <tr>
          {(['when', 'what', 'who', 'whom', 'from'] as const).map((column) => (
            <th scope="col" key={column}>
              {texts.columns[column]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {events.map((event) => (
          <EventRow key={event.id} event={event} />
        ))}
      </tbody>
    </table>
  );
}

function EventRow({ event }: { event: ServiceEvent }) {
  const { time, type, outcome, reason, actor, subject, client, address, request, service } = event;
  return (
    <tr>
      <td data-label={texts.columns.when}>
        <Time at={time} />
      </td>
      <th scope="row">
        <code>{type}</code>
        <span class="marks">
          {outcome === 'refused' && (
            <span class="mark bad">{reason === undefined ? texts.refused : texts.reasons[reason]}</span>
          )}
          {service === 'org-api' && <span class="mark">org-api</span>}
        </span>
        <Details event={event} />
      </th>
      <td data-label={texts.columns.who} class="text">
        <Party party={actor} />
        {client !== undefined && client !== actor.name && (
          <span class="quiet">
            {' '}
            {texts.by} <Link href={clientPath(client)}>{client}</Link>
          </span>
        )}
      </td>
      <td data-label={texts.columns.whom} class="text">
        {subject && <Party party={subject} />}
      </td>
      <td data-label={texts.columns.from} class="text">
        {address}
        {request !== undefined && (
          <Link class="quiet request" href={`/events?${new URLSearchParams({ request })}`}>
            {request}
          </Link>
        )}
      </td>
    </tr>
  );
}

/** A user, a client or another one of an event, with a way to it. */
export function Party({ party: { kind, name, id } }: { party: NonNullable<AuditEvent['subject']> }) {
  const text = name ?? id ?? texts.parties[kind];
  if (kind === 'client' && name !== undefined) return <Link href={clientPath(name)}>{name}</Link>;
  if (kind === 'user' && name !== undefined) return <Link href={userPath(name)}>{name}</Link>;
  return <>{text}</>;
}

interface Change {
  field: string;
  from?: unknown;
  to?: unknown;
}

function Details({ event: { details } }: { event: AuditEvent }) {
  const { changes = [], ...rest } = details as { changes?: Change[] };
  const others = Object.entries(rest);
  if (changes.length === 0 && others.length === 0) return null;
  return (
    <details>
      <summary>{changes.length > 0 ? texts.changes(changes.length) : texts.more}</summary>
      {changes.length > 0 && <Changes changes={changes} before={texts.before} after={texts.after} />}
      {others.map(([name, value]) => (
        <p key={name} class="text">
          <code>{name}</code> {write(value)}
        </p>
      ))}
    </details>
  );
}

const write = (value: unknown) =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
