import { type Clock, isLoopbackHost, type Logger } from '@gatehouse/service-kit';
import type { Metrics } from '@gatehouse/service-kit/metrics';
import type { Config } from '../config.ts';
import { createCall, outcomes, purposes } from './http-call.ts';
import { createOpenConnection, type ResolveHost } from './http-connections.ts';
import { createKeySets } from './key-sets.ts';
import { createOutboundRule } from './outbound-rule.ts';

interface Needs {
  config: Pick<Config, 'authUrl' | 'production' | 'outboundPrivateHosts' | 'outboundCa' | 'outboundProxy'>;
  metrics: Metrics;
  clock: Clock;
  log: Logger;
  /** Undefined: by the name servers of the machine. */
  resolveHost?: ResolveHost | undefined;
}

export type Outbound = ReturnType<typeof createOutbound>;

/** Calls to addresses that others name, by one rule. */
export function createOutbound({ config, metrics, clock, log, resolveHost }: Needs) {
  const { authUrl, production, outboundPrivateHosts: privateHosts, outboundCa: ca, outboundProxy: proxy } = config;
  const allowsLoopback = !production && isLoopbackHost(new URL(authUrl).hostname);
  const rule = createOutboundRule({ privateHosts, allowsLoopback });
  const requests = metrics.counter({
    name: 'gatehouse_outbound_requests_total',
    help: 'Calls to addresses that clients and administrators registered, by purpose and outcome',
    labelNames: ['purpose', 'outcome'],
  });
  for (const purpose of purposes) for (const outcome of outcomes) requests.add([purpose, outcome], 0);
  const call = createCall({
    rule,
    openConnection: createOpenConnection({ rule, ca, proxy, resolveHost }),
    requests,
    log,
  });
  if (proxy !== undefined) {
    log.info('OUTBOUND_PROXY is set: names are looked up there, and which addresses it reaches is its duty');
  }
  return { call, rule, keySets: createKeySets({ call, clock }) };
}
