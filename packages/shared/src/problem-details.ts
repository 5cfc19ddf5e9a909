import { type Static, Type } from 'typebox';

/** The media type of RFC 9457. */
export const problemMediaType = 'application/problem+json';

/** One field of a body that breaks a rule. */
export const FieldError = Type.Object({
  field: Type.String({ description: 'Name of the field; `body` where the whole body is at fault' }),
  detail: Type.String({ description: 'What is expected' }),
});
/** `logged`: the detail for the log, where `detail` repeats a value that the caller sent, which may be a secret; `loggedField`: the same of `field`. */
export type FieldError = Static<typeof FieldError> & { logged?: string; loggedField?: string };

/** RFC 9457 problem details. */
export const ProblemDetails = Type.Object(
  {
    type: Type.String({ description: '`about:blank`: the status says it all' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    instance: Type.Optional(Type.String({ description: 'The request id, as `urn:request:<id>`' })),
    errors: Type.Optional(Type.Array(FieldError)),
    current: Type.Optional(Type.Unknown({ description: 'Of a 412: the object as it is now' })),
  },
  { $id: 'ProblemDetails', description: 'RFC 9457 problem details' },
);
export type ProblemDetails = Static<typeof ProblemDetails>;

const titles: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** The phrase of RFC 9110 for a status. */
export function titleOfStatus(status: number): string {
  return titles[status] ?? 'Error';
}

export interface ProblemOptions {
  errors?: readonly FieldError[] | undefined;
  /** More members of the document (RFC 9457 3.2). */
  members?: Readonly<Record<string, unknown>> | undefined;
  /** Seconds: the `Retry-After` header. */
  retryAfter?: number | undefined;
  /** The `WWW-Authenticate` header. */
  challenge?: string | undefined;
  /** For the log only, never sent. */
  reason?: string | undefined;
  /** For the log, in place of the public text. */
  logged?: string;
  cause?: unknown;
}

/** A failure that is answered as a problem document. `message` is public; `reason` goes to the log. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  readonly errors: readonly FieldError[] | undefined;
  readonly members: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfter: number | undefined;
  readonly challenge: string | undefined;
  readonly reason: string | undefined;
  readonly logged: string | undefined;

  constructor(status: number, detail: string, options: ProblemOptions = {}) {
    super(detail, { cause: options.cause });
    this.status = status;
    this.errors = options.errors;
    this.members = options.members;
    this.retryAfter = options.retryAfter;
    this.challenge = options.challenge;
    this.reason = options.reason;
    this.logged = options.logged;
  }
}

/** A body whose fields break the rules, as one 400. */
export function fieldsProblem(errors: readonly FieldError[]): ProblemError {
  const logged = buildFieldsReason(
    errors.map(({ field, detail, logged = detail, loggedField = field }) => ({ field: loggedField, detail: logged })),
  );
  const shown = errors.map(({ field, detail }) => ({ field, detail }));
  return new ProblemError(400, buildFieldsReason(errors), { errors: shown, logged });
}

/** The faults of several fields in one line. */
export function buildFieldsReason(errors: readonly FieldError[]): string {
  return errors.map(({ field, detail }) => `${field} ${detail}`).join('; ');
}

export function buildProblem(
  status: number,
  detail: string,
  extra: Pick<ProblemOptions, 'errors' | 'members'> & { requestId?: string } = {},
): ProblemDetails {
  return {
    type: 'about:blank',
    title: titleOfStatus(status),
    status,
    detail,
    ...(extra.requestId === undefined ? {} : { instance: `urn:request:${extra.requestId}` }),
    ...(extra.errors === undefined ? {} : { errors: [...extra.errors] }),
    ...extra.members,
  };
}
