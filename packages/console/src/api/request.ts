export type Service = 'auth-server' | 'org-api';

type Value = string | number | boolean;

/** One request of a service, as it is sent and as the console shows it. `Answer` is the type of the body of its answer. */
export interface ApiRequest<Answer = unknown> {
  service: Service;
  /** Its operationId, by which `/openapi.json` and the reference at `/docs` name it. */
  operation: string;
  /** Of the reference. */
  tag: string;
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Encoded, without a query. */
  path: string;
  query?: Readonly<Record<string, Value | undefined>>;
  body?: object;
  /** In place of a body: the parameters of a form. */
  form?: Readonly<Record<string, string>>;
  /** In place of the administrator: a client, by its secret. */
  client?: { id: string; secret: string; isInForm: boolean };
  /** In place of a body: its type is that of the content. */
  file?: Blob;
  headers?: Readonly<Record<string, string>>;
  /** Names of members of the body that stand in no command, and the variable that stands there. */
  secrets?: Readonly<Record<string, string>>;
  /** The answer is typed, never there. */
  answer?: Answer;
}

/** The body of the answer to the requests that a function builds. */
export type AnswerOf<Build extends (...input: never[]) => ApiRequest> = NonNullable<ReturnType<Build>['answer']>;

export interface FieldFault {
  field: string;
  detail: string;
}

/** A problem that a service answered (RFC 9457). */
export class ApiError extends Error {
  readonly status: number;
  /** Of the log. */
  readonly requestId: string | undefined;
  readonly faults: readonly FieldFault[];
  /** The object as it is now, where it changed meanwhile. */
  readonly current: unknown;
  constructor(status: number, problem: Problem, requestId: string | undefined) {
    const { error, error_description: description } = problem;
    super(problem.detail ?? problem.title ?? (error === undefined ? `HTTP ${status}` : `${error}: ${description}`));
    this.status = status;
    this.requestId = requestId;
    this.faults = problem.errors ?? [];
    this.current = problem.current;
  }
}

interface Problem {
  /** Of OAuth. */
  error?: string;
  error_description?: string;
  title?: string;
  detail?: string;
  errors?: FieldFault[];
  current?: unknown;
}

/** The path and query below the address of a service. */
export function targetOf({ path, query = {} }: ApiRequest): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

export interface Answered<Answer> {
  body: Answer;
  /** The version of the object (RFC 9110 8.8.3). */
  etag: string | undefined;
}

export type Send = <Answer>(request: ApiRequest<Answer>) => Promise<Answered<Answer>>;

/** Throws an ApiError where the answer is none of 2xx. */
export function createSend(
  addresses: Record<Service, string>,
  fetchSigned: (url: URL, init: RequestInit) => Promise<Response>,
): Send {
  return async <Answer>(request: ApiRequest<Answer>) => {
    const { service, method, client, headers = {} } = request;
    const content = contentOf(request);
    const url = new URL(addresses[service] + targetOf(request));
    const init = {
      method,
      // A registration is refused in a line of text, unless it is asked for the document.
      headers: {
        ...headers,
        accept: 'application/json, application/problem+json',
        ...(content !== undefined && { 'content-type': content.type }),
        ...(client?.isInForm === false && { authorization: basicOf(client) }),
      },
      ...(content !== undefined && { body: content }),
    };
    const response = await (client === undefined
      ? fetchSigned(url, init)
      : fetch(url, { ...init, credentials: 'omit' }));
    const text = await response.text();
    const parsed: unknown = text === '' ? undefined : parseJson(text);
    if (!response.ok) {
      throw new ApiError(response.status, (parsed ?? {}) as Problem, response.headers.get('x-request-id') ?? undefined);
    }
    return { body: parsed as Answer, etag: response.headers.get('etag') ?? undefined };
  };
}

function contentOf({ body, file, form, client }: ApiRequest): Blob | undefined {
  if (form === undefined) {
    return file ?? (body === undefined ? undefined : new Blob([JSON.stringify(body)], { type: 'application/json' }));
  }
  const parameters = new URLSearchParams(form);
  if (client?.isInForm === true) {
    parameters.set('client_id', client.id);
    parameters.set('client_secret', client.secret);
  }
  return new Blob([parameters.toString()], { type: 'application/x-www-form-urlencoded' });
}

/** RFC 6749 2.3.1. */
const basicOf = ({ id, secret }: { id: string; secret: string }) =>
  `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A version that a change is about (RFC 9110 13.1.1). */
export interface OfVersion {
  etag?: string | undefined;
  /** Tries the act. */
  dryRun?: boolean;
}

/** The members of a request that a version and a dry run add. */
export const versioned = ({ etag, dryRun }: OfVersion) => ({
  ...(dryRun === true && { query: { dry_run: true } }),
  ...(etag !== undefined && { headers: { 'If-Match': etag } }),
});
