import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The header that carries the request id, in and out, and from service to service. */
export const requestIdHeader = 'x-request-id';

const acceptable = /^[A-Za-z0-9._-]{8,128}$/;

/** The caller's request id where it is harmless, else a new one. */
export function chooseRequestId(request: IncomingMessage): string {
  const given = request.headers[requestIdHeader];
  return typeof given === 'string' && acceptable.test(given) ? given : randomUUID();
}
