import { isIP } from 'node:net';
import { datePattern, type FieldError, fieldsProblem, namedClientPattern } from '@gatehouse/shared';
import { type Static, Type } from 'typebox';
import { formatNetwork } from '../guess-limit/network.ts';
import { pageLength } from '../http/check-query.ts';
import { requestIdPattern } from '../http/request-id.ts';
import { idPattern } from '../time-ordered-id.ts';
import { auditEventTypes, auditOutcomes, auditReasons } from './audit-event.ts';
import type { AuditQuery } from './audit-event-store.ts';

const minutes = '(?:[01][0-9]|2[0-3]):[0-5][0-9]';
/** ISO 8601 calls the end of a day 24:00 as well. */
const time = `(?:${minutes}(?::[0-5][0-9](?:\\.[0-9]{1,3})?)?|24:00(?::00(?:\\.0{1,3})?)?)`;
const addressExpected = 'be an IP address, such as 192.0.2.1 or 2001:db8:1:2::1';
/** Exactly what can be an instant. */
export const instantPattern = `^${datePattern}(?:T${time}(?:Z|[+-]${minutes}))?$`;
const instantExpected = 'be a date or an instant of ISO 8601, such as 2026-01-31 or 2026-01-31T08:00:00Z';
/** A parameter that is an instant; {@link parseInstant} reads it. */
export const instantQuery = (description: string) =>
  Type.Optional(Type.String({ pattern: instantPattern, description, expected: instantExpected }));
/** A known type, or several by comma. */
const mostTypes = 20;
const anyType = `(?:${auditEventTypes.join('|').replaceAll('.', '\\.')})`;
const typesPattern = `^${anyType}(?:,${anyType}){0,${mostTypes - 1}}$`;
const typesExpected = `be one of ${auditEventTypes.join(', ')}; or at most ${mostTypes} of them, separated by commas`;
const oneOf = <const Name extends string>(names: readonly Name[], description: string) =>
  Type.Optional(Type.Enum([...names], { description, expected: `be one of ${names.join(', ')}` }));
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
  type: Type.Optional(
    Type.String({
      pattern: typesPattern,
      description: 'A type, or several by comma',
      examples: ['client.changed,client.deleted'],
      expected: typesExpected,
    }),
  ),
  actor: party('Who did it: a username or client_id without regard to case, or an id'),
  subject: party('To whom it was done: a username or client_id without regard to case, or an id'),
  client: Type.Optional(
    Type.String({
      pattern: namedClientPattern,
      description: 'The `client` of an event: the client_id of the client through which it was done',
      expected: 'be a client_id',
    }),
  ),
  request: Type.Optional(
    Type.String({ pattern: requestIdPattern, description: 'The request id', expected: 'be a request id' }),
  ),
  outcome: oneOf(auditOutcomes, 'Whether it was done'),
  reason: oneOf(auditReasons, 'Why it was refused'),
  address: Type.Optional(
    Type.String({
      minLength: 2,
      maxLength: 64,
      description: 'The IP address of the caller; of IPv6 its /64 counts',
      expected: addressExpected,
    }),
  ),
  from: instantQuery('The first instant that counts (ISO 8601; a date is its midnight in UTC)'),
  to: instantQuery('The first instant that does not count any more'),
});
export type AuditEventsQuery = Static<typeof AuditEventsQuery>;

/** Throws a 400 where `to` is before `from`, or `address` is none. */
export function parseAuditQuery(query: AuditEventsQuery): AuditQuery {
  const { limit, cursor, type, actor, subject, client, request, outcome, reason } = query;
  const [from, to] = [parseInstant(query.from), parseInstant(query.to)];
  // Events show the network of an IPv6 address with its length.
  const address = query.address?.replace(/::\/64$/, '::');
  const faults: FieldError[] = [];
  if (from !== undefined && to !== undefined && to < from) {
    faults.push({ field: 'to', detail: 'must not be before from' });
  }
  if (address !== undefined && isIP(address) === 0)
    faults.push({ field: 'address', detail: `must ${addressExpected}` });
  if (faults.length > 0) throw fieldsProblem(faults);
  return {
    limit,
    after: cursor,
    types: type === undefined ? undefined : [...new Set(type.split(','))],
    actor,
    subject,
    clientId: client,
    requestId: request,
    outcome,
    reason,
    address: address && formatNetwork(address),
    from,
    to,
  };
}

/** Milliseconds; of a text that fits {@link instantPattern}. */
export function parseInstant(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}
