import { isLoopbackHost } from '@gatehouse/service-kit';
import type { Client } from './client.ts';
import { createIsOfStranger } from './stranger.ts';

/**
 * Gives the host of an address to which no answer goes before the user says so: a website that a stranger registered. RFC 9700
 * 4.11.2: else a link to this server would lead anywhere. Undefined where a redirect is safe: an administrator, or the holder
 * of an initial access token, registered the address, or administrators listed the document; or it leads to no website, but to a program of the user's own
 * machine, by loopback or a private-use scheme (RFC 8252 7).
 */
export function findUntrustedHost(
  client: Client,
  address: string,
  config: { clientIdMetadataUrls: readonly string[] },
): string | undefined {
  if (!createIsOfStranger(config)(client)) return undefined;
  const { protocol, hostname, host } = new URL(address);
  return /^https?:$/.test(protocol) && !isLoopbackHost(hostname) ? host : undefined;
}
