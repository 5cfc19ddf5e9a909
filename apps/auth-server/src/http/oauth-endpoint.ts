import { allowEveryOrigin, type CrossOriginRules, describeSharedFailures } from '@gatehouse/service-kit/http';
import type { FastifyInstance } from 'fastify';
import { createOAuthErrorHandler } from './error-handlers.ts';
import { acceptForms, describeOAuthErrors } from './form.ts';

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
