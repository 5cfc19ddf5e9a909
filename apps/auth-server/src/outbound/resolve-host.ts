import { type LookupAddress, lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isLoopbackHost } from '@gatehouse/service-kit';

/** Gives all addresses of a name. */
export type ResolveHost = (hostname: string) => Promise<LookupAddress[]>;

/**
 * As every program of the machine does, with its file of hosts. Such a look-up holds a thread of the process until it ends, of which the look-ups
 * for org-api and the database need one, too.
 */
export const resolveBySystem: ResolveHost = (hostname) =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, addresses) => (error === null ? resolve(addresses) : reject(error)));
  });

/** Milliseconds, which double from try to try: a name is given up before the time to connect is over. */
const patience = { timeout: 700, tries: 2 };

/**
 * Asks name servers and holds no thread meanwhile, so that names whose servers never answer keep no other look-up waiting. Names of this machine
 * are no names of those servers. `servers`: in place of those of the machine.
 */
export function createResolveByServers(servers?: readonly string[]): ResolveHost {
  return async (hostname) => {
    if (isLoopbackHost(hostname)) return resolveBySystem(hostname);
    const resolver = new Resolver(patience);
    if (servers !== undefined) resolver.setServers(servers);
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
    return [...listAddresses(four, 4), ...listAddresses(six, 6)];
  };
}

function listAddresses(found: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return found.status === 'rejected' ? [] : found.value.map((address) => ({ address, family }));
}
