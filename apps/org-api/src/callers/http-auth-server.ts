import type { Fetch } from '@gatehouse/resource-server/parts';
import type { TraceHeaders } from '@gatehouse/service-kit/tracing';
import { Agent, type Dispatcher, request } from 'undici';

interface Dependencies {
  traceHeaders: TraceHeaders | undefined;
  /** Connections to use instead of those that the process shares. */
  dispatcher: Dispatcher | undefined;
  /** The beginning of public addresses, and what stands for it where auth-server is reached. */
  publicBase: string;
  base: string;
}

/** Opens connections that trust these PEM certificates. Without certificates it gives undefined: the process's own are used. */
export function openConnections(ca: string | undefined): Dispatcher | undefined {
  return ca === undefined ? undefined : new Agent({ connect: { ca } });
}

/** Asks auth-server where this service reaches it. */
export function createAskAuthServer({ traceHeaders, dispatcher, publicBase, base }: Dependencies): Fetch {
  return async (url, { headers, signal }) => {
    const address = url.startsWith(publicBase) ? base + url.slice(publicBase.length) : url;
    const answer = await request(address, {
      headers: { ...headers, ...traceHeaders?.() },
      signal,
      ...(dispatcher === undefined ? {} : { dispatcher }),
    });
    const { body } = answer;
    return {
      status: answer.statusCode,
      headers: { get: (name) => [answer.headers[name]].flat()[0] ?? null },
      body: Object.assign(body, { cancel: () => body.dump() }),
    };
  };
}
