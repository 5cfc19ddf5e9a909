import { type Client, redirectUrisOf } from './client.ts';

/** The most characters of a redirect URI, as the column of a code holds it. */
const longestRedirectUri = 2048;
/** A redirect URI on a loopback address: what comes before the port, the port, and what comes after it. */
const loopbackPattern = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::([1-9]\d{0,4}))?((?:[/?].*)?)$/;
const highestPort = 65_535;

/** Whether the ports of its loopback redirect URIs are left to the machine that it runs on. */
export function hasAnyLoopbackPort({ metadata }: Pick<Client, 'metadata'>): boolean {
  return metadata.loopback_ports === 'any';
}

/**
 * Whether an answer may go to this redirect URI: it is a registered one to the letter (RFC 9700 2.1), or differs from one
 * in the port of a loopback address alone, where the client may choose that (RFC 8252 7.3). The name `localhost` may be
 * another machine's (RFC 8252 8.3), so its port never varies.
 */
export function matchesRedirectUri(client: Client, asked: string): boolean {
  const registered = redirectUrisOf(client);
  if (registered.includes(asked)) return true;
  if (!hasAnyLoopbackPort(client) || asked.length > longestRedirectUri) return false;
  const rest = findWithoutPort(asked);
  return rest !== undefined && registered.some((uri) => findWithoutPort(uri) === rest);
}

/** A loopback redirect URI without its port; undefined for any other text. */
function findWithoutPort(uri: string): string | undefined {
  const [, address, port = '1', rest] = loopbackPattern.exec(uri) ?? [];
  return address === undefined || Number(port) > highestPort ? undefined : `${address}${rest}`;
}
