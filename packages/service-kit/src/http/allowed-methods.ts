import { ProblemError } from '@gatehouse/shared';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';

/** A path of the service, the methods that it has, and the scope whose form of errors it answers. */
interface KnownPath {
  pattern: RegExp;
  methods: Set<string>;
  scope: FastifyInstance;
}

/**
 * RFC 9110 15.5.6: a path that exists answers 405 with `Allow` to a method that it does not have, whatever Node's parser
 * takes for a method. Register it before the routes. The answer comes before the body is read, and has the form of the
 * errors of the path's scope. A path that does not exist stays a 404.
 */
export function refuseOtherMethods(app: FastifyInstance): void {
  const paths = new Map<string, KnownPath>();
  app.addHook('onRoute', function ({ url, method }) {
    // A route for every path does not say which paths exist. OPTIONS is there for preflights alone (CORS).
    if (url === '*' || method === 'OPTIONS') return;
    const path = paths.get(url) ?? { pattern: compilePath(url), methods: new Set(), scope: this };
    paths.set(url, path);
    for (const name of listMethods(method)) path.methods.add(name);
  });
  app.addHook('onRequest', (request, reply, done) => {
    const known = request.is404 ? findPath(paths.values(), request.url) : undefined;
    if (known === undefined) done();
    else refuse(known, request, reply);
  });
}

function listMethods(method: HTTPMethods | HTTPMethods[]): HTTPMethods[] {
  return Array.isArray(method) ? method : [method];
}

function refuse({ methods, scope }: KnownPath, request: FastifyRequest, reply: FastifyReply): void {
  const allowed = [...methods].sort().join(', ');
  void reply.headers({ ...scope.crossOriginHeaders, allow: allowed });
  const problem = new ProblemError(405, `this path takes only ${allowed}`);
  scope.errorHandler.call(scope, problem as never, request, reply);
}

function findPath(paths: Iterable<KnownPath>, url: string): KnownPath | undefined {
  const path = decodePath(url.split('?', 1)[0] as string);
  for (const known of paths) if (known.pattern.test(path)) return known;
  return undefined;
}

/** As the router reads it: an escaped slash stays part of a parameter. */
function decodePath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** The paths of a route: `:name` stands for one segment, `*` for all that follows. */
function compilePath(url: string): RegExp {
  const source = url
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/:[^/]+/g, '[^/]+')
    .replaceAll('*', '.*');
  return new RegExp(`^${source}$`);
}
