import { type TSchemaOptions, Type } from 'typebox';
import { baseUrlType, isBaseUrl } from './base-url.ts';
import { hashMemory } from './memory-budget.ts';
import { trustProxyType } from './trust-proxy.ts';

/** The differences between the services. */
export interface ServiceDefaults {
  port: number;
  databaseFile: string;
}

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** The variables that both services read. */
export function createCommonVariables({ port, databaseFile }: ServiceDefaults) {
  return {
    NODE_ENV: Type.Optional(
      Type.Enum(['production', 'development', 'test'], {
        description: '`production` refuses what is for development only, as this table says',
        otherwise: 'development; see `TRIAL_WITHOUT_SETTINGS` for the images',
      }),
    ),
    TRIAL_WITHOUT_SETTINGS: Type.Boolean({
      description:
        '`true`, as the images set it: where `NODE_ENV` is not set, a service to which nothing is given but `HOST`, `PORT`, ' +
        '`LOG_LEVEL` and `DEMO_DATA` runs in development, with a warning, and any other in production',
      default: false,
    }),
    HOST: Type.String({ description: 'listen address', default: '127.0.0.1' }),
    PORT: Type.Integer({ description: 'listen port', minimum: 0, maximum: 65_535, default: port }),
    AUTH_URL: baseUrlType({
      description: 'the issuer and public base of auth-server, no trailing slash',
      default: 'http://localhost:9000',
    }),
    BASE_URL: baseUrlType({
      description: 'public base of org-api; the `aud` of access tokens',
      default: 'http://localhost:9001',
    }),
    CONSOLE_URL: Type.Optional(
      Type.Refine(
        Type.String({
          description:
            'where the [console](docs/operations/console.md) of administrators is; a host of its own serves it alone; `off`: there is none; the same at both',
          otherwise: '`AUTH_URL` and `/console`',
          expected:
            'be off, or an absolute http(s) URL without a trailing slash, such as http://localhost:9000/console',
        }),
        (value) => value === 'off' || isBaseUrl(value),
      ),
    ),
    PLAIN_HTTP_HOSTS: Type.Array(Type.String(), {
      description:
        'hosts (or `.suffixes`) that `AUTH_URL`, `BASE_URL` and `CONSOLE_URL` may name by http in production: cluster-internal ones',
      default: [],
    }),
    DATABASE_URL: Type.String({ description: databaseUrlDescription, default: `sqlite:${databaseFile}` }),
    DATABASE_POOL_SIZE: Type.Integer({
      description: 'connections of each replica to MySQL; [sizing](docs/operations/scale.md#connections)',
      // Two at least: one slow statement does not keep all others waiting.
      minimum: 2,
      maximum: 100,
      default: 10,
    }),
    HASH_MEMORY: Type.Integer({
      description:
        'MiB that all hashes of passwords and secrets take at the same time; one of ours takes 19, one that was ' +
        '[imported](docs/operations/import-users.md#hashes) up to 64',
      minimum: hashMemory.least,
      maximum: 65_536,
      default: hashMemory.usual,
    }),
    MIGRATE_ON_START: Type.Optional(
      Type.Boolean({
        description: 'brings the schema up to date at start; else run `node apps/<service>/dist/migrate.js`',
        otherwise: '`true` with SQLite, `false` with MySQL',
      }),
    ),
    DEMO_DATA: Type.Boolean({
      description:
        'creates the demo users, and the client of the API references (`/docs`); refused when `NODE_ENV=production`',
      default: false,
    }),
    TRUST_PROXY: trustProxyType,
    LOG_LEVEL: Type.Enum(logLevels, { description: 'the least level that is logged', default: 'info' }),
    AUDIT_RETENTION_DAYS: Type.Integer({
      description: 'days for which [audit events](docs/operations/audit.md) are kept',
      minimum: 1,
      maximum: 3650,
      default: 365,
    }),
    ...createTracingVariables(),
  };
}

const databaseUrlDescription =
  '`sqlite:PATH` or `mysql://user:password@host:port/name` (MySQL 8, MariaDB 10.11+); each service its own. ' +
  'Several hosts (`one:3306,two:3306`) are [tried in order](docs/operations/scale.md#when-the-primary-is-lost). ' +
  "With MySQL, `?tls=verify` requires TLS and verifies the server's certificate and name, and `&tls-ca=PATH` names the " +
  'CAs to trust (PEM); `?tls=off` is the default. Any other parameter is refused. SQLite files are made with mode 0600, ' +
  'their folder with 0700';

/** OpenTelemetry's own variables. */
function createTracingVariables() {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
      httpUrlType({
        description:
          'turns tracing on: the base URL below which spans are posted by OTLP/HTTP (JSON). ' +
          "OpenTelemetry's SDK then reads its other standard variables by itself: service name, resource attributes, " +
          'sampler, batches, headers of the exporter',
        otherwise: 'off',
      }),
    ),
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: Type.Optional(
      httpUrlType({ description: 'turns tracing on too: the whole URL to which spans are posted', otherwise: 'off' }),
    ),
    OTEL_SDK_DISABLED: Type.Boolean({
      description: '`true` keeps tracing off whatever the endpoint',
      default: false,
    }),
  };
}

function httpUrlType(annotations: TSchemaOptions) {
  const expected = 'be an http(s) URL, such as http://localhost:4318';
  return Type.Refine(
    Type.String({ ...annotations, expected }),
    (value) => /^https?:\/\/[^/]/i.test(value) && URL.canParse(value),
  );
}
