import type { IncomingHttpHeaders } from 'node:http';

export type SpanAttributes = Readonly<Record<string, string | number>>;

/** A step of the work, named and described by closed sets of words: never by a value that somebody sent. */
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
  /** `status` is undefined where the caller went away before there was an answer. */
  end(status: number | undefined): void;
}

/** The port to distributed tracing. Where it is off there is none, and nothing of it is loaded. */
export interface Tracing {
  /** Begins a server span, below the caller's where the headers hold a `traceparent`. */
  startRequest(request: {
    method: string;
    route: string | undefined;
    path: string;
    headers: IncomingHttpHeaders;
  }): RequestSpan;
  /** Runs `work` as a span below the active one; without one, such as in the background, just runs it. */
  inSpan<T>(description: SpanDescription, work: () => Promise<T>): Promise<T>;
  /** What lets another service go on with the active trace: `traceparent`, and `tracestate` where there is one. */
  headers(): Record<string, string>;
  /** Sends what has not been sent yet. */
  close(): Promise<void>;
}

/** Headers for a call to another service; none where tracing is off. */
export type TraceHeaders = () => Record<string, string>;

export function traceHeadersOf(tracing: Tracing | undefined): TraceHeaders {
  return tracing === undefined ? () => ({}) : () => tracing.headers();
}
