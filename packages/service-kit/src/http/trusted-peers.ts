import { compile } from '@fastify/proxy-addr';
import type { TrustProxy } from '../trust-proxy.ts';

/** Whether the other end of a connection is a proxy that `TRUST_PROXY` names. A number of hops names every peer. */
export type TrustsPeer = (address: string) => boolean;

/** Takes ranges as Fastify does. */
export function createPeerCheck(trustProxy: TrustProxy): TrustsPeer {
  if (typeof trustProxy !== 'string') return () => Number(trustProxy) > 0;
  const trusts = compile(trustProxy.split(','));
  return (address) => trusts(address, 0);
}
