import { isIP } from 'node:net';
import { type DatabaseUrl, parseDatabaseUrl } from './database/database-url.ts';
import { ConfigError, checkHttpsInProduction, type EnvironmentReader } from './environment.ts';

/** What both services read from the environment. */
export interface CommonConfig {
  host: string;
  port: number;
  /** The issuer and public base of auth-server. */
  authUrl: string;
  /** The public base of org-api; the default `aud` of access tokens. */
  baseUrl: string;
  databaseUrl: DatabaseUrl;
  /** Connections of this process to MySQL at most. */
  databasePoolSize: number;
  migrateOnStart: boolean;
  trustProxy: TrustProxy;
  logLevel: LogLevel;
  /** Where spans are sent (OTLP over HTTP); undefined where tracing is off. */
  tracesUrl: string | undefined;
  production: boolean;
  /** Days for which audit events are kept. */
  auditRetentionDays: number;
}

/** As Fastify's `trustProxy`: all, none, a number of hops, or addresses and ranges. */
export type TrustProxy = boolean | number | string;

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** The one variable that a migration needs. */
export function readDatabaseUrl(variables: EnvironmentReader, defaultFile: string): DatabaseUrl {
  return parseDatabaseUrl(variables.text('DATABASE_URL', `sqlite:${defaultFile}`));
}

export function readCommonConfig(
  variables: EnvironmentReader,
  defaults: { port: number; databaseFile: string },
): CommonConfig {
  const production = variables.optionalText('NODE_ENV') === 'production';
  const plainHttpHosts = variables.words('PLAIN_HTTP_HOSTS');
  const authUrl = variables.baseUrl('AUTH_URL', 'http://localhost:9000');
  const baseUrl = variables.baseUrl('BASE_URL', 'http://localhost:9001');
  checkHttpsInProduction('AUTH_URL', authUrl, production, plainHttpHosts);
  checkHttpsInProduction('BASE_URL', baseUrl, production, plainHttpHosts);
  const databaseUrl = readDatabaseUrl(variables, defaults.databaseFile);
  return {
    host: variables.text('HOST', '127.0.0.1'),
    port: variables.integer('PORT', { fallback: defaults.port, min: 0, max: 65_535 }),
    authUrl,
    baseUrl,
    databaseUrl,
    // Two at least: a migration holds its lock by one, and works by another.
    databasePoolSize: variables.integer('DATABASE_POOL_SIZE', { fallback: 10, min: 2, max: 100 }),
    migrateOnStart: variables.flag('MIGRATE_ON_START', databaseUrl.dialect === 'sqlite'),
    trustProxy: parseTrustProxy(variables.optionalText('TRUST_PROXY'), production),
    logLevel: variables.oneOf('LOG_LEVEL', logLevels, 'info'),
    tracesUrl: readTracesUrl(variables),
    production,
    auditRetentionDays: variables.integer('AUDIT_RETENTION_DAYS', { fallback: 365, min: 1, max: 3650 }),
  };
}

/** OpenTelemetry's own variables; the rest of them its SDK reads by itself. */
function readTracesUrl(variables: EnvironmentReader): string | undefined {
  const isDisabled = variables.flag('OTEL_SDK_DISABLED', false);
  const endpoint = variables.optionalText('OTEL_EXPORTER_OTLP_ENDPOINT');
  const tracesEndpoint = variables.optionalText('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  checkHttpUrl('OTEL_EXPORTER_OTLP_ENDPOINT', endpoint);
  checkHttpUrl('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', tracesEndpoint);
  if (isDisabled) return undefined;
  return tracesEndpoint ?? (endpoint && `${endpoint.replace(/\/$/, '')}/v1/traces`);
}

function checkHttpUrl(name: string, value: string | undefined): void {
  if (value === undefined || (/^https?:\/\/[^/]/i.test(value) && URL.canParse(value))) return;
  throw new ConfigError(`${name} must be an http(s) URL, such as http://localhost:4318`);
}

function parseTrustProxy(value: string | undefined, production: boolean): TrustProxy {
  if (value === undefined || value === 'false') return false;
  if (value === 'true') return trustEverybody(production);
  if (/^\d{1,3}$/.test(value)) return Number(value);
  const ranges = value.split(/[\s,]+/);
  if (ranges.every(isAddressRange)) return ranges.join(',');
  throw new ConfigError(
    'TRUST_PROXY must be true, false, a number of hops, or addresses and ranges such as 10.0.0.0/8',
  );
}

/** Guess limits and the audit trail go by the address, and anybody could say any. */
function trustEverybody(production: boolean): true {
  if (!production) return true;
  throw new ConfigError(
    'TRUST_PROXY must not be true when NODE_ENV=production; give a number of hops, or addresses and ranges',
  );
}

function isAddressRange(range: string): boolean {
  if (/^(loopback|linklocal|uniquelocal)$/.test(range)) return true;
  const [, address = '', prefix] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(range) ?? [];
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  return bits > 0 && (prefix === undefined || (Number(prefix) >= 1 && Number(prefix) <= bits));
}
