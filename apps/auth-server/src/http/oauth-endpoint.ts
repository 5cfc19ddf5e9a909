import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseParameters, type RequestParameters } from '../request-parameters.ts';
import { createOAuthErrorHandler } from './error-handlers.ts';

/**
 * A scope for endpoints that clients call directly: bodies are form-encoded and nothing else, errors are those of
 * RFC 6749 5.2, and any origin may call, as browser-based clients do (no cookie counts here).
 */
export async function registerOAuthScope(
  app: FastifyInstance,
  { realm }: { realm: string },
  register: (scope: FastifyInstance) => void,
): Promise<void> {
  await app.register(async (scope) => {
    await acceptForms(scope);
    scope.setErrorHandler(createOAuthErrorHandler(realm));
    scope.addHook('onRequest', async (_request, reply) => {
      void reply.header('access-control-allow-origin', '*');
    });
    register(scope);
  });
}

/** Leaves the form to be read by {@link getForm}, so that a repeated parameter is not lost on the way. */
export async function acceptForms(scope: FastifyInstance): Promise<void> {
  scope.removeAllContentTypeParsers();
  await scope.register(formbody, { parser: (body) => ({ encoded: body }) });
}

export function getForm(request: FastifyRequest): RequestParameters {
  return parseParameters(getEncodedForm(request));
}

export function getEncodedForm({ body }: FastifyRequest): string {
  return (body as { encoded: string } | undefined)?.encoded ?? '';
}
