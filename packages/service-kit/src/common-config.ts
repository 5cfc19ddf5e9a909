import { checkHttpsInProduction, isLoopbackHost } from './base-url.ts';
import { createCommonVariables, type LogLevel, type ServiceDefaults } from './common-variables.ts';
import { ConfigError } from './config-error.ts';
import { type DatabaseUrl, parseDatabaseUrl } from './database/database-url.ts';
import {
  type ConfigReaders,
  createEnvironmentReader,
  type Environment,
  type EnvironmentReader,
  readTogether,
} from './environment.ts';
import { chooseMode } from './mode.ts';
import { parseTrustProxy, type TrustProxy } from './trust-proxy.ts';
import type { VariableInForce } from './variables-in-force.ts';

/** The configuration that both services have. */
export interface CommonConfig {
  host: string;
  port: number;
  /** The issuer and public base of auth-server. */
  authUrl: string;
  /** The public base of org-api; the default `aud` of access tokens. */
  baseUrl: string;
  /** Where the console is; undefined where there is none. */
  consoleUrl: string | undefined;
  databaseUrl: DatabaseUrl;
  /** Connections of this process to MySQL at most. */
  databasePoolSize: number;
  /** MiB of all hashes at the same time. */
  hashMemory: number;
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

/** The configuration of a service, with its variables as administrators see them. */
export interface ServiceConfig extends CommonConfig {
  variables: VariableInForce[];
}

type CommonReader = EnvironmentReader<ReturnType<typeof createCommonVariables>>;

/** The one variable that a migration needs. Throws where another variable of both services is bad too. */
export function readDatabaseUrl(env: Environment, defaults: ServiceDefaults): DatabaseUrl {
  const variables = createCommonVariables(defaults);
  const read = createEnvironmentReader(variables, env);
  return readTogether(variables, env, { url: () => parseDatabaseUrl(read('DATABASE_URL')) }).url;
}

/** The configuration of a command that writes to the database and its audit trail, and needs no key. */
export function readDatabaseConfig(
  env: Environment,
  defaults: ServiceDefaults,
): Pick<CommonConfig, 'databaseUrl' | 'auditRetentionDays'> {
  const { databaseUrl, auditRetentionDays } = createCommonReaders(env, defaults);
  return readTogether(createCommonVariables(defaults), env, { databaseUrl, auditRetentionDays });
}

/** `names` are all variables of the service. */
export function createCommonReaders(
  env: Environment,
  defaults: ServiceDefaults,
  names: readonly string[] = [],
): ConfigReaders<CommonConfig> {
  const read = createEnvironmentReader(createCommonVariables(defaults), env);
  const chooseOwnMode = () =>
    chooseMode({ nodeEnv: read('NODE_ENV'), trialAllowed: read('TRIAL_WITHOUT_SETTINGS') }, names, env);
  const isProduction = () => chooseOwnMode() === 'production';
  const checkPublic = (name: string, url: string) => {
    checkHttpsInProduction(name, url, isProduction(), read('PLAIN_HTTP_HOSTS'));
    return url;
  };
  const databaseUrl = () => parseDatabaseUrl(read('DATABASE_URL'));
  return {
    host: () => read('HOST'),
    port: () => read('PORT'),
    authUrl: () => checkPublic('AUTH_URL', read('AUTH_URL')),
    baseUrl: () => checkPublic('BASE_URL', read('BASE_URL')),
    consoleUrl: () => {
      const given = read('CONSOLE_URL');
      if (given === undefined) return `${read('AUTH_URL')}/console`;
      return given === 'off' ? undefined : checkPublic('CONSOLE_URL', given);
    },
    databaseUrl,
    databasePoolSize: () => read('DATABASE_POOL_SIZE'),
    hashMemory: () => read('HASH_MEMORY'),
    migrateOnStart: () => read('MIGRATE_ON_START') ?? databaseUrl().dialect === 'sqlite',
    demoData: () => readDemoData(read, isProduction()),
    trustProxy: () => parseTrustProxy(read('TRUST_PROXY'), isProduction()),
    logLevel: () => read('LOG_LEVEL'),
    tracesUrl: () => readTracesUrl(read),
    production: isProduction,
    trial: () => chooseOwnMode() === 'trial',
    auditRetentionDays: () => read('AUDIT_RETENTION_DAYS'),
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

/** One line for each setting that serves no user in production. */
export function describeProductionRisks({ production, authUrl, databaseUrl }: CommonConfig): string[] {
  if (!production) return [];
  const risks = [];
  if (isLoopbackHost(new URL(authUrl).hostname)) {
    risks.push(`AUTH_URL is ${authUrl}, which reaches no machine but this one: set the address that users have`);
  }
  if (databaseUrl.dialect === 'sqlite') {
    risks.push(
      'DATABASE_URL names an SQLite file, which one process alone can use: more replicas need MySQL or MariaDB',
    );
  }
  return risks;
}
