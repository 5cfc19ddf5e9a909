import type { LookupFunction } from 'node:net';
import tls from 'node:tls';
import { Agent, buildConnector, type Dispatcher, ProxyAgent } from 'undici';
import type { OutboundRule } from './outbound-rule.ts';
import type { ResolveHost } from './resolve-host.ts';

export interface ConnectOptions {
  rule: OutboundRule;
  /** PEM certificates to trust as well as those that Node.js trusts. */
  ca: string | undefined;
  /** A proxy that takes CONNECT and looks names up itself. */
  proxy: string | undefined;
  resolveHost: ResolveHost;
}

/** Milliseconds until a connection is there, its TLS included: the socket of a call that was given up goes then. */
const connectWithin = 3_000;

/**
 * Connections for one call. Node.js asks no `lookup` for a literal address: the rule has read the URL before. All addresses of a
 * name are checked before one is called, and the one that was called afterwards.
 */
export function createOpenConnection({ rule, ca, proxy, resolveHost }: ConnectOptions) {
  const secured = { timeout: connectWithin, ...(ca !== undefined && { ca: [...listUsualCertificates(), ca] }) };
  return (url: URL): Dispatcher => {
    const once = { keepAliveTimeout: 1, pipelining: 0, connections: 1 };
    if (proxy !== undefined) {
      return new ProxyAgent({ ...once, uri: proxy, requestTls: secured, proxyTls: secured });
    }
    const connect = buildConnector({ ...secured, maxCachedSessions: 0, lookup: createLookup(rule, url, resolveHost) });
    return new Agent({
      ...once,
      connect: (options, callback) =>
        connect(options, (...[error, socket]) => {
          if (error !== null) return callback(error, null);
          try {
            rule.checkAddress(url, socket.remoteAddress ?? '');
            return callback(null, socket);
          } catch (fault) {
            socket.destroy();
            return callback(fault as Error, null);
          }
        }),
    });
  };
}

/** Those that Node.js trusts, with `NODE_EXTRA_CA_CERTS` where its version can list these. */
function listUsualCertificates(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] };
  return getCACertificates?.('default') ?? tls.rootCertificates;
}

function createLookup(rule: OutboundRule, url: URL, resolveHost: ResolveHost): LookupFunction {
  return (hostname, _options, callback) => {
    const answer = resolveHost(hostname).then((addresses) => {
      for (const { address } of addresses) rule.checkAddress(url, address);
      return addresses;
    });
    answer.then(
      (addresses) => callback(null, addresses),
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}
