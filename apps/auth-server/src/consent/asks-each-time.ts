import { type Client, isPublic, redirectUrisOf } from '../clients/client.ts';

/**
 * RFC 6749 10.2: whether the user is asked at each request. Nothing proves that a public client is what its registration
 * says, and anybody can register one of any name. Only an https redirect URI says where the answer goes: a host that
 * nobody else has. With several hosts, what a user allows for one would be given to the others too.
 */
export function asksEachTime(client: Client): boolean {
  return client.dynamic !== undefined && isPublic(client) && !hasOneHost(redirectUrisOf(client));
}

function hasOneHost(redirectUris: readonly string[]): boolean {
  const hosts = new Set(redirectUris.map((uri) => new URL(uri).host));
  return hosts.size === 1 && redirectUris.every((uri) => /^https:/i.test(uri));
}
