import { datePattern, fieldsProblem } from '@gatehouse/shared';
import { type Static, Type } from 'typebox';
import { pageLength } from '../http/check-query.ts';
import { idPattern } from '../time-ordered-id.ts';
import { auditEventTypes } from './audit-event.ts';
import type { AuditQuery } from './audit-event-store.ts';

const minutes = '(?:[01][0-9]|2[0-3]):[0-5][0-9]';
/** ISO 8601 calls the end of a day 24:00 as well. */
const time = `(?:${minutes}(?::[0-5][0-9](?:\\.[0-9]{1,3})?)?|24:00(?::00(?:\\.0{1,3})?)?)`;
/** Exactly what can be an instant. */
export const instantPattern = `^${datePattern}(?:T${time}(?:Z|[+-]${minutes}))?$`;
const instantExpected = 'be a date or an instant of ISO 8601, such as 2026-01-31 or 2026-01-31T08:00:00Z';
const instant = (description: string) =>
  Type.Optional(Type.String({ pattern: instantPattern, description, expected: instantExpected }));
const party = (description: string) =>
  Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description, expected: 'be a name or an id of 1 to 255 characters' }),
  );

/** The query of `GET …/audit-events`. */
export const AuditEventsQuery = Type.Object({
  limit: pageLength,
  cursor: Type.Optional(
    Type.String({
      pattern: idPattern,
      description: 'From the page before',
      expected: 'be what the page before gave',
    }),
  ),
  type: Type.Optional(Type.Enum([...auditEventTypes], { expected: `be one of ${auditEventTypes.join(', ')}` })),
  actor: party('Who did it: a username or client_id without regard to case, or an id'),
  subject: party('To whom it was done: a username or client_id without regard to case, or an id'),
  from: instant('The first instant that counts (ISO 8601; a date is its midnight in UTC)'),
  to: instant('The first instant that does not count any more'),
});
export type AuditEventsQuery = Static<typeof AuditEventsQuery>;

/** Throws a 400 where `to` is before `from`. */
export function parseAuditQuery({ cursor, from, to, ...query }: AuditEventsQuery): AuditQuery {
  const [start, end] = [parseInstant(from), parseInstant(to)];
  if (start !== undefined && end !== undefined && end < start) {
    throw fieldsProblem([{ field: 'to', detail: 'must not be before from' }]);
  }
  return { ...query, after: cursor, from: start, to: end };
}

function parseInstant(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}
