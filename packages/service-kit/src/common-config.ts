import { checkHttpsInProduction } from './base-url.ts';
import { createCommonVariables, type LogLevel, type ServiceDefaults } from './common-variables.ts';
import { ConfigError } from './config-error.ts';
import { type DatabaseUrl, parseDatabaseUrl } from './database/database-url.ts';
import { createEnvironmentReader, type Environment, type EnvironmentReader } from './environment.ts';
import { chooseMode } from './mode.ts';
import { parseTrustProxy, type TrustProxy } from './trust-proxy.ts';

/** The configuration that both services have. */
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
  /** Whether demo users and the client of the API references are created; never in production. */
  demoData: boolean;
  trustProxy: TrustProxy;
  logLevel: LogLevel;
  /** Where spans are sent (OTLP over HTTP); undefined where tracing is off. */
  tracesUrl: string | undefined;
  production: boolean;
  /** An image that was given no settings: it runs in development. */
  trial: boolean;
  /** Days for which audit events are kept. */
  auditRetentionDays: number;
}

type CommonReader = EnvironmentReader<ReturnType<typeof createCommonVariables>>;

/** The one variable that a migration needs. */
export function readDatabaseUrl(env: Environment, defaults: ServiceDefaults): DatabaseUrl {
  return parseDatabaseUrl(createEnvironmentReader(createCommonVariables(defaults), env)('DATABASE_URL'));
}

/** `names` are all variables of the service. */
export function readCommonConfig(
  env: Environment,
  defaults: ServiceDefaults,
  names: readonly string[] = [],
): CommonConfig {
  const read = createEnvironmentReader(createCommonVariables(defaults), env);
  const mode = chooseMode({ nodeEnv: read('NODE_ENV'), trialAllowed: read('TRIAL_WITHOUT_SETTINGS') }, names, env);
  const production = mode === 'production';
  const plainHttpHosts = read('PLAIN_HTTP_HOSTS');
  const authUrl = read('AUTH_URL');
  const baseUrl = read('BASE_URL');
  checkHttpsInProduction('AUTH_URL', authUrl, production, plainHttpHosts);
  checkHttpsInProduction('BASE_URL', baseUrl, production, plainHttpHosts);
  const databaseUrl = parseDatabaseUrl(read('DATABASE_URL'));
  return {
    host: read('HOST'),
    port: read('PORT'),
    authUrl,
    baseUrl,
    databaseUrl,
    databasePoolSize: read('DATABASE_POOL_SIZE'),
    migrateOnStart: read('MIGRATE_ON_START') ?? databaseUrl.dialect === 'sqlite',
    demoData: readDemoData(read, production),
    trustProxy: parseTrustProxy(read('TRUST_PROXY'), production),
    logLevel: read('LOG_LEVEL'),
    tracesUrl: readTracesUrl(read),
    production,
    trial: mode === 'trial',
    auditRetentionDays: read('AUDIT_RETENTION_DAYS'),
  };
}

function readDemoData(read: CommonReader, production: boolean): boolean {
  const demoData = read('DEMO_DATA');
  if (demoData && production) throw new ConfigError('DEMO_DATA must not be true when NODE_ENV=production');
  return demoData;
}

/** OpenTelemetry's SDK reads its other variables by itself. */
function readTracesUrl(read: CommonReader): string | undefined {
  const isDisabled = read('OTEL_SDK_DISABLED');
  const endpoint = read('OTEL_EXPORTER_OTLP_ENDPOINT');
  const tracesEndpoint = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  if (isDisabled) return undefined;
  return tracesEndpoint ?? (endpoint && `${endpoint.replace(/\/$/, '')}/v1/traces`);
}
