import { Agent, type Dispatcher, request, setGlobalDispatcher } from 'undici';
import { testReplicas } from './test-database.ts';

export interface CallOptions {
  method?: string;
  headers?: Record<string, string>;
  /** user-id and password, as curl's `-u` sends them. */
  basic?: [string, string];
  bearer?: string;
  form?: Record<string, string> | [string, string][];
  json?: unknown;
  body?: string | Uint8Array;
  /** Connections to use instead of those that all calls share. */
  dispatcher?: Dispatcher;
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The body read as JSON. */
  json<T = Record<string, unknown>>(): T;
}

// Idle connections end soon: a service that is told to stop waits up to a second for those that are kept.
// auth-server takes 256 connections from one address, and all tests come from one.
setGlobalDispatcher(new Agent({ connections: 240, keepAliveTimeout: 100, keepAliveMaxTimeout: 100 }));

/** One HTTP request; redirects are not followed. POST where there is a body, unless told otherwise. */
export async function call(url: string, options: CallOptions = {}): Promise<Answer> {
  const { basic, bearer, form, json, body, dispatcher } = options;
  const headers: Record<string, string> = {};
  if (basic !== undefined) headers.authorization = `Basic ${Buffer.from(basic.join(':')).toString('base64')}`;
  if (bearer !== undefined) headers.authorization = `Bearer ${bearer}`;
  if (form !== undefined) headers['content-type'] = 'application/x-www-form-urlencoded';
  if (json !== undefined) headers['content-type'] = 'application/json';
  const sent =
    form === undefined ? (json === undefined ? body : JSON.stringify(json)) : new URLSearchParams(form).toString();
  const response = await request(url, {
    method: (options.method ?? (sent === undefined ? 'GET' : 'POST')) as 'GET',
    headers: { ...headers, ...options.headers },
    ...(sent === undefined ? {} : { body: sent }),
    // A balancer spreads connections: a connection for each call brings neighbouring calls to different replicas.
    reset: testReplicas > 1 && dispatcher === undefined,
    ...(dispatcher === undefined ? {} : { dispatcher }),
  });
  const text = await response.body.text();
  return { status: response.statusCode, headers: response.headers, text, json: () => JSON.parse(text) };
}
