import type { consolePaths } from '@gatehouse/shared';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { exposedHeaders, preflightAge } from './cross-origin.ts';

const methods = 'GET, POST, PUT, PATCH, DELETE';
/** The headers that the console may send in addition to those of Fetch 2.2.2. */
const headers = 'Authorization, Content-Type, DPoP, If-Match, Prefer, X-Request-Id';

type ConsolePaths = (typeof consolePaths)[keyof typeof consolePaths];

/** The paths that the pages of one origin may call. */
export interface ConsoleAccess {
  origin: string;
  /** Each with all below it. */
  paths: readonly string[];
}

/**
 * Lets the console of administrators call these paths and read the answers, failures too (Fetch 3.2, CORS). No cookie goes with such a
 * request. Any other origin is answered as if there were no console. Call it before the routes.
 */
export function allowConsole(app: FastifyInstance, { origin, paths }: ConsoleAccess): void {
  const isOpen = (path: string) => paths.some((open) => path === open || path.startsWith(`${open}/`));
  const allow = (request: FastifyRequest, reply: FastifyReply): boolean => {
    void reply.header('vary', 'Origin');
    if (request.headers.origin !== origin) return false;
    void reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': exposedHeaders });
    return true;
  };
  app.addHook('onRoute', function (route) {
    // Some routes are open to every origin.
    if (!isOpen(route.url) || this.crossOriginHeaders !== undefined) return;
    const hook = async (request: FastifyRequest, reply: FastifyReply) => void allow(request, reply);
    route.onRequest = [hook, ...[route.onRequest ?? []].flat()];
  });
  app.addHook('onRequest', (request, reply, done) => {
    const isPreflight = request.method === 'OPTIONS' && request.is404 && isOpen(pathOf(request));
    if (!isPreflight || !allow(request, reply)) return done();
    void reply.code(204).headers({
      'access-control-allow-methods': methods,
      'access-control-allow-headers': headers,
      'access-control-max-age': preflightAge,
    });
    void reply.send();
  });
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] as string;
}

/** The access of the console that stands at this address, if any. */
export function accessOfConsole(consoleUrl: string | undefined, paths: ConsolePaths): ConsoleAccess | undefined {
  if (consoleUrl === undefined) return undefined;
  return { origin: new URL(consoleUrl).origin, paths: [...paths.administration, ...paths.state] };
}
