import type { FastifyInstance, FastifyRequest, preHandlerAsyncHookHandler } from 'fastify';
import { metadataHeaders, metadataPreflightHeaders } from './metadata/protected-resource.ts';
import type { AccessToken } from './request/access-token.ts';
import type { RouteNeeds } from './request/check-request.ts';
import { TokenError } from './request/token-error.ts';
import { type VerifierOptions, verifier } from './verifier.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The verified token; null in a route that requires none. */
    accessToken: AccessToken | null;
  }
  interface FastifyInstance {
    /** A hook that refuses requests without a good token. */
    requireToken: preHandlerAsyncHookHandler;
    /** A hook that refuses requests without a good token of all these scopes. */
    requireScope(...scope: string[]): preHandlerAsyncHookHandler;
    /** A hook that also demands groups of the user, and how, and how recently, the user signed in (RFC 9470). */
    requireAuthentication(needs: RouteNeeds): preHandlerAsyncHookHandler;
  }
}

/** A Fastify plugin: `app.requireToken`, `app.requireScope(…)`, `app.requireAuthentication(…)`, `request.accessToken`, and the metadata of RFC 9728. */
export async function resourceServer(app: FastifyInstance, options: VerifierOptions): Promise<void> {
  const { verify, metadata, close } = verifier({ ...options, log: options.log ?? app.log });
  const requireAuthentication = (needs: RouteNeeds): preHandlerAsyncHookHandler =>
    async function checkToken(request, reply) {
      try {
        const setHeader = (name: string, value: string) => void reply.header(name, value);
        (request as FastifyRequest).accessToken = await verify(request, {
          ...{ ...needs, setHeader, requestId: request.id, log: options.log ?? request.log },
        });
      } catch (error) {
        if (error instanceof TokenError) void reply.headers(error.headers);
        throw error;
      }
    };
  app.decorateRequest('accessToken', null);
  app.decorate('requireAuthentication', requireAuthentication);
  app.decorate('requireScope', (...scope) => requireAuthentication({ scope }));
  app.decorate('requireToken', requireAuthentication({}));
  app.addHook('onClose', async () => close());
  if (metadata === undefined) return;
  // A colon would begin a parameter. A query is not of the route.
  const [route = ''] = metadata.path.replaceAll(':', '::').split('?', 1);
  app.get(route, async (_request, reply) => {
    void reply.headers(metadataHeaders);
    return metadata.document;
  });
  // An API that answers preflights everywhere, as by @fastify/cors, may have the route already.
  if (app.hasRoute({ method: 'OPTIONS', url: route })) return;
  app.options(route, (_request, reply) => reply.code(204).headers(metadataPreflightHeaders).send());
}

/** The decorators are for the instance that registers the plugin, as those of fastify-plugin are. */
Object.assign(resourceServer, {
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: '@gatehouse/resource-server',
});
