import { isIP } from 'node:net';
import { readCertificates } from '../certificates.ts';
import { ConfigError } from '../config-error.ts';
import type { HostAddress } from './hosts.ts';

export type Dialect = 'sqlite' | 'mysql';

export type DatabaseUrl = SqliteUrl | MysqlUrl;

export interface SqliteUrl {
  dialect: 'sqlite';
  path: string;
}

export interface MysqlUrl {
  dialect: 'mysql';
  host: string;
  port: number;
  /** Further hosts of the same database, tried in this order where the first cannot be used. */
  otherHosts?: HostAddress[];
  user: string;
  password: string;
  database: string;
  /** Left out where connections are not encrypted. */
  tls?: DatabaseTls;
}

/** TLS is required, and the server's certificate and name are verified. */
export interface DatabaseTls {
  /** PEM certificates to trust. If absent, those that Node.js trusts. */
  ca?: string;
}

const expected = 'DATABASE_URL must be sqlite:PATH or mysql://user:password@host:port/name';

/** Parses `DATABASE_URL`, which may name several hosts. The URL holds a password, so no error repeats it. */
export function parseDatabaseUrl(value: string): DatabaseUrl {
  return value.startsWith('sqlite:') ? parseSqliteUrl(value) : parseMysqlUrl(value);
}

function parseSqliteUrl(value: string): DatabaseUrl {
  const path = value.slice('sqlite:'.length);
  if (path === '') throw new ConfigError(expected);
  // An unknown parameter would become part of the file's name.
  if (path.includes('?')) throw new ConfigError('DATABASE_URL must be without ? where it is sqlite:PATH');
  return { dialect: 'sqlite', path };
}

function parseMysqlUrl(value: string): MysqlUrl {
  const { text, otherHosts } = splitHosts(value);
  if (!text.startsWith('mysql://') || !URL.canParse(text)) throw new ConfigError(expected);
  const url = new URL(text);
  const database = url.pathname.slice(1);
  if (!/^[\w$-]{1,64}$/.test(database) || url.hostname === '' || url.hash !== '') throw new ConfigError(expected);
  const tls = parseTls(url.searchParams);
  // The driver would compare a certificate with `localhost` instead of an address.
  if (tls !== undefined && [parseHost(url), ...otherHosts].some(isAddress)) {
    throw new ConfigError('DATABASE_URL: host must be a name, not an address, where tls=verify');
  }
  return {
    dialect: 'mysql',
    ...parseHost(url),
    ...(otherHosts.length === 0 ? {} : { otherHosts }),
    user: decodePart(url.username),
    password: decodePart(url.password),
    database,
    ...(tls === undefined ? {} : { tls }),
  };
}

/** The URL with the first of its hosts alone, and the others: `mysql://user:password@one:3306,other:3307/name`. */
function splitHosts(value: string): { text: string; otherHosts: HostAddress[] } {
  const [, start = '', hosts = '', rest = ''] = /^(mysql:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(value) ?? [];
  const [first = '', ...others] = hosts.split(',');
  const urls = others.map((host) => `mysql://${host}`);
  if (urls.some((url) => !URL.canParse(url) || new URL(url).hostname === '')) {
    throw new ConfigError(expected);
  }
  return { text: start + first + rest, otherHosts: urls.map((url) => parseHost(new URL(url))) };
}

function parseHost({ hostname, port }: URL): HostAddress {
  return { host: hostname, port: port === '' ? 3306 : Number(port) };
}

function isAddress({ host }: HostAddress): boolean {
  return isIP(host.replace(/^\[|\]$/g, '')) !== 0;
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new ConfigError(`${expected}, percent-encoded where needed`);
  }
}

const knownParameters = ['tls', 'tls-ca'];

/** `?tls=verify|off` and `tls-ca=PATH`. An unknown parameter is refused: it might be meant to protect the connection. */
function parseTls(parameters: URLSearchParams): DatabaseTls | undefined {
  const names = [...parameters.keys()];
  const faulty = names.find((name, index) => !knownParameters.includes(name) || names.indexOf(name) !== index);
  if (faulty !== undefined) {
    throw new ConfigError(`DATABASE_URL: parameter must be tls or tls-ca, each once, not ${encodeURI(faulty)}`);
  }
  const tls = parameters.get('tls') ?? 'off';
  if (tls !== 'verify' && tls !== 'off') throw new ConfigError('DATABASE_URL: tls must be verify or off');
  const path = parameters.get('tls-ca');
  if (path === null) return tls === 'verify' ? {} : undefined;
  if (tls === 'off') throw new ConfigError('DATABASE_URL: tls must be verify where there is tls-ca');
  return { ca: readCertificates('DATABASE_URL: tls-ca', path) };
}
