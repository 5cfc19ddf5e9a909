import { isIPv6 } from 'node:net';

/** The network of an address: an IPv4 address itself; of IPv6 the first 64 bits, because one host has all the rest (RFC 4291). */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [plain = ''] = address.split('%', 1);
  if (!isIPv6(plain)) return address;
  const groups = listGroups(plain);
  const [high, low] = groups.slice(6).map((group) => Number.parseInt(group, 16)) as [number, number];
  const isMappedIPv4 = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  return isMappedIPv4 ? formatIPv4(high, low) : groups.slice(0, 4).join(':');
}

/** The network of one customer of a provider: an IPv4 address; of IPv6 the first 48 bits (RFC 6177). Takes a result of {@link networkOf}. */
export function wideNetworkOf(network: string): string {
  return network.includes(':') ? network.split(':', 3).join(':') : network;
}

/** The network of an address as people read it: `192.0.2.1`, `2001:db8:1:2::/64`. */
export function formatNetwork(address: string): string {
  const network = networkOf(address);
  return network.includes(':') ? `${network}::/64` : network;
}

/**
 * The wide network around a /64 of IPv6, by a name that no /64 has. Undefined for an IPv4 address: there is no wider network
 * of one customer. Takes a result of {@link networkOf}.
 */
export function findNetworkAround(network: string): string | undefined {
  return network.includes(':') ? `${wideNetworkOf(network)}::/48` : undefined;
}

/** The eight groups of an IPv6 address, in hexadecimal without leading zeros. */
function listGroups(address: string): string[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const [before, after] = [head, tail ?? ''].map((part) => part.split(':').filter((group) => group !== '')) as [
    string[],
    string[],
  ];
  const gap = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array<string>(gap).fill('0'), ...after];
}

function formatIPv4(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
