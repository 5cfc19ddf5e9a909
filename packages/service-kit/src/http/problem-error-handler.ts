import { buildProblem, internalErrorText, ProblemError, problemMediaType } from '@gatehouse/shared';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseAway } from '../database/database-errors.ts';
import { toJsonLine } from './json-line.ts';
import { codeOfProblem, tellRefusal } from './tell-refusal.ts';

/** Turns any thrown value into a failure with a public text. An unexpected error becomes a 500. */
export function toProblemError(error: unknown, requestId: string): ProblemError {
  if (error instanceof ProblemError) return error;
  if (isDatabaseAway(error)) {
    return new ProblemError(503, 'the database is out of reach; try again', { retryAfter: 5, cause: error });
  }
  const { statusCode, message } = error as Partial<FastifyError>;
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new ProblemError(statusCode, message ?? 'bad request');
  }
  return new ProblemError(500, internalErrorText(requestId), { cause: error });
}

/** Logs a failure with its private reason: a 5xx as an error with its cause, any other as a refusal. */
export function logFailure(
  request: FastifyRequest,
  status: number,
  error: Error & {
    code?: string;
    challenge?: string | undefined;
    reason?: string | undefined;
    logged?: string | undefined;
  },
) {
  if (status >= 500) {
    request.log.error({ err: error }, 'request failed');
    return;
  }
  const { challenge, code = codeOfProblem({ status, challenge }), logged, message, reason } = error;
  tellRefusal(request, { status, code, detail: logged ?? message, reason });
}

/** Answers any failure as an RFC 9457 problem document. */
export function problemErrorHandler(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const problem = toProblemError(error, request.id);
  logFailure(request, problem.status, problem);
  sendProblem(problem, request, reply);
}

export function sendProblem(problem: ProblemError, request: FastifyRequest, reply: FastifyReply): void {
  if (problem.retryAfter !== undefined) void reply.header('retry-after', problem.retryAfter);
  if (problem.challenge !== undefined) void reply.header('www-authenticate', problem.challenge);
  const { status, message, errors, members } = problem;
  const body = buildProblem(status, message, { errors, members, requestId: request.id });
  // Serialised here, because a failure may not fit the route's own response schema.
  void reply.code(status).type(problemMediaType).serializer(toJsonLine).send(body);
}

export function problemNotFoundHandler(request: FastifyRequest, reply: FastifyReply): void {
  sendProblem(new ProblemError(404, 'no such path; /docs lists all paths'), request, reply);
}
