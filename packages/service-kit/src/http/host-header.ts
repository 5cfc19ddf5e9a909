import type { IncomingMessage } from 'node:http';
import { ProblemError } from '@gatehouse/shared';

/**
 * RFC 9112 3.2: a request without a Host header, or with several, is a 400. A proxy in front might use another one of
 * several than this server. Undefined where the headers are right.
 */
export function findHostFault({ rawHeaders, httpVersion }: IncomingMessage): ProblemError | undefined {
  const count = countHostHeaders(rawHeaders);
  if (count === 1 || (count === 0 && httpVersion === '1.0')) return undefined;
  return new ProblemError(400, 'a request must have exactly one Host header');
}

function countHostHeaders(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}
