import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Logger } from '../logging.ts';
import type { BuildInfo } from '../metrics/build-info.ts';
import { createReportDelivery, reportExports } from './report-exports.ts';
import type { RequestSpan, Tracing } from './tracing.ts';

/** Milliseconds to send the remaining spans when the process ends. */
const flushDeadline = 3_000;
const spanKinds = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT } as const;

interface Options {
  /** The URL that spans are posted to: an OTLP/HTTP receiver's `/v1/traces`. */
  tracesUrl: string;
  build: BuildInfo;
  log: Logger;
}

/**
 * Tracing by OpenTelemetry's SDK, which itself reads the standard variables for everything except the address. Nothing is
 * registered globally, so two services in one process, as in tests, do not share a trace by accident.
 */
export function createOpenTelemetry({ tracesUrl, build, log }: Options): Tracing {
  const report = createReportDelivery(log);
  const provider = new BasicTracerProvider({
    resource: buildResource(build),
    spanProcessors: [new BatchSpanProcessor(reportExports(new OTLPTraceExporter({ url: tracesUrl }), report))],
  });
  const tracer = provider.getTracer('gatehouse', build.version);
  const propagator = new W3CTraceContextPropagator();
  const active = new AsyncLocalStorage<Context>();

  return {
    startRequest({ method, route, path, headers }) {
      const parent = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
      const span = tracer.startSpan(
        route === undefined ? method : `${method} ${route}`,
        {
          kind: SpanKind.SERVER,
          attributes: {
            'http.request.method': method,
            'url.path': path,
            ...(route === undefined ? {} : { 'http.route': route }),
          },
        },
        parent,
      );
      return createRequestSpan(span, active, trace.setSpan(parent, span));
    },
    async inSpan({ name, kind, attributes = {} }, work) {
      const parent = active.getStore();
      if (parent === undefined) return work();
      const span = tracer.startSpan(name, { kind: spanKinds[kind], attributes }, parent);
      try {
        return await active.run(trace.setSpan(parent, span), work);
      } catch (error) {
        // Only the name of the error: its text may repeat a value of the request.
        markFailed(span, error instanceof Error ? error.name : 'error');
        throw error;
      } finally {
        span.end();
      }
    },
    headers() {
      const carrier: Record<string, string> = {};
      const context = active.getStore();
      if (context !== undefined) propagator.inject(context, carrier, defaultTextMapSetter);
      return carrier;
    },
    async close() {
      const flushed = provider.shutdown().then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error : new Error('failed')),
      );
      // The SDK retries an unreachable receiver for longer than a stopping process can wait.
      const late = sleep(flushDeadline, new Error('late'), { ref: false });
      const failure = await Promise.race([flushed, late]);
      if (failure !== undefined) report(failure);
    },
  };
}

function createRequestSpan(span: Span, active: AsyncLocalStorage<Context>, context: Context): RequestSpan {
  const { traceId, spanId } = span.spanContext();
  return {
    ids: { trace_id: traceId, span_id: spanId },
    run: (work) => active.run(context, work),
    end(status) {
      if (status !== undefined) span.setAttribute('http.response.status_code', status);
      // Semantic conventions: a 4xx is not an error of the server.
      if (status === undefined || status >= 500) markFailed(span, status === undefined ? 'aborted' : String(status));
      span.end();
    },
  };
}

function markFailed(span: Span, errorType: string): void {
  span.setAttribute('error.type', errorType);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` override the name and the version of the service. */
function buildResource({ service, version }: BuildInfo) {
  return defaultResource()
    .merge(resourceFromAttributes({ 'service.name': service, 'service.version': version }))
    .merge(detectResources({ detectors: [envDetector] }));
}
