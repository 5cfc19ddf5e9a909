import type { IncomingHttpHeaders } from 'node:http';

export type SpanAttributes = Readonly<Record<string, string | number>>;

/** The name and the attributes of a span. They come from closed sets of words, never from a request. */
export interface SpanDescription {
  name: string;
  kind: 'internal' | 'client';
  attributes?: SpanAttributes;
}

/** Identifiers as log lines carry them (W3C Trace Context 2). */
export interface TraceIds {
  trace_id: string;
  span_id: string;
}

/** A request that is being answered. */
export interface RequestSpan {
  readonly ids: TraceIds;
  /** Makes this span the active one for `work` and all that it starts. */
  run<T>(work: () => T): T;
  /** `status` is undefined where the caller closed the connection before the answer. */
  end(status: number | undefined): void;
}

/** The port to distributed tracing. Where tracing is off the port is undefined, and its code is not loaded. */
export interface Tracing {
  /** Starts a server span. Its parent is the caller's span where the headers hold a `traceparent`. */
  startRequest(request: {
    method: string;
    route: string | undefined;
    path: string;
    headers: IncomingHttpHeaders;
  }): RequestSpan;
  /** Runs `work` in a span below the active one. Without an active span, as in the background, it only runs `work`. */
  inSpan<T>(description: SpanDescription, work: () => Promise<T>): Promise<T>;
  /** The headers by which another service continues the active trace: `traceparent`, and `tracestate` where there is one. */
  headers(): Record<string, string>;
  /** Sends the remaining spans. */
  close(): Promise<void>;
}

/** Headers for a call to another service; none where tracing is off. */
export type TraceHeaders = () => Record<string, string>;

export function traceHeadersOf(tracing: Tracing | undefined): TraceHeaders {
  return tracing === undefined ? () => ({}) : () => tracing.headers();
}
