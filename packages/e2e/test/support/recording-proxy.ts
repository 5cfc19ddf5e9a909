import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { type Answer, findFreePort } from '@gatehouse/test-kit';
import { request } from 'undici';

/** A request as it went over the wire. */
export interface RecordedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Stands between two services, keeps what goes over the wire, and can keep it from arriving. */
export interface RecordingProxy {
  url: string;
  recorded: RecordedRequest[];
  /** Where requests go on to; until it is set they are answered 503 here. */
  target: string | undefined;
  /** Requests to this path are kept, answered 503 here, and go no further. */
  withheld: string | undefined;
  stop(): Promise<void>;
}

export async function startRecordingProxy(): Promise<RecordingProxy> {
  const port = await findFreePort();
  const server = createServer(async (incoming, response) => {
    const recorded = await record(incoming);
    proxy.recorded.push(recorded);
    const { target, withheld } = proxy;
    const goesOn = target !== undefined && recorded.path !== withheld;
    const answer = goesOn ? await sendRecorded(target, recorded).catch(() => undefined) : undefined;
    if (answer === undefined) response.writeHead(503).end();
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.text);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const proxy: RecordingProxy = {
    url: `http://127.0.0.1:${port}`,
    recorded: [],
    target: undefined,
    withheld: undefined,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}

async function record(incoming: IncomingMessage): Promise<RecordedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { method = '', url: path = '', headers } = incoming;
  return { method, path, headers, body: Buffer.concat(chunks) };
}

/** Sends what was recorded to a server, the same in all but what the test changes. */
export async function sendRecorded(
  url: string,
  recorded: RecordedRequest,
  changes: Partial<RecordedRequest> = {},
): Promise<Answer> {
  const { method, path, headers, body } = { ...recorded, ...changes };
  const { host: _host, connection: _connection, 'content-length': _length, ...others } = headers;
  const response = await request(url + path, { method: method as 'POST', headers: others, body });
  const text = await response.body.text();
  return { status: response.statusCode, headers: response.headers, text, json: () => JSON.parse(text) };
}
