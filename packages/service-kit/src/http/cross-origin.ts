import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** The headers of every answer of a scope that pages of other origins call. */
    crossOriginHeaders?: Readonly<Record<string, string>>;
  }
}

/** The headers that pages may read in addition to those that Fetch 2.2.2 lists. */
export const exposedHeaders = 'DPoP-Nonce, ETag, Preference-Applied, Retry-After, WWW-Authenticate, X-Request-Id';
/** The headers that pages may send in addition to those of Fetch 2.2.2. A wildcard never stands for Authorization. */
const allowedHeaders = [
  ...['Authorization', 'Content-Type', 'DPoP', 'If-None-Match', 'MCP-Protocol-Version', 'Prefer'],
  ...['traceparent', 'tracestate', 'X-Request-Id', 'X-Requested-With'],
].join(', ');
/** Seconds for which a browser remembers the answer to a preflight: as long as any browser does. */
export const preflightAge = '7200';

export interface CrossOriginRules {
  /** Whether a page of this origin may send requests to the path in the credentials mode `include`. */
  mayIncludeCredentials(path: string, origin: string): Promise<boolean>;
}

/**
 * Lets pages of any origin call the routes of a scope and read the answers, failures too (Fetch 3.2, CORS). The headers are
 * constant: a request costs no decision. Each path answers preflights. Call it before the routes.
 *
 * With `rules` the scope has answers that depend on the origin, so each says `Vary: Origin`.
 */
export function allowEveryOrigin(scope: FastifyInstance, rules?: CrossOriginRules): void {
  const headers: Record<string, string> = {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': exposedHeaders,
    ...(rules === undefined ? {} : { vary: 'Origin' }),
  };
  const pairs = Object.entries(headers);
  // For answers that come before the hooks of the scope: 405.
  scope.decorate('crossOriginHeaders', headers);
  scope.addHook('onRequest', (_request, reply, done) => {
    for (const [name, value] of pairs) reply.header(name, value);
    done();
  });
  answerPreflights(scope, rules);
}

/** A scope of its own for routes that pages of any origin may call. */
export async function registerForEveryOrigin(
  app: FastifyInstance,
  register: (scope: FastifyInstance) => void,
): Promise<void> {
  await app.register(async (scope) => {
    allowEveryOrigin(scope);
    register(scope);
  });
}

/** Lets a page of this origin read an answer to a request that it sent in the credentials mode `include`. */
export function allowCredentialsOf(origin: string, reply: FastifyReply): void {
  void reply.headers({ 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' });
}

/** Adds `OPTIONS` to each path of the scope. Only a method that is not safelisted has to be named: GET, HEAD and POST are. */
function answerPreflights(scope: FastifyInstance, rules: CrossOriginRules | undefined): void {
  const methodsOf = new Map<string, Set<string>>();
  scope.addHook('onRoute', function ({ url, method }) {
    if (method === 'OPTIONS' || method === 'HEAD') return;
    const known = methodsOf.get(url);
    const methods = known ?? new Set(['GET', 'POST']);
    for (const name of [method].flat()) methods.add(name);
    if (known !== undefined) return;
    methodsOf.set(url, methods);
    const answer = async (request: FastifyRequest, reply: FastifyReply) => {
      const { origin } = request.headers;
      if (origin !== undefined && (await rules?.mayIncludeCredentials(url, origin))) allowCredentialsOf(origin, reply);
      return reply
        .code(204)
        .headers({
          'access-control-allow-methods': [...methods].join(', '),
          'access-control-allow-headers': allowedHeaders,
          'access-control-max-age': preflightAge,
        })
        .send();
    };
    this.options(url, { schema: { hide: true }, logLevel: 'warn' }, answer);
  });
}
