import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The header that carries the request id: in requests, in answers, and between the services. */
export const requestIdHeader = 'x-request-id';

/** The request ids that are taken from callers; those that are made match it too. */
export const requestIdPattern = '^[A-Za-z0-9._-]{8,128}$';
const acceptable = new RegExp(requestIdPattern);

/** Gives the caller's request id where it is harmless, else a new one. */
export function chooseRequestId(request: IncomingMessage): string {
  const given = request.headers[requestIdHeader];
  return typeof given === 'string' && acceptable.test(given) ? given : randomUUID();
}
