import { createFieldsChecker, fieldsProblem } from '@gatehouse/shared';
import { type Static, Type } from 'typebox';
import { auditEventTypes } from './audit-event.ts';
import type { AuditQuery } from './audit-event-store.ts';

const instantPattern = '^\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,3})?)?(Z|[+-]\\d\\d:\\d\\d))?$';
const instantExpected = 'be a date or an instant of ISO 8601, such as 2026-01-31 or 2026-01-31T08:00:00Z';
const instant = (description: string) =>
  Type.Optional(Type.String({ pattern: instantPattern, description, expected: instantExpected }));
const party = (description: string) =>
  Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description, expected: 'be a name or an id of 1 to 255 characters' }),
  );

/** What `GET …/audit-events` takes. */
export const AuditEventsQuery = Type.Object(
  {
    limit: Type.Integer({ minimum: 1, maximum: 200, default: 50, expected: 'be an integer from 1 to 200' }),
    cursor: Type.Optional(
      Type.String({
        pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
        description: 'From the page before',
        expected: 'be what the page before gave',
      }),
    ),
    type: Type.Optional(Type.Enum([...auditEventTypes], { expected: `be one of ${auditEventTypes.join(', ')}` })),
    actor: party('Who did it: a username or client_id without regard to case, or an id'),
    subject: party('To whom it was done: a username or client_id without regard to case, or an id'),
    from: instant('The first instant that counts (ISO 8601; a date is its midnight in UTC)'),
    to: instant('The first instant that does not count any more'),
  },
  { additionalProperties: false },
);
export type AuditEventsQuery = Static<typeof AuditEventsQuery>;

/** Checks a query field by field, with the same error texts as a body. A query holds text, so numbers are read from it. */
export function createAuditQueryValidator() {
  const checkFields = createFieldsChecker(AuditEventsQuery);
  return (query: unknown) => {
    const { limit = '50', ...others } = query as Record<string, unknown>;
    const result = checkFields({ ...others, limit: /^\d{1,4}$/.test(String(limit)) ? Number(limit) : limit });
    return result.ok ? { value: result.value } : { error: fieldsProblem(result.errors) };
  };
}

/** Throws a 400 where a date is not valid, or where `from` is not before `to`. */
export function parseAuditQuery({ cursor, from, to, ...query }: AuditEventsQuery): AuditQuery {
  const start = parseInstant('from', from);
  const end = parseInstant('to', to);
  if (start !== undefined && end !== undefined && end < start) {
    throw fieldsProblem([{ field: 'to', detail: 'must not be before from' }]);
  }
  return { ...query, after: cursor, from: start, to: end };
}

function parseInstant(field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const instant = Date.parse(text);
  // JavaScript reads February 30 as a day in March.
  const day = text.slice(0, 10);
  const isDay = !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);
  if (Number.isNaN(instant) || !isDay) throw fieldsProblem([{ field, detail: `must ${instantExpected}` }]);
  return instant;
}
