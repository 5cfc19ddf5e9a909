import { Type } from 'typebox';
import { findAdvice } from './advice.ts';
import type { Refusal } from './refusal.ts';

/** A refusal as administrators see it: the same from both services. */
export const RefusalView = Type.Object(
  {
    id: Type.String({ description: 'UUID, time-ordered (RFC 9562)' }),
    request: Type.String({ description: 'The request id; callers may choose it' }),
    time: Type.String({ description: 'RFC 3339, UTC' }),
    operation: Type.String({ description: 'The operationId; of a form without one its method and path' }),
    status: Type.Integer(),
    code: Type.String({ description: 'Error code of OAuth, or a name of the status, such as not_found' }),
    reason: Type.String({ description: 'Why, as in the log' }),
    advice: Type.String({ description: 'What to do' }),
    client: Type.Optional(Type.String({ description: 'client_id of the registered client that sent it or is named' })),
    user: Type.Optional(Type.String({ description: 'Username of the user who sent it or is named, in lower case' })),
    network: Type.String({ description: 'Of the caller: an IPv4 address, or of IPv6 its /64' }),
  },
  { $id: 'Refusal' },
);

export function buildRefusalView(refusal: Refusal) {
  const { id, occurredAt, requestId, operation, status, code, reason, clientId, username, network } = refusal;
  return {
    id,
    request: requestId,
    time: new Date(occurredAt).toISOString(),
    operation,
    status,
    code,
    reason,
    advice: findAdvice(refusal),
    ...(clientId === undefined ? {} : { client: clientId }),
    ...(username === undefined ? {} : { user: username }),
    network,
  };
}
