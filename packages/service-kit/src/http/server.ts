import type { IncomingMessage } from 'node:http';
import { createFieldsChecker, fieldsProblem, ProblemError } from '@gatehouse/shared';
import { Ajv } from 'ajv';
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifySchemaCompiler,
  LogController,
} from 'fastify';
import type { TObject } from 'typebox';
import type { TrustProxy } from '../common-config.ts';
import type { Logger } from '../logging.ts';
import { logFailure, sendProblem } from './problem-error-handler.ts';
import { chooseRequestId, requestIdHeader } from './request-id.ts';

/** Bytes a request body may have. */
export const bodyLimit = 64 * 1024;

export interface ServerOptions {
  log: Logger;
  trustProxy: TrustProxy;
}

/**
 * A Fastify instance with the house rules: request ids, one log line a request, bodies of at most 64 KiB,
 * nothing coerced in a body, and a graceful end to kept-alive connections.
 */
export function createServer({ log, trustProxy }: ServerOptions): FastifyInstance {
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: (request: IncomingMessage) => chooseRequestId(request),
    trustProxy: typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : trustProxy,
    bodyLimit,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 4096 },
    frameworkErrors: (error, request, reply) => {
      void reply.header(requestIdHeader, request.id);
      // The library's own text repeats the URL, whose query may hold a code or a token.
      const problem = new ProblemError(error.statusCode ?? 400, 'the URL is not valid percent-encoded UTF-8', {
        reason: error.code,
      });
      logFailure(request, problem.status, problem);
      sendProblem(problem, request as FastifyRequest, reply as FastifyReply);
    },
  }) as unknown as FastifyInstance;
  app.setValidatorCompiler(validatorCompiler);
  app.removeContentTypeParser('text/plain');
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(requestIdHeader, request.id);
    done();
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

// A query string and a path hold text only, so their numbers have to be read from it.
const fromText = new Ajv({ coerceTypes: 'array', useDefaults: true, keywords: ['expected'] });

/** Bodies are checked field by field in the house's own words, never coerced; queries and paths by Ajv. */
const validatorCompiler: FastifySchemaCompiler<TObject> = ({ schema, httpPart }) => {
  if (httpPart !== 'body') return fromText.compile(schema);
  const checkFields = createFieldsChecker(schema);
  return (body: unknown) => {
    const result = checkFields(body);
    return result.ok ? { value: result.value } : { error: fieldsProblem(result.errors) };
  };
};
