import { BlockList, isIPv6 } from 'node:net';
import { fieldsProblem } from '@gatehouse/shared';

/** Addresses by which a process reaches its own machine, also as IPv4 in IPv6. */
const ownMachine = new BlockList();
ownMachine.addSubnet('127.0.0.0', 8, 'ipv4');
ownMachine.addAddress('0.0.0.0', 'ipv4');
ownMachine.addAddress('::1', 'ipv6');
ownMachine.addAddress('::', 'ipv6');

/** Checks the body of a registration or of a change, as it was sent. */
export type CheckLogoutHost = (body: unknown) => void;

/**
 * In production, throws a 400 where `backchannel_logout_uri` names this machine: its services may trust a request that
 * comes from inside. A URI that is registered already keeps working.
 */
export function createLogoutHostCheck({ production }: { production: boolean }): CheckLogoutHost {
  return (body) => {
    if (!production) return;
    const uri = (body as { backchannel_logout_uri?: unknown } | null | undefined)?.backchannel_logout_uri;
    if (typeof uri !== 'string' || !URL.canParse(uri) || !isOwnMachine(new URL(uri).hostname)) return;
    const detail = 'must not name a loopback host in production';
    throw fieldsProblem([{ field: 'backchannel_logout_uri', detail }]);
  };
}

/** Reads the URL alone: a name that resolves to such an address passes. */
function isOwnMachine(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return ownMachine.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
}
