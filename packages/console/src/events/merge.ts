import type { AuditEvent } from '../api/auth-server.ts';
import type { Service } from '../api/request.ts';

export type ServiceEvent = AuditEvent & { service: Service };

/** One page of each list that was asked. */
export interface EventPage {
  service: Service;
  events: readonly AuditEvent[];
  next?: string | undefined;
}

/**
 * Lists of events as one, the newest first: ids are times, and cursors. An event of several lists stands once. `before` is the id
 * down to which the list is whole: of a list that goes on, nothing is known below its last event.
 */
export function mergeEvents(pages: readonly EventPage[]): { events: ServiceEvent[]; before: string | undefined } {
  const byId = new Map(
    pages.flatMap(({ service, events }) => events.map((event) => [event.id, { ...event, service }])),
  );
  const ends = pages.flatMap(({ events, next }) => (next === undefined ? [] : (events.at(-1)?.id ?? [])));
  const whole = ends.toSorted().at(-1);
  const events = [...byId.values()].filter(({ id }) => whole === undefined || id >= whole);
  return { events: events.toSorted((one, other) => (one.id < other.id ? 1 : -1)), before: whole };
}
