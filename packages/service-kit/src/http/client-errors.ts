import type { Socket } from 'node:net';
import { buildProblem, problemMediaType, titleOfStatus } from '@gatehouse/shared';
import type { Logger } from '../logging.ts';
import { toJsonLine } from './json-line.ts';

/** Status and text for the errors of Node's parser. Any other error is a 400. */
const failures: Readonly<Record<string, [status: number, detail: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request did not arrive in time'],
  HPE_HEADER_OVERFLOW: [431, 'the request has too many or too long headers'],
};

/** Answers bytes that Node cannot parse as a request with an RFC 9457 problem document, and closes the connection. */
export function createClientErrorHandler(log: Logger, headers: readonly [name: string, value: string][]) {
  return ({ code = '' }: NodeJS.ErrnoException, socket: Socket): void => {
    if (code === 'ECONNRESET' || socket.destroyed) return;
    const [status, detail] = failures[code] ?? [400, 'the request is not valid HTTP'];
    log.debug({ status, code }, 'connection refused');
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    socket.end(buildAnswer(status, detail, headers));
    socket.destroySoon();
  };
}

function buildAnswer(status: number, detail: string, headers: readonly [string, string][]): string {
  const body = toJsonLine(buildProblem(status, detail));
  const lines = [
    `HTTP/1.1 ${status} ${titleOfStatus(status)}`,
    `content-type: ${problemMediaType}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
