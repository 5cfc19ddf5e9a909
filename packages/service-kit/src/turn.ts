import { networkOf, wideNetworkOf } from './guess-limit/network.ts';

/** The caller of a piece of work, as the queue sees it. */
export interface Turn {
  /** A check of a password or a secret. A chore is any other hash: a new password, a secret that a person chose. */
  kind: 'check' | 'chore';
  /** The name, hashed, of a user or client who succeeded from this network or in this browser before; undefined for strangers. */
  known: string | undefined;
  /** An IPv4 address, or the first 64 bits of an IPv6 address. */
  network: string;
  /** An IPv4 address, or the first 48 bits of an IPv6 address. */
  wideNetwork: string;
}

/** The turn of a hash that checks nothing, for the caller at this address. */
export function buildChoreTurn(address: string): Turn {
  const network = networkOf(address);
  return { kind: 'chore', known: undefined, network, wideNetwork: wideNetworkOf(network) };
}
