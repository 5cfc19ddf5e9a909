import type { FastifyInstance } from 'fastify';

/**
 * Lets pages of any origin call the scope's endpoints and read the answers (Fetch 3.3, CORS). It sets two constant
 * headers: for every token this costs much less than a plugin that decides by the request.
 */
export function allowAnyOrigin(scope: FastifyInstance): void {
  scope.addHook('onRequest', (_request, reply, done) => {
    reply.header('access-control-allow-origin', '*');
    reply.header('access-control-expose-headers', 'DPoP-Nonce, WWW-Authenticate, X-Request-Id');
    done();
  });
  scope.options('*', { schema: { hide: true }, logLevel: 'warn' }, (_request, reply) =>
    reply
      .code(204)
      .headers({
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': 'Authorization, Content-Type, DPoP',
        'access-control-max-age': '7200',
      })
      .send(),
  );
}
