import { isLoopbackHost } from '@gatehouse/service-kit';
import type { Client } from './client.ts';
import { redirectUrisOf } from './redirect-uri.ts';

type Redirecting = Pick<Client, 'redirectUri' | 'metadata'>;

/**
 * The origins (RFC 6454) of the client's redirect URIs: where its pages are. Only https, and http on a loopback host, have
 * pages; the origin of a private-use scheme would be `null`.
 */
export function listOrigins(client: Redirecting): string[] {
  const origins = redirectUrisOf(client).map(findOrigin);
  return [...new Set(origins.filter((origin) => origin !== undefined))];
}

/** Whether pages of this origin are the client's. `origin` is as browsers send it, which is one form for each origin. */
export function isOriginOf(client: Redirecting, origin: string): boolean {
  return listOrigins(client).includes(origin);
}

function findOrigin(redirectUri: string): string | undefined {
  if (!URL.canParse(redirectUri)) return undefined;
  const { protocol, hostname, origin } = new URL(redirectUri);
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname)) ? origin : undefined;
}
