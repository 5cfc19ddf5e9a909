import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type CommonConfig,
  ConfigError,
  createEnvironmentReader,
  type DatabaseUrl,
  type Environment,
  readCommonConfig,
  readDatabaseUrl,
} from '@gatehouse/service-kit';
import { scopeTokenPattern } from '@gatehouse/shared';

export interface Config extends CommonConfig {
  realm: string;
  /** Where org-api is reached. */
  orgApiUrl: string;
  /** PEM certificates to trust there; undefined: those that Node.js trusts. */
  orgApiCa: string | undefined;
  /** 32 bytes: encrypts private signing keys at rest, and is the root of the keys that guard forms and retries. */
  keyEncryptionKey: Buffer;
  /** The key before, while what it encrypted is encrypted anew. */
  previousKeyEncryptionKey: Buffer | undefined;
  /** Days after its first issue for which a refresh token with offline access can be used. */
  refreshTokenMaxDays: number;
  /** Scope names allowed beside the known ones. */
  extraScopes: string[];
}

const developmentKeyFile = '.data/key-encryption-key';

const databaseFile = '.data/auth-server.sqlite';

/** The database alone, for a migration. */
export function loadDatabaseUrl(env: Environment = process.env): DatabaseUrl {
  return readDatabaseUrl(createEnvironmentReader(env), databaseFile);
}

/** The only place that reads the environment; throws a ConfigError that names the variable at fault. */
export function loadConfig(env: Environment = process.env): Config {
  const variables = createEnvironmentReader(env);
  const common = readCommonConfig(variables, { port: 9000, databaseFile });
  const orgApiUrl = variables.baseUrl('ORG_API_URL', common.baseUrl);
  return {
    ...common,
    realm: parseRealm(variables.text('REALM', 'main')),
    orgApiUrl,
    orgApiCa: variables.caFile('ORG_API_CA_FILE', orgApiUrl),
    keyEncryptionKey: readKeyEncryptionKey(variables.optionalText('KEY_ENCRYPTION_KEY'), common.production),
    previousKeyEncryptionKey: readPreviousKey(variables.optionalText('KEY_ENCRYPTION_KEY_PREVIOUS')),
    refreshTokenMaxDays: variables.integer('REFRESH_TOKEN_MAX_DAYS', { fallback: 180, min: 1, max: 3650 }),
    extraScopes: parseExtraScopes(variables.words('EXTRA_SCOPES')),
  };
}

function parseRealm(realm: string): string {
  if (/^[A-Za-z0-9._~-]{1,64}$/.test(realm)) return realm;
  throw new ConfigError('REALM must be 1–64 characters of A–Z a–z 0–9 . _ ~ -');
}

function parseExtraScopes(scopes: string[]): string[] {
  const faulty = scopes.find((scope) => !new RegExp(scopeTokenPattern).test(scope));
  if (faulty === undefined) return scopes;
  throw new ConfigError('EXTRA_SCOPES must be scope names of printable ASCII, without " and \\, separated by spaces');
}

function readKeyEncryptionKey(value: string | undefined, production: boolean): Buffer {
  if (value !== undefined) return parseKeyEncryptionKey(value);
  if (production) throw new ConfigError('KEY_ENCRYPTION_KEY is required when NODE_ENV=production: 32 bytes, base64');
  return parseKeyEncryptionKey(readOrMakeDevelopmentKey());
}

function readPreviousKey(value: string | undefined): Buffer | undefined {
  return value === undefined ? undefined : parseKeyEncryptionKey(value, 'KEY_ENCRYPTION_KEY_PREVIOUS');
}

function parseKeyEncryptionKey(value: string, name = 'KEY_ENCRYPTION_KEY'): Buffer {
  const key = Buffer.from(value, 'base64');
  if (key.length === 32 && /^[A-Za-z0-9+/]{43}=$/.test(value.trim())) return key;
  throw new ConfigError(`${name} must be 32 bytes in base64, such as \`openssl rand -base64 32\` prints`);
}

/** In development a key is made at the first start; `wx` lets exactly one of several processes make it. */
function readOrMakeDevelopmentKey(): string {
  try {
    mkdirSync(dirname(developmentKeyFile), { recursive: true, mode: 0o700 });
    writeFileSync(developmentKeyFile, randomBytes(32).toString('base64'), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw new ConfigError(`KEY_ENCRYPTION_KEY is not set and ${developmentKeyFile} cannot be written`);
    }
  }
  return readFileSync(developmentKeyFile, 'utf8');
}
