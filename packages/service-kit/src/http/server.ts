import type { IncomingMessage, Server } from 'node:http';
import { ProblemError } from '@gatehouse/shared';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { Logger } from '../logging.ts';
import type { TrustProxy } from '../trust-proxy.ts';
import { refuseOtherMethods } from './allowed-methods.ts';
import { answerInBatches } from './answer-in-batches.ts';
import { createClientErrorHandler } from './client-errors.ts';
import {
  buildServerLimits,
  type ConnectionLimits,
  connectionLimits,
  limitConnections,
  type RequestPatience,
  requestPatience,
} from './connection-limits.ts';
import { allowConsole, type ConsoleAccess } from './console-access.ts';
import { readForwardedAddresses } from './forwarded-addresses.ts';
import { closeGracefully } from './graceful-close.ts';
import { findHostFault } from './host-header.ts';
import { buildSerializer, validatorCompiler } from './late-compilers.ts';
import { logFailure, sendProblem } from './problem-error-handler.ts';
import { chooseRequestId, requestIdHeader } from './request-id.ts';
import { securityHeadersOf } from './security-headers.ts';
import { keepRefusals, type NoteRefusal } from './tell-refusal.ts';
import { createPeerCheck } from './trusted-peers.ts';
import { limitUnfinishedBodies, type UnfinishedBodyLimits, unfinishedBodyLimits } from './unfinished-bodies.ts';

/** The most bytes of a request body. */
export const bodyLimit = 64 * 1024;

export interface ServerOptions {
  log: Logger;
  trustProxy: TrustProxy;
  /** The public base of the service. */
  publicUrl: string;
  /** The console of administrators, if there is one. */
  console?: ConsoleAccess | undefined;
  /** Gives the URL by which a request is routed; its own if left out. */
  rewriteUrl?: ((request: IncomingMessage) => string) | undefined;
  /** Keeps what the service refuses. */
  refusals?: NoteRefusal | undefined;
  /** {@link connectionLimits} where left out. */
  connections?: Partial<ConnectionLimits>;
  /** {@link unfinishedBodyLimits} if left out. */
  unfinishedBodies?: UnfinishedBodyLimits;
  /** {@link requestPatience} if left out. */
  patience?: RequestPatience;
}

/**
 * Creates a Fastify instance with the house rules: request ids, one log line a request, bodies of at most 64 KiB without
 * coercion, the security headers, limits for slow requests and for connections, and a graceful end to kept-alive
 * connections.
 */
export function createServer(options: ServerOptions): FastifyInstance {
  const { log, trustProxy, publicUrl, rewriteUrl, patience = requestPatience } = options;
  const securityHeaders = securityHeadersOf(publicUrl);
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: (request: IncomingMessage) => chooseRequestId(request),
    trustProxy: typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : trustProxy,
    bodyLimit,
    ...buildServerLimits(patience),
    return503OnClosing: false,
    ...(rewriteUrl && { rewriteUrl }),
    clientErrorHandler: createClientErrorHandler(log, securityHeaders),
    routerOptions: { maxParamLength: 4096 },
    schemaController: { compilersFactory: { buildSerializer } },
    frameworkErrors: (error, request, reply) => {
      void reply.header(requestIdHeader, request.id);
      for (const [name, value] of securityHeaders) void reply.header(name, value);
      // The library's own text repeats the URL, whose query may hold a code or a token.
      const isTooLong = error.code === 'FST_ERR_MAX_PARAM_LENGTH';
      const detail = isTooLong ? 'a part of the path is too long' : 'the URL is not valid percent-encoded UTF-8';
      const problem = new ProblemError(error.statusCode ?? 400, detail, { reason: error.code });
      logFailure(request, problem.status, problem);
      sendProblem(problem, request as FastifyRequest, reply as FastifyReply);
    },
  }) as unknown as FastifyInstance;
  app.setValidatorCompiler(validatorCompiler);
  keepRefusals(app, options.refusals);
  closeGracefully(app);
  limitConnections(app, {
    log,
    limits: { ...connectionLimits, ...options.connections },
    trustsPeer: createPeerCheck(trustProxy),
  });
  answerExpectations(app.server, securityHeaders);
  app.removeContentTypeParser('text/plain');
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(requestIdHeader, request.id);
    for (const [name, value] of securityHeaders) reply.header(name, value);
    done(findHostFault(request.raw));
  });
  if (trustProxy !== false) readForwardedAddresses(app, log);
  limitUnfinishedBodies(app, options.unfinishedBodies ?? unfinishedBodyLimits);
  if (options.console !== undefined) allowConsole(app, options.console);
  refuseOtherMethods(app);
  answerInBatches(app);
  app.addHook('onError', async (request, _reply, error) => {
    if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') await drain(request.raw);
  });
  app.addHook('onResponse', (request, reply, done) => {
    request.log.info(
      {
        method: request.method,
        path: request.url.split('?', 1)[0],
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    );
    done();
  });
  return app;
}

/** RFC 9110 10.1.1: answers an expectation other than 100-continue. Node's own answer would lack our headers. */
function answerExpectations(server: Server, headers: [name: string, value: string][]): void {
  server.on('checkExpectation', (_request, response) => {
    response.writeHead(417, Object.fromEntries([...headers, ['connection', 'close']])).end();
  });
}

/** The most bytes read of a body that is too large before it is refused; and the most milliseconds for that. */
const drainLimit = 4 * 1024 * 1024;
const drainTime = 1_000;

/**
 * Reads the rest of a refused body. A connection that is closed with unread bytes is reset, and the client may then lose
 * the answer that says why.
 */
function drain(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const timer = setTimeout(resolve, drainTime);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > drainLimit) done();
    });
    request.once('end', done).once('close', done).resume();
  });
}
