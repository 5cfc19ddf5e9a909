import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from '../logging.ts';

const header = 'x-forwarded-for';

/** An IPv4 address, or an IPv6 address in brackets, with the port that some proxies add. */
const addressWithPort = /(?<=^|[\s,])(?:([\d.]+)|\[([\da-f:.]+)\])(?::\d+)?(?=[\s,]|$)/gi;

const unreadableText =
  'X-Forwarded-For names no IP address: all such callers count as the proxy in front, which must write their addresses';

/**
 * Lets `request.ip` be an address, whatever the proxy in front writes: strips the ports from `X-Forwarded-For`. A caller
 * whose entry is no address counts as the proxy that wrote the entry; the log warns of the first one.
 */
export function readForwardedAddresses(app: FastifyInstance, log: Logger): void {
  let hasWarned = false;
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw;
    const forwarded = headers[header];
    if (typeof forwarded !== 'string' || isIP(forwarded) > 0) return done();
    const addresses = forwarded.replace(addressWithPort, '$1$2');
    headers[header] = addresses;
    const { ip } = request;
    if (ip === request.socket.remoteAddress || isIP(ip) > 0) return done();
    headers[header] = dropUnreadable(addresses);
    if (!hasWarned) log.warn({ entry: ip.slice(0, 64) }, unreadableText);
    hasWarned = true;
    done();
  });
}

/** The entries after the last one that is no address. Each proxy adds its entry at the end. */
function dropUnreadable(addresses: string): string {
  const entries = addresses.split(',');
  return entries.slice(entries.findLastIndex((entry) => isIP(entry.trim()) === 0) + 1).join(',');
}
