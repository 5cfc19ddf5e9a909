import type { OutboundFetch } from '../outbound/outbound-fetch.ts';

/** Loaded by the first sign-in at an upstream. */
export const loadOAuth = () => import('oauth4webapi');

/** The library calls by the rule for addresses of others, which says which ones may be called without TLS. */
export function callBy(oauth: Awaited<ReturnType<typeof loadOAuth>>, outboundFetch: OutboundFetch) {
  return { [oauth.customFetch]: outboundFetch as unknown as typeof fetch, [oauth.allowInsecureRequests]: true };
}

/** An address with these parameters; without those that are undefined. */
export function addParameters(address: URL, parameters: Readonly<Record<string, string | undefined>>): string {
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) address.searchParams.set(name, value);
  return address.href;
}
