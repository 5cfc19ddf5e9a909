import formbody from '@fastify/formbody';
import { allowEveryOrigin, type CrossOriginRules, describeSharedFailures } from '@gatehouse/service-kit/http';
import { OAuthError } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import { createOAuthErrorHandler } from './error-handlers.ts';
import { describeOAuthErrors } from './form.ts';

/**
 * A scope for endpoints that clients call directly. Bodies must be form-encoded, and errors are those of RFC 6749 5.2. Any
 * origin may call, for browser-based clients; these endpoints use no cookie.
 */
export async function registerOAuthScope(
  app: FastifyInstance,
  { realm, crossOriginRules }: { realm: string; crossOriginRules: CrossOriginRules },
  register: (scope: FastifyInstance) => void,
): Promise<void> {
  await app.register(async (scope) => {
    await acceptForms(scope);
    scope.setErrorHandler(createOAuthErrorHandler(realm));
    allowEveryOrigin(scope, crossOriginRules);
    describeSharedFailures(scope, describeOAuthErrors);
    register(scope);
  });
}

/** Keeps the form as text for `getForm` of `form.ts`, so that a repeated parameter is not lost. */
export async function acceptForms(scope: FastifyInstance): Promise<void> {
  scope.removeAllContentTypeParsers();
  await scope.register(formbody, { parser: (body) => ({ encoded: body }) });
  scope.addContentTypeParser('*', ({ headers }, _body, done) => done(buildTypeError(headers['content-type'])));
}

const formType = 'application/x-www-form-urlencoded';

/** RFC 6749 5.2: 400. Most who send something else send JSON, and are told so. */
function buildTypeError(type = ''): OAuthError {
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(type))
    return new OAuthError('invalid_request', `send the parameters as ${formType}`);
  return new OAuthError('invalid_request', `send the parameters as ${formType}, not JSON`, { status: 415 });
}
