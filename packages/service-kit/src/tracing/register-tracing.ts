import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import type { RequestSpan, Tracing } from './tracing.ts';

/** Routes that machines call every few seconds. They get no trace. */
const untraced = new Set(['/health/live', '/health/ready', '/metrics']);

/** The steps of a route that may call other services or the database. */
const steps = ['onRequest', 'preParsing', 'preValidation', 'preHandler', 'handler'] as const;

/**
 * Starts a server span for each request; the request's log lines carry its identifiers. All later hooks run in it. Every
 * step of a route enters the span again: requests that were held back and released together would otherwise go on in the
 * context of the request that released them. Register it before the routes.
 */
export function registerTracing(app: FastifyInstance, tracing: Tracing | undefined): void {
  if (tracing === undefined) return;
  const spans = new WeakMap<FastifyRequest, RequestSpan>();

  app.addHook('onRoute', (route) => {
    if (untraced.has(route.url)) return;
    for (const step of steps) enterAt(route, step, spans);
  });
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, headers, routeOptions } = request;
    if (untraced.has(routeOptions.url ?? '')) return done();
    const path = request.url.split('?', 1)[0] ?? '';
    const span = tracing.startRequest({ method, route: routeOptions.url, path, headers });
    spans.set(request, span);
    request.log = request.log.child({ ...span.ids });
    span.run(done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    spans.get(request)?.end(reply.statusCode);
    done();
  });
  app.addHook('onRequestAbort', (request, done) => {
    spans.get(request)?.end(undefined);
    done();
  });
}

type Step = (this: unknown, request: FastifyRequest, ...rest: unknown[]) => unknown;

function enterAt(route: RouteOptions, name: (typeof steps)[number], spans: WeakMap<FastifyRequest, RequestSpan>): void {
  const enter = (step: Step): Step =>
    function (request, ...rest) {
      const work = () => step.call(this, request, ...rest);
      const span = spans.get(request);
      return span === undefined ? work() : span.run(work);
    };
  const given = route[name] as Step | Step[] | undefined;
  if (given === undefined) return;
  Object.assign(route, { [name]: Array.isArray(given) ? given.map(enter) : enter(given) });
}
