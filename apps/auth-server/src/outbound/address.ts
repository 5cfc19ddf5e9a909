import ipaddr from 'ipaddr.js';

/**
 * How far an address reaches. `never`: it means no host that a service could be on, or the machine that this one rents, and no
 * setting allows it.
 */
export type Reach = 'public' | 'private' | 'loopback' | 'never';

/** RFC 6890, by the names that the library has for its ranges. A range that is not here is `never`. */
const reaches: Readonly<Record<string, Reach>> = {
  unicast: 'public',
  private: 'private',
  carrierGradeNat: 'private',
  uniqueLocal: 'private',
  loopback: 'loopback',
};

/** The bytes of the IPv4 address that an IPv6 address of these ranges leads to. NAT64 of a local prefix is no such range. */
const embedded: Readonly<Record<string, (bytes: number[]) => number[]>> = {
  ipv4Mapped: (bytes) => bytes.slice(12),
  rfc6145: (bytes) => bytes.slice(12),
  rfc6052: (bytes) => bytes.slice(12),
  '6to4': (bytes) => bytes.slice(2, 6),
  // RFC 4380 4: inverted.
  teredo: (bytes) => bytes.slice(12).map((byte) => byte ^ 0xff),
};

/** RFC 8215: for translation within one network. */
const localNat64 = ipaddr.IPv6.parseCIDR('64:ff9b:1::/48');
/** RFC 4291 2.4: all unicast addresses of the Internet that are given out. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** An IPv4 address inside of an IPv6 one decides. */
export function findReach(address: string): Reach {
  if (!ipaddr.isValid(address)) return 'never';
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv6 && parsed.match(localNat64)) return 'never';
  const range = parsed.range();
  const extract = embedded[range];
  if (extract !== undefined) return findReach(extract(parsed.toByteArray()).join('.'));
  if (range === 'unicast' && parsed instanceof ipaddr.IPv6 && !parsed.match(globalUnicast)) return 'never';
  return reaches[range] ?? 'never';
}

/** The address that a host of a URL is written as; undefined where it is a name. */
export function findLiteral(hostname: string): string | undefined {
  const text = hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(text) ? text : undefined;
}
