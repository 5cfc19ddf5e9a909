import { type Client, isPublic, redirectUrisOf } from '../clients/client.ts';

/**
 * RFC 6749 10.2: whether the user is asked at each request. Nothing proves that a public client is what its registration
 * says, and anybody can register one of any name. Only an https redirect URI says where the answer goes: a host that
 * nobody else has.
 */
export function asksEachTime(client: Client): boolean {
  const isProven = !isPublic(client) || redirectUrisOf(client).every((uri) => /^https:/i.test(uri));
  return client.dynamic !== undefined && !isProven;
}
