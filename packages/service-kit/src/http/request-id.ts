import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The header that carries the request id: in requests, in answers, and between the services. */
export const requestIdHeader = 'x-request-id';

const acceptable = /^[A-Za-z0-9._-]{8,128}$/;

/** Gives the caller's request id where it is harmless, else a new one. */
export function chooseRequestId(request: IncomingMessage): string {
  const given = request.headers[requestIdHeader];
  return typeof given === 'string' && acceptable.test(given) ? given : randomUUID();
}
