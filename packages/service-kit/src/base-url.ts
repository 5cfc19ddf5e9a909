import { type TSchemaOptions, Type } from 'typebox';
import { ConfigError } from './config-error.ts';

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether a URL's host stays on this machine (RFC 8252 7.3, and `localhost` by name). */
export function isLoopbackHost(hostname: string): boolean {
  return loopbackHosts.has(hostname);
}

/** Whether a host is one of `PLAIN_HTTP_HOSTS`: names, and suffixes that start with a dot. */
export function isPlainHost(hostname: string, plainHosts: readonly string[]): boolean {
  return plainHosts.some((host) => (host.startsWith('.') ? hostname.endsWith(host) : hostname === host));
}

/** The type of a variable that holds an absolute http(s) URL without trailing slash, query or fragment. */
export function baseUrlType(annotations: TSchemaOptions) {
  const expected = 'be an absolute http(s) URL without a trailing slash, such as http://localhost:9000';
  return Type.Refine(Type.String({ ...annotations, expected }), isBaseUrl);
}

export function isBaseUrl(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  return (
    url !== undefined &&
    /^https?:\/\/[^/]/i.test(value) &&
    !value.endsWith('/') &&
    !/[?#\s]/.test(value) &&
    url.username === '' &&
    url.password === ''
  );
}

/**
 * In production a public base URL must be https, unless its host is loopback or one of `plainHttpHosts`.
 */
export function checkHttpsInProduction(name: string, value: string, production: boolean, plainHttpHosts: string[]) {
  const { protocol, hostname } = new URL(value);
  if (!production || protocol === 'https:' || isLoopbackHost(hostname) || isPlainHost(hostname, plainHttpHosts)) return;
  throw new ConfigError(
    `${name} must be https when NODE_ENV=production; list a cluster-internal host in PLAIN_HTTP_HOSTS to allow http`,
  );
}
