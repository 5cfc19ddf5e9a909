import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Metrics } from '../metrics/metrics.ts';

/** Seconds; from a cached answer to a password hash that had to wait. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** `GET /metrics` in the Prometheus text format, and a latency histogram by route and status. */
export function registerMetrics(app: FastifyInstance, metrics: Metrics): void {
  const duration = metrics.histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer, by method, route and status',
    labelNames: ['method', 'route', 'status'],
    buckets,
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unmatched';
    duration.observe([request.method, route, reply.statusCode], reply.elapsedTime / 1000);
    done();
  });
  const figures = { description: 'The figures', content: { 'text/plain': { schema: Type.String() } } };
  const response = { 200: figures };
  const schema = {
    tags: ['operations'],
    operationId: 'getMetrics',
    summary: 'Figures in the Prometheus text format',
    response,
  };
  app.get('/metrics', { schema, logLevel: 'warn' }, async (_request, reply) => {
    void reply.type(metrics.contentType);
    return metrics.print();
  });
}
