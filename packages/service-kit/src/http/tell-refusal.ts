import { titleOfStatus } from '@gatehouse/shared';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RequestContext } from '../request-context.ts';
import { requestContextOf } from './request-context-of.ts';

/** A request that was refused, and the server's own sentence why. */
export interface ToldRefusal {
  status: number;
  /** An error code of OAuth; where there is none, a name of the status, such as `not_found`. */
  code: string;
  /** Never a value that came with the request, but names that are registered. */
  reason: string;
}

/** Keeps refusals for administrators. Returns at once and never throws. */
export interface NoteRefusal {
  /** `findOperation` gives the id of the operation; of a form without one its method and path. */
  note(refusal: ToldRefusal, context: RequestContext, findOperation: () => string): void;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Undefined where the service keeps none. */
    refusals: NoteRefusal | undefined;
  }
}

/** Lets the service keep the refusals that are told of its requests. */
export function keepRefusals(app: FastifyInstance, refusals: NoteRefusal | undefined): void {
  app.decorate('refusals', refusals);
  app.decorateRequest('ownContext', undefined);
}

/**
 * Tells that a request was refused: in the log, and to those who keep refusals. `detail`: the public text; `reason`: what is private.
 */
export function tellRefusal(
  request: FastifyRequest,
  { status, code, detail, reason }: Omit<ToldRefusal, 'reason'> & { detail: string; reason?: string | undefined },
): void {
  request.log.info({ status, detail, reason }, 'request refused');
  // A path that does not exist refuses nothing.
  if (request.is404 || protocolSteps.has(code)) return;
  if (unkeptPaths.test(request.url)) return;
  const refusal = { status, code, reason: reason ?? detail };
  request.server.refusals?.note(refusal, requestContextOf(request), () => nameOperation(request));
}

/** Fastify puts the options together at each look: for a refusal that is left out nobody looks. */
function nameOperation({ routeOptions: { method, url, schema } }: FastifyRequest): string {
  const { operationId = `${method} ${url}` } = (schema ?? {}) as { operationId?: string };
  return operationId;
}

/** Answers by which a client learns to go on (RFC 9449 8, RFC 8628 3.5). */
const protocolSteps: ReadonlySet<string> = new Set(['use_dpop_nonce', 'authorization_pending']);

const unkeptPaths = /^\/(?:health|metrics|assets|docs)(?:[/?]|$)/;

/** The code of a failure that is answered as a problem document: that of its challenge (RFC 6750 3), or a name of its status. */
export function codeOfProblem({ status, challenge }: { status: number; challenge?: string | undefined }): string {
  const [, code] = /\berror="([a-z_]+)"/.exec(challenge ?? '') ?? [];
  return code ?? titleOfStatus(status).toLowerCase().replaceAll(' ', '_');
}
