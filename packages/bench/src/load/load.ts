/** The requests to send, as whole HTTP/1.1 messages. */
export interface Load {
  port: number;
  requests: readonly string[];
  /**
   * `cycle` repeats the requests. `once` sends each a single time, and the window ends with the last. `chain` replaces a
   * refresh token by the one in its answer, which waits for its turn behind all others; a request whose answer has no
   * refresh token waits unchanged.
   */
  order: 'cycle' | 'once' | 'chain';
  /** Answers take long, so the window follows its warm-up without a break. Else the server is still busy with the warm-up. */
  slow?: boolean;
}

export interface LoadSize {
  connections: number;
  /** Length of the window. */
  seconds: number;
  /** The warm-up before the window, which is not counted. */
  warmupSeconds: number;
  /** The warm-up of requests that can be sent only once: how many come before the window; it takes some seconds at most. */
  warmupRequests?: number;
}

/** Seconds that a warm-up by requests takes at most. */
export const longestWarmup = 10;

/** Called when the window begins and when it ends, as exactly as another process can. */
export interface WindowObserver {
  begin(): void;
  end(): void;
}

export interface RequestParts {
  method?: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** A request on a kept-alive connection, as it goes over the wire. */
export function buildRequest({ method, path, headers = {}, body }: RequestParts): string {
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  const lines = Object.entries({ Host: '127.0.0.1', ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return `${method ?? (body === undefined ? 'GET' : 'POST')} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
}

/** A form by a client that authenticates with its secret (RFC 6749 2.3.1). */
export function buildFormRequest(path: string, client: ClientLogin, form: Record<string, string>): string {
  return buildRequest({
    path,
    headers: { Authorization: basic(client), 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });
}

export interface ClientLogin {
  clientId: string;
  secret: string;
}

export function basic({ clientId, secret }: ClientLogin): string {
  return `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`;
}
