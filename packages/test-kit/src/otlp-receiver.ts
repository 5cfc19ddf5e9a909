import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as it came over the wire. */
export interface ReceivedSpan {
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  /** OTLP: 1 internal, 2 server, 3 client. */
  kind: number;
  attributes: Record<string, string | number>;
  failed: boolean;
}

/** Takes spans by OTLP/HTTP in JSON, as a collector does. */
export interface OtlpReceiver {
  /** As OTEL_EXPORTER_OTLP_ENDPOINT takes it. */
  endpoint: string;
  spans(): ReceivedSpan[];
  /** All that was posted, headers included, as text. */
  payload(): string;
  close(): Promise<void>;
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const headers: string[] = [];
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    headers.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    if (request.url === '/v1/traces') bodies.push(Buffer.concat(chunks).toString('utf8'));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => bodies.flatMap(readSpans),
    payload: () => [...headers, ...bodies].join('\n'),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface KeyValue {
  key: string;
  value: { stringValue?: string; intValue?: number | string };
}

interface ExportedTraces {
  resourceSpans: {
    resource: { attributes: KeyValue[] };
    scopeSpans: {
      spans: (Pick<ReceivedSpan, 'traceId' | 'spanId' | 'name' | 'kind'> & {
        parentSpanId?: string;
        attributes: KeyValue[];
        status?: { code?: number };
      })[];
    }[];
  }[];
}

function readSpans(body: string): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(body) as ExportedTraces;
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(readAttributes(resource.attributes)['service.name']);
    return scopeSpans
      .flatMap(({ spans }) => spans)
      .map(({ traceId, spanId, parentSpanId, name, kind, attributes, status }) => ({
        service,
        traceId,
        spanId,
        parentSpanId,
        name,
        kind,
        attributes: readAttributes(attributes),
        failed: status?.code === 2,
      }));
  });
}

function readAttributes(attributes: readonly KeyValue[]): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)] as const),
  );
}
