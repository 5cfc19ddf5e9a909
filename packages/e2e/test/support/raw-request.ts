import { connect } from 'node:net';

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** Sends bytes as they are over a connection of their own, for requests that no HTTP library would send. */
export function sendRaw(url: string, request: string | Buffer): Promise<RawAnswer> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(request));
    const finish = () => resolve(parseAnswer(Buffer.concat(chunks).toString('latin1')));
    socket.setTimeout(10_000, () => socket.destroy(new Error('no answer within 10 s')));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', (error) => (chunks.length > 0 ? finish() : reject(error)));
    socket.on('close', finish);
  });
}

/** A request line and headers, without any check. */
export function buildRaw(options: {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}): Buffer {
  const { method = 'GET', path, headers = {}, body = '' } = options;
  const all = {
    host: 'localhost',
    connection: 'close',
    ...(body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  const head = `${[`${method} ${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]);
}

function parseAnswer(received: string): RawAnswer {
  const answer = received.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '');
  const end = answer.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = answer.slice(0, end).split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(headers),
    text: answer.slice(end + 4),
  };
}
