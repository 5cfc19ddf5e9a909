import { isIP } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { StepError } from '../failures.ts';
import type { CheckId } from './checks.ts';
import type { Findings } from './findings.ts';
import { isHttps, showHeader, strangeOrigin, type Target } from './target.ts';

/** Seconds are counted for each connection. */
type Options = Pick<Target, 'timeout'>;

const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;
const days = 86_400_000;
const leastDays = 14;

/** How a server answers by TLS. `fault`: undefined where nothing is wrong; `expiresAt`: milliseconds. */
interface Handshake {
  fault: { id: CheckId; seen: string } | undefined;
  expiresAt: number;
}

/**
 * The certificates of origins, and old versions of TLS. False where one is not to be trusted: then nothing else can be asked. Throws a
 * StepError where nobody answers.
 */
export async function checkCertificates(
  origins: readonly string[],
  options: Options,
  findings: Findings,
): Promise<boolean> {
  findings.begin('tls');
  let isTrusted = true;
  for (const origin of origins) {
    const { fault, expiresAt } = await shakeHands(origin, options);
    if (fault !== undefined) {
      isTrusted = false;
      findings.find(fault.id, `${origin}: ${fault.seen}`);
      continue;
    }
    const left = Math.floor((expiresAt - Date.now()) / days);
    if (left < leastDays)
      findings.find('tls.days', `${origin}: it ends in ${left} days, ${new Date(expiresAt).toISOString()}`);
    else findings.measure('tls', `${origin}: the certificate ends in ${left} days`);
    const old = await findOldVersion(origin, options);
    if (old !== undefined) findings.find('tls.version', `${origin} takes ${old}`);
  }
  return isTrusted;
}

/** Connects as clients do. Throws a StepError where nobody answers, or not by TLS. */
export async function shakeHands(origin: string, options: Options): Promise<Handshake> {
  try {
    return await open(origin, options, { minVersion: 'TLSv1.2' }, (socket) => ({
      fault: socket.authorized ? undefined : describeFault(socket),
      expiresAt: Date.parse(socket.getPeerCertificate().valid_to),
    }));
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (!/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/.test(code)) {
      throw new StepError('tls', `${origin} is out of reach (${code || message})`);
    }
    return { fault: { id: 'tls.version', seen: 'TLS 1.2 and later are refused' }, expiresAt: Number.NaN };
  }
}

function describeFault({ authorizationError }: TLSSocket): { id: CheckId; seen: string } {
  const seen = String(authorizationError);
  if (/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/.test(seen)) return { id: 'tls.validity', seen };
  return { id: /ALTNAME/.test(seen) ? 'tls.name' : 'tls.chain', seen };
}

/** The version of TLS before 1.2 that a server takes. OpenSSL offers these at its lowest level of security alone. */
async function findOldVersion(origin: string, options: Options): Promise<string | undefined> {
  const old: ConnectionOptions = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' };
  return open(origin, options, old, (socket) => socket.getProtocol() ?? undefined).catch(() => undefined);
}

function open<Result>(
  origin: string,
  { timeout }: Options,
  options: ConnectionOptions,
  read: (socket: TLSSocket) => Result,
): Promise<Result> {
  const { hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[|\]$/g, '');
  // RFC 6066 3: an address is no name of a server.
  const named = isIP(host) === 0 ? { servername: host } : {};
  return new Promise((resolve, reject) => {
    const all = {
      host,
      port: Number(port || 443),
      ...named,
      rejectUnauthorized: false,
      timeout: timeout * 1000,
      ...options,
    };
    const socket = connect(all, () => {
      resolve(read(socket));
      socket.destroy();
    });
    socket.on('timeout', () => socket.destroy(new Error(`no answer within ${timeout} s`)));
    socket.on('error', reject);
  });
}

/** An issuer by http, and what an https issuer says by http, and of https. */
export async function checkHttp(target: Target, findings: Findings): Promise<void> {
  const { find, leave } = findings;
  const { hostname } = new URL(target.issuer);
  if (!isHttps(target.issuer)) {
    findings.begin('tls');
    find(loopback.test(hostname) ? 'tls.loopback' : 'tls.https', target.issuer);
    return leave('tls', 'the issuer is an http address');
  }
  // RFC 6797 8.1.1: browsers pass it over at an address.
  const isNamed = isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
  const value = target.answer.headers.get('strict-transport-security') ?? '';
  if (isNamed && !/\bmax-age="?0*[1-9]/i.test(value))
    find('tls.hsts', showHeader(target.answer, 'strict-transport-security'));
  await checkRedirect(target, findings);
}

/** Of a port of its own the same one is asked: a server may take both there. */
async function checkRedirect({ issuer, send }: Target, { find }: Findings): Promise<void> {
  const url = new URL(issuer);
  url.protocol = 'http:';
  const answer = await send('tls', url.href).catch(() => undefined);
  if (answer === undefined || answer.status >= 400) return;
  const location = answer.headers.get('location') ?? '';
  const leadsTo = URL.canParse(location, url.href) ? new URL(location, url.href) : new URL(strangeOrigin);
  if (location === '' || !isHttps(leadsTo.href)) find('tls.http', `${url.href} answered ${answer.status}`);
}
