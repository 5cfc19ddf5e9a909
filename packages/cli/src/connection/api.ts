import { SignInNeeded, StepError } from '../failures.ts';
import type { SendAuthorized } from './access.ts';
import { readMembers } from './send.ts';

export interface ApiRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Encoded, without a query. */
  path: string;
  query?: Record<string, string | undefined>;
  body?: object;
  /** In place of a body. */
  file?: { type: string; bytes: Buffer };
  headers?: Record<string, string>;
}

export interface Answered {
  /** Empty where there is no document. */
  body: Record<string, unknown>;
  bytes: Buffer;
  /** The version of the object (RFC 9110 8.8.3). */
  etag: string | undefined;
}

/** The administration of one service. Throws an ApiError, or a SignInNeeded. */
export type Api = (request: ApiRequest) => Promise<Answered>;

/** A fault of a body. The field is empty where it is not one member that is at fault. */
export interface FieldFault {
  field: string;
  detail: string;
}

/** A service refused (RFC 9457). */
export class ApiError extends StepError {
  readonly status: number;
  readonly faults: readonly FieldFault[];
  constructor(step: string, { method, path }: ApiRequest, status: number, problem: Record<string, unknown>) {
    super(step, `${method} ${path} answered ${status}${describe(problem)}`);
    this.status = status;
    this.faults = listFaults(problem);
  }
}

export function createApi(base: string, step: string, send: SendAuthorized): Api {
  return async (request) => {
    const { method, path, query = {}, headers } = request;
    const content = contentOf(request);
    const url = base + path + formatQuery(query);
    const answer = await send(step, url, {
      method,
      headers: {
        accept: 'application/json, application/problem+json',
        ...headers,
        ...(content !== undefined && { 'content-type': content.type }),
      },
      ...(content !== undefined && { body: content.bytes }),
    });
    const members = readMembers(answer.text);
    if (answer.status >= 200 && answer.status < 300) {
      return { body: members, bytes: answer.bytes, etag: answer.headers.get('etag') ?? undefined };
    }
    const challenge = answer.headers.get('www-authenticate') ?? '';
    if (answer.status === 401 && challenge.includes('insufficient_user_authentication')) {
      throw new SignInNeeded({
        acr: readParameter(challenge, 'acr_values'),
        maxAge: readParameter(challenge, 'max_age'),
      });
    }
    throw new ApiError(step, request, answer.status, members);
  };
}

function contentOf({ body, file }: ApiRequest) {
  return body === undefined ? file : { type: 'application/json', bytes: Buffer.from(JSON.stringify(body)) };
}

function formatQuery(query: Record<string, string | undefined>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

function readParameter(challenge: string, name: string): string | undefined {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(challenge)?.[1];
}

function listFaults({ title, detail, errors }: Record<string, unknown>): FieldFault[] {
  const faults = readFaults(errors);
  return faults.length > 0 ? faults : [{ field: '', detail: String(detail ?? title ?? 'is refused') }];
}

/** The entries of `errors`, or of `problems` of a line that is imported. */
export function readFaults(errors: unknown): FieldFault[] {
  const faults = Array.isArray(errors) ? (errors as { field?: string; detail?: string }[]) : [];
  return faults.map(({ field = '', detail = '' }) => ({ field, detail }));
}

function describe({ title, detail, errors }: Record<string, unknown>): string {
  const text = detail ?? title;
  const fields = readFaults(errors).map((fault) => `${fault.field} ${fault.detail}`.trim());
  const said = [
    ...(text === undefined ? [] : [String(text)]),
    ...fields.filter((field) => !String(text).includes(field)),
  ];
  return said.length === 0 ? '' : `: ${said.join('; ')}`;
}

/** Reads what may not be there. `absent`: the statuses that say so. */
export async function readIfThere(
  api: Api,
  path: string,
  absent: readonly number[] = [404],
): Promise<Answered | undefined> {
  try {
    return await api({ method: 'GET', path });
  } catch (error) {
    if (error instanceof ApiError && absent.includes(error.status)) return undefined;
    throw error;
  }
}

/** Reads all pages of a list. */
export async function listAll(
  api: Api,
  request: Pick<ApiRequest, 'path' | 'query'>,
  member: string,
): Promise<Record<string, unknown>[]> {
  const all: Record<string, unknown>[] = [];
  for await (const each of listEach(api, request, member)) all.push(each);
  return all;
}

/** The same one by one: the list may be longer than memory. */
export async function* listEach(
  api: Api,
  request: Pick<ApiRequest, 'path' | 'query'>,
  member: string,
): AsyncGenerator<Record<string, unknown>> {
  let cursor: string | undefined;
  do {
    const query = { limit: '200', ...request.query, ...(cursor !== undefined && { cursor }) };
    const { body } = await api({ method: 'GET', path: request.path, query });
    yield* (body[member] ?? []) as Record<string, unknown>[];
    cursor = (body.next_cursor ?? body.nextCursor) as string | undefined;
  } while (cursor !== undefined);
}
