import { BlockList, isIPv6 } from 'node:net';
import { fieldsProblem } from '@gatehouse/shared';

/** Addresses by which a process reaches its own machine, also as IPv4 in IPv6. */
const ownMachine = new BlockList();
ownMachine.addSubnet('127.0.0.0', 8, 'ipv4');
ownMachine.addAddress('0.0.0.0', 'ipv4');
ownMachine.addAddress('::1', 'ipv6');
ownMachine.addAddress('::', 'ipv6');

/**
 * The same registration or change, which in production throws a 400 where its `backchannel_logout_uri` names this very
 * machine: there the request would come from inside, to services that trust it. What is registered already goes on working.
 */
export function refuseLocalLogoutUri<Parameters extends unknown[], Result>(
  { production }: { production: boolean },
  act: (...parameters: Parameters) => Promise<Result>,
  bodyOf: (...parameters: Parameters) => unknown,
): (...parameters: Parameters) => Promise<Result> {
  if (!production) return act;
  return async (...parameters) => {
    checkLogoutUri(bodyOf(...parameters));
    return act(...parameters);
  };
}

function checkLogoutUri(body: unknown): void {
  const uri = (body as { backchannel_logout_uri?: unknown } | null | undefined)?.backchannel_logout_uri;
  if (typeof uri !== 'string' || !URL.canParse(uri) || !isOwnMachine(new URL(uri).hostname)) return;
  const detail = 'must not name a loopback host in production';
  throw fieldsProblem([{ field: 'backchannel_logout_uri', detail }]);
}

/** By what the URL says: a name that only resolves to such an address passes. */
function isOwnMachine(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return ownMachine.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
}
