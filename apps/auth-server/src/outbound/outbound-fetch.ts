import type { Call, Purpose, Share } from './http-call.ts';

/** The part of `fetch` that libraries of OAuth use. */
export type OutboundFetch = (
  url: string,
  init: { method?: string; headers?: Record<string, string>; body?: unknown },
) => Promise<Response>;

/** Bytes of an answer. */
const mostBytes = 256 * 1024;
/** Milliseconds. */
const within = 10_000;

/** Calls as `fetch` does, by the rule for addresses of others. Rejects with an OutboundFailure. */
export function createOutboundFetch({ call }: { call: Call }, purpose: Purpose, share: Share): OutboundFetch {
  return async (url, { method, headers = {}, body }) => {
    const answer = await call({
      ...{ purpose, share, url, headers, mostBytes, within, takesErrors: true },
      method: method === 'POST' ? 'POST' : 'GET',
      body: body === undefined || body === null ? undefined : String(body),
      accept: headers.accept ?? 'application/json',
      mediaType: /^application\/(?:[\w.-]+\+)?(?:json|jwt)$/,
    });
    const type = { 'content-type': answer.mediaType };
    return new Response(new Uint8Array(answer.body), { status: answer.status, headers: type });
  };
}
