import { readFileSync } from 'node:fs';
import { isLoopbackHost } from '@gatehouse/shared';
import { readCertificates } from './certificates.ts';
import { ConfigError } from './config-error.ts';

export { ConfigError };

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads variables one by one; each method throws a {@link ConfigError} that names the variable and what it takes. */
export interface EnvironmentReader {
  text(name: string, fallback: string): string;
  /** Undefined where the variable is absent or empty. */
  optionalText(name: string): string | undefined;
  integer(name: string, range: { fallback: number; min: number; max: number }): number;
  flag(name: string, fallback: boolean): boolean;
  oneOf<const T extends string>(name: string, values: readonly T[], fallback: T): T;
  /** Space-separated words. */
  words(name: string): string[];
  /** An absolute http(s) URL without trailing slash, query or fragment. */
  baseUrl(name: string, fallback: string): string;
  /** The PEM certificates of a file, to trust instead of those that Node.js trusts where `url` is reached. */
  caFile(name: string, url: string): string | undefined;
}

/**
 * A reader over environment variables. `NAME_FILE` names a file that holds the value of `NAME`, as mounted Secrets do.
 */
export function createEnvironmentReader(env: Environment): EnvironmentReader {
  const read = (name: string) => readVariable(env, name);
  return {
    text: (name, fallback) => read(name) ?? fallback,
    optionalText: read,
    integer(name, { fallback, min, max }) {
      const value = read(name);
      if (value === undefined) return fallback;
      const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
      if (number >= min && number <= max) return number;
      throw new ConfigError(`${name} must be an integer from ${min} to ${max}`);
    },
    flag(name, fallback) {
      const value = read(name);
      if (value === undefined) return fallback;
      if (value === 'true' || value === 'false') return value === 'true';
      throw new ConfigError(`${name} must be true or false`);
    },
    oneOf(name, values, fallback) {
      const value = read(name) ?? fallback;
      const known = values.find((candidate) => candidate === value);
      if (known !== undefined) return known;
      throw new ConfigError(`${name} must be one of ${values.join(', ')}`);
    },
    words: (name) => [...new Set((read(name) ?? '').split(/\s+/).filter((word) => word !== ''))],
    baseUrl: (name, fallback) => parseBaseUrl(name, read(name) ?? fallback),
    caFile(name, url) {
      const path = read(name);
      if (path === undefined) return undefined;
      if (new URL(url).protocol !== 'https:')
        throw new ConfigError(`${name} must not be set where ${url} is not https`);
      return readCertificates(name, path);
    },
  };
}

function readVariable(env: Environment, name: string): string | undefined {
  const value = env[name] === '' ? undefined : env[name];
  const file = env[`${name}_FILE`];
  if (file === undefined || file === '') return value;
  if (value !== undefined) throw new ConfigError(`${name} and ${name}_FILE are both set; set one of them`);
  try {
    const content = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    return content === '' ? undefined : content;
  } catch {
    throw new ConfigError(`${name}_FILE names a file that cannot be read: ${file}`);
  }
}

function parseBaseUrl(name: string, value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isBase =
    url !== undefined &&
    /^https?:\/\/[^/]/i.test(value) &&
    !value.endsWith('/') &&
    !/[?#\s]/.test(value) &&
    url.username === '' &&
    url.password === '';
  if (isBase) return value;
  throw new ConfigError(
    `${name} must be an absolute http(s) URL without a trailing slash, such as http://localhost:9000`,
  );
}

/**
 * In production a public base URL must be https, unless its host is loopback or one of `plainHttpHosts`
 * (a name, or a suffix that starts with a dot).
 */
export function checkHttpsInProduction(name: string, value: string, production: boolean, plainHttpHosts: string[]) {
  const { protocol, hostname } = new URL(value);
  const allowed = (host: string) => (host.startsWith('.') ? hostname.endsWith(host) : hostname === host);
  if (!production || protocol === 'https:' || isLoopbackHost(hostname) || plainHttpHosts.some(allowed)) return;
  throw new ConfigError(
    `${name} must be https when NODE_ENV=production; list a cluster-internal host in PLAIN_HTTP_HOSTS to allow http`,
  );
}
