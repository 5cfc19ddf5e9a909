import { type Static, Type } from 'typebox';
import {
  type AuditEvent,
  type AuditParty,
  auditEventTypes,
  auditOutcomes,
  auditPartyKinds,
  auditReasons,
} from './audit-event.ts';

const AuditPartyView = Type.Object({
  kind: Type.Enum([...auditPartyKinds]),
  id: Type.Optional(
    Type.String({
      description: 'UUID of a user, of a resource, of an initial access token, or of the registration of a client',
    }),
  ),
  name: Type.Optional(Type.String({ description: 'Username, client_id, or name of a service' })),
});

/** An event as administrators see it: the same from both services. */
export const AuditEventView = Type.Object(
  {
    id: Type.String({ description: 'UUID, time-ordered (RFC 9562)' }),
    time: Type.String({ description: 'RFC 3339, UTC' }),
    type: Type.Enum([...auditEventTypes]),
    outcome: Type.Enum([...auditOutcomes]),
    reason: Type.Optional(Type.Enum([...auditReasons], { description: 'Why it was refused' })),
    actor: AuditPartyView,
    subject: Type.Optional(AuditPartyView),
    client: Type.Optional(
      Type.String({
        description: 'client_id of the client through which it was done: of an administrator’s token, too',
      }),
    ),
    request: Type.Optional(Type.String({ description: 'The request id, by which the log is searched' })),
    address: Type.Optional(Type.String({ description: 'The caller’s IPv4 address, or its /64 of IPv6' })),
    details: Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'By type. Of a changed client or resource `fields` and `changes`: a list of `{ field, from, to }`, keys by thumbprint (RFC 7638), texts up to 200 characters',
      },
    ),
  },
  { $id: 'AuditEvent', description: 'Something that somebody did, or was refused' },
);
export type AuditEventView = Static<typeof AuditEventView>;

export function buildAuditEventView(event: AuditEvent): AuditEventView {
  const { id, occurredAt, type, outcome, reason, actor, subject, clientId, requestId, address, details } = event;
  return {
    id,
    time: new Date(occurredAt).toISOString(),
    type,
    outcome,
    ...(reason === undefined ? {} : { reason }),
    actor: buildPartyView(actor),
    ...(subject === undefined ? {} : { subject: buildPartyView(subject) }),
    ...(clientId === undefined ? {} : { client: clientId }),
    ...(requestId === undefined ? {} : { request: requestId }),
    ...(address === undefined ? {} : { address }),
    details,
  };
}

function buildPartyView({ kind, id, name }: AuditParty) {
  return { kind, ...(id === undefined ? {} : { id }), ...(name === undefined ? {} : { name }) };
}
