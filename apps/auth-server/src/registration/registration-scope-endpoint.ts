import type { FastifyInstance } from 'fastify';
import { registerOwnRegistration } from './own-registration-endpoint.ts';
import { registerDynamicRegistration } from './registration-endpoint.ts';
import { createRegistrationErrorHandler } from './registration-errors-endpoint.ts';

type Dependencies = Parameters<typeof registerDynamicRegistration>[1] &
  Parameters<typeof registerOwnRegistration>[1] & { config: { realm: string } };

/** The endpoints of clients that register themselves, in a scope of their own: they take JSON where others take forms. */
export function registerRegistration(oauth: FastifyInstance, deps: Dependencies): void {
  void oauth.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    scope.setErrorHandler(createRegistrationErrorHandler(deps.config.realm));
    registerDynamicRegistration(scope, deps);
    registerOwnRegistration(scope, deps);
  });
}
