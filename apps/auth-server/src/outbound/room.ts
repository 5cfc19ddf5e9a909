import { type Clock, isLoopbackHost, type Logger } from '@gatehouse/service-kit';
import type { Metrics } from '@gatehouse/service-kit/metrics';
import type { Config } from '../config.ts';
import { createCall, outcomes, purposes } from './http-call.ts';
import { createOpenConnection } from './http-connections.ts';
import { createKeySets } from './key-sets.ts';
import { createOutboundRule, type OutboundRule } from './outbound-rule.ts';
import { createResolveByServers, type ResolveHost, resolveBySystem } from './resolve-host.ts';

interface Needs {
  config: Pick<Config, 'authUrl' | 'production' | 'outboundPrivateHosts' | 'outboundCa' | 'outboundProxy'>;
  metrics: Metrics;
  clock: Clock;
  log: Logger;
  /** Undefined: as the machine does. */
  resolveHost?: ResolveHost | undefined;
  /** Of names that strangers chose; undefined: those of the machine. */
  nameServers?: readonly string[] | undefined;
}

export type Outbound = ReturnType<typeof createOutbound>;

/** Calls to addresses that others name, by one rule. */
export function createOutbound({ config, metrics, clock, log, resolveHost, nameServers }: Needs) {
  const { authUrl, production, outboundPrivateHosts: privateHosts, outboundCa: ca, outboundProxy: proxy } = config;
  const allowsLoopback = !production && isLoopbackHost(new URL(authUrl).hostname);
  const rule = createOutboundRule({ privateHosts, allowsLoopback });
  const requests = metrics.counter({
    name: 'gatehouse_outbound_requests_total',
    help: 'Calls to addresses that clients and administrators registered, by purpose and outcome',
    labelNames: ['purpose', 'outcome'],
  });
  for (const purpose of purposes) for (const outcome of outcomes) requests.add([purpose, outcome], 0);
  const buildWay = (of: OutboundRule, resolve: ResolveHost) => ({
    rule: of,
    openConnection: createOpenConnection({ rule: of, ca, proxy, resolveHost: resolveHost ?? resolve }),
  });
  const known = buildWay(rule, resolveBySystem);
  // Else anybody could try out by a document which private hosts and ports there are.
  const strict = createOutboundRule({ privateHosts: [], allowsLoopback });
  const unknown = buildWay(strict, createResolveByServers(nameServers));
  const ways = { registered: known, upstreams: known, strangers: unknown };
  const call = createCall({ ways, requests, log });
  if (proxy !== undefined) {
    log.info('OUTBOUND_PROXY is set: names are looked up there, and which addresses it reaches is its duty');
  }
  return { call, rule, keySets: createKeySets({ call, clock }) };
}
