import { existsSync } from 'node:fs';
import {
  administrationAcrType,
  baseUrlType,
  ConfigError,
  commonDisclosures,
  createCommonReaders,
  createCommonVariables,
  createEnvironmentReader,
  type Disclosure,
  describeMisspeltVariables,
  type Environment,
  keyType,
  listVariablesInForce,
  passkeyDomainType,
  readCaFile,
  readCertificates,
  readDatabaseConfig,
  readDatabaseUrl,
  readEncryptionKey,
  readPasskeyDomain,
  readTogether,
  type ServiceConfig,
} from '@gatehouse/service-kit';
import type { DatabaseUrl } from '@gatehouse/service-kit/database';
import {
  type GrantType,
  knownScopes,
  type Level,
  levels,
  listGrantTypes,
  type MfaPolicy,
  type Role,
  roles,
  rolesImpliedBy,
  scopeTokenPattern,
} from '@gatehouse/shared';
import { Type } from 'typebox';
import type { Branding } from './branding/branding.ts';
import { brandingVariables, createBrandingReaders } from './branding/read-branding.ts';
import { type CliClientMode, cliClientModes } from './clients/built-in-clients.ts';
import { isWellFormedDocumentUrl } from './clients/document-url.ts';

export const registrationModes = ['off', 'token', 'open'] as const;
export type RegistrationMode = (typeof registrationModes)[number];

export const documentModes = ['off', 'listed', 'open'] as const;
export type DocumentMode = (typeof documentModes)[number];

export const passkeyModes = ['on', 'second_step', 'off'] as const;
export type PasskeyMode = (typeof passkeyModes)[number];

/** The grant types that an installation may switch off. */
const switchableGrantTypes = listGrantTypes(({ switchable }) => switchable);

export interface Config extends ServiceConfig, Branding {
  realm: string;
  /** Where org-api is reached. */
  orgApiUrl: string;
  /** PEM certificates to trust there; undefined: those that Node.js trusts. */
  orgApiCa: string | undefined;
  /** 32 bytes: encrypts private signing keys at rest, and is the root of the keys that guard forms and retries. */
  keyEncryptionKey: Buffer;
  /** The former key, while what it encrypted is encrypted with the current one. */
  previousKeyEncryptionKey: Buffer | undefined;
  /** The callers that may register clients at the registration endpoint: none, holders of an initial access token, or all. */
  dynamicRegistration: RegistrationMode;
  /** Whether passkeys sign users in alone, after a password only, or that and no more are made. */
  passkeyMode: PasskeyMode;
  /** The users who sign in with a second step, whatever a client asks for. */
  requireMfa: MfaPolicy;
  /** The level that administration requires of a Person. */
  administrationAcr: Level;
  /** The roles that can be used through the console, with those that they include; none: it reads nothing. */
  consoleRoles: readonly Role[];
  /** Whether the command-line tool signs administrators in, and whether at another machine too. */
  cliClient: CliClientMode;
  /** For how many days a browser is not asked for the second step; 0: never. */
  rememberBrowserDays: number;
  /** The domain that passkeys belong to (WebAuthn 3, 5.1.2); undefined where AUTH_URL is an IP address, which has none. */
  passkeyRpId: string | undefined;
  /** Milliseconds after the sign-in for which a browser session lives. No use makes it longer. */
  sessionLifetime: number;
  /** Days after its last use for which a refresh token with offline access can be used. */
  refreshTokenIdleDays: number;
  /** Days after its first issue for which a refresh token with offline access can be used. */
  refreshTokenMaxDays: number;
  /** Scope names allowed in addition to the known ones, each once. */
  extraScopes: string[];
  /** Hosts, and suffixes that start with a dot, at which private addresses are called. */
  outboundPrivateHosts: string[];
  /** PEM certificates to trust at addresses of others, as well as those that Node.js trusts. */
  outboundCa: string | undefined;
  /** The proxy for calls to addresses of others. It may hold a password. */
  outboundProxy: string | undefined;
  /** Names of `EXTRA_SCOPES` that every realm knows. They have their known meaning. */
  needlessExtraScopes: string[];
  /** The grant types that no client may use or newly get, each once. */
  grantTypesOff: readonly GrantType[];
  /** The clients that may be the URL of a metadata document: none, those that are listed, or all. */
  clientIdMetadata: DocumentMode;
  /** Exact URLs, and prefixes that end in `/`. */
  clientIdMetadataUrls: readonly string[];
}

const developmentKeyFile = '.data/key-encryption-key';

const defaults = { port: 9000, databaseFile: '.data/auth-server.sqlite' };

/** 30 days: a client that registered itself lapses no earlier, so it outlives its sessions. */
const longestSessionHours = 720;

/** A host name, or a suffix of host names; an IPv6 address as URLs have it. */
const hostPattern = String.raw`^(?:\.?[A-Za-z0-9][A-Za-z0-9._-]{0,252}|\[[0-9A-Fa-f:.]{2,45}\])$`;

/** The variables of auth-server alone. */
const ownVariables = {
  REALM: Type.String({
    description: 'realm name',
    default: 'main',
    pattern: '^[A-Za-z0-9._~-]{1,64}$',
    expected: 'be 1–64 characters of A–Z a–z 0–9 . _ ~ -',
  }),
  ORG_API_URL: Type.Optional(
    baseUrlType({ description: 'where auth-server reaches org-api, by http or https', otherwise: '`BASE_URL`' }),
  ),
  ORG_API_CA_FILE: Type.Optional(
    Type.String({
      description: 'a file of CA certificates (PEM) to trust at an https `ORG_API_URL`',
      otherwise: 'the CAs of Node.js',
    }),
  ),
  KEY_ENCRYPTION_KEY: Type.Optional(
    keyType(
      '32 bytes, base64; encrypts private signing keys at rest; the same on every replica',
      'required when `NODE_ENV=production`, else made and kept under `.data/`',
    ),
  ),
  KEY_ENCRYPTION_KEY_PREVIOUS: Type.Optional(
    keyType('the key before, at the first start after a change: what it encrypted is encrypted again', ''),
  ),
  EXTRA_SCOPES: Type.Array(Type.String({ pattern: scopeTokenPattern }), {
    description: 'scope names, space-separated, allowed in addition to the known ones; a known one changes nothing',
    default: [],
    expected: 'be scope names of printable ASCII, without " and \\, separated by spaces',
  }),
  DYNAMIC_REGISTRATION: Type.Enum([...registrationModes], {
    description:
      'whether clients register themselves (RFC 7591) at `/oauth/register`: `token` with an initial access token, `open` also without one',
    default: 'off',
  }),
  PASSKEYS: Type.Enum([...passkeyModes], {
    description:
      'whether users sign in by a passkey: `on`; `second_step` after a password only; `off` the same, and none is made any more',
    default: 'on',
  }),
  PASSKEY_RP_ID: passkeyDomainType(),
  REQUIRE_MFA: Type.Array(Type.Enum(['everybody', ...roles]), {
    description:
      'users who sign in with a second step, whatever an application asks for: `everybody`, or role names, space-separated',
    default: [],
    expected: `be everybody, or names of ${roles.join(', ')}, separated by spaces`,
  }),
  ADMINISTRATION_ACR: administrationAcrType(),
  CONSOLE_ROLES: Type.Array(Type.Enum(['none', ...roles]), {
    description:
      'roles that can be used through the console, each with those that it includes; `none`: it reads nothing',
    default: ['SystemAdministrator'],
    expected: `be none, or names of ${roles.join(', ')}, separated by spaces`,
  }),
  CLI_CLIENT: Type.Enum([...cliClientModes], {
    description:
      'whether `gatehouse login` signs administrators in: `on` by a browser of the same machine, `device` by one of another machine too',
    default: 'off',
  }),
  REMEMBER_BROWSER_DAYS: Type.Integer({
    description: 'days for which a browser is not asked for the second step, where the user says so; 0: never',
    minimum: 0,
    maximum: 90,
    default: 30,
  }),
  SESSION_HOURS: Type.Integer({
    description:
      'hours after the sign-in for which a browser session lives, and refresh tokens without offline_access; a change counts for new sign-ins',
    minimum: 1,
    maximum: longestSessionHours,
    default: 12,
  }),
  REFRESH_TOKEN_IDLE_DAYS: Type.Integer({
    description: 'days after its last use for which a refresh token with offline_access can be used',
    minimum: 1,
    maximum: 180,
    default: 30,
  }),
  REFRESH_TOKEN_MAX_DAYS: Type.Integer({
    description: 'days after its first issue for which a refresh token with offline_access can be used at all',
    minimum: 1,
    maximum: 3650,
    default: 180,
  }),
  OUTBOUND_PRIVATE_HOSTS: Type.Array(Type.String({ pattern: hostPattern }), {
    description:
      'hosts (or `.suffixes`) at which private and loopback addresses are called, where clients and administrators register `https` addresses there; not for metadata documents that `CLIENT_ID_METADATA_URLS` does not list',
    default: [],
    expected: 'be host names, or suffixes that start with a dot, separated by spaces',
  }),
  OUTBOUND_CA_FILE: Type.Optional(
    Type.String({
      description: 'a file of CA certificates (PEM) to trust at registered addresses, as well as those of Node.js',
      otherwise: 'the CAs of Node.js',
    }),
  ),
  OUTBOUND_PROXY: Type.Optional(
    Type.Refine(
      Type.String({
        description:
          'an http(s) proxy for calls to registered addresses (CONNECT). It looks names up, so which addresses they have is its duty',
        otherwise: 'none, also where `HTTP_PROXY` is set',
        expected: 'be an absolute http(s) URL, such as http://proxy.example:3128',
      }),
      (value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol),
    ),
  ),
  GRANT_TYPES_OFF: Type.Array(Type.Enum([...switchableGrantTypes]), {
    description:
      'grant types that no client may use or newly get, space-separated: password, implicit, client_credentials, service_account, the URNs of device codes and token exchange. Clients that have one keep it in their registration',
    default: [],
    expected: `be names of ${switchableGrantTypes.join(', ')}, separated by spaces`,
  }),
  CLIENT_ID_METADATA: Type.Enum([...documentModes], {
    description:
      'whether the `client_id` of a client may be the URL of its metadata document: `listed` one of `CLIENT_ID_METADATA_URLS`, `open` any',
    default: 'off',
  }),
  CLIENT_ID_METADATA_URLS: Type.Array(Type.Refine(Type.String(), isWellFormedDocumentUrl), {
    description:
      'URLs of metadata documents of clients that users need no warning of, space-separated, or prefixes that end in `/` after a path segment',
    default: [],
    expected:
      'be https URLs of at most 255 characters with a path other than /, without query and fragment, separated by spaces',
  }),
};

/** All variables of auth-server: the table in docs/configuration.md is made of them. */
export const environmentVariables = { ...createCommonVariables(defaults), ...ownVariables, ...brandingVariables };
const variableNames = Object.keys(environmentVariables);

/** How much of each variable administrators see. */
export const disclosures: Record<keyof typeof environmentVariables, Disclosure> = {
  ...commonDisclosures,
  REALM: 'text',
  ORG_API_URL: 'text',
  ORG_API_CA_FILE: 'path',
  KEY_ENCRYPTION_KEY: 'secret',
  KEY_ENCRYPTION_KEY_PREVIOUS: 'secret',
  EXTRA_SCOPES: 'text',
  DYNAMIC_REGISTRATION: 'text',
  PASSKEYS: 'text',
  PASSKEY_RP_ID: 'text',
  REQUIRE_MFA: 'text',
  ADMINISTRATION_ACR: 'text',
  CONSOLE_ROLES: 'text',
  CLI_CLIENT: 'text',
  REMEMBER_BROWSER_DAYS: 'text',
  SESSION_HOURS: 'text',
  REFRESH_TOKEN_IDLE_DAYS: 'text',
  REFRESH_TOKEN_MAX_DAYS: 'text',
  OUTBOUND_PRIVATE_HOSTS: 'text',
  OUTBOUND_CA_FILE: 'path',
  OUTBOUND_PROXY: 'secret',
  GRANT_TYPES_OFF: 'text',
  CLIENT_ID_METADATA: 'text',
  CLIENT_ID_METADATA_URLS: 'text',
  DISPLAY_NAME: 'text',
  LOGO_FILE: 'path',
  LOGO_FILE_DARK: 'path',
  FAVICON_FILE: 'path',
  ACCENT_COLOR: 'text',
  HELP_URL: 'text',
  PRIVACY_URL: 'text',
  TERMS_URL: 'text',
};

/** One line for each variable of the environment whose name is almost that of one of this service. */
export function describeMisspelt(env: Environment = process.env): string[] {
  return describeMisspeltVariables(variableNames, env);
}

/** The database alone, for a migration. */
export function loadDatabaseUrl(env: Environment = process.env): DatabaseUrl {
  return readDatabaseUrl(env, defaults);
}

/** For the command `keys`. A made-up key would encrypt signing keys for replicas that do not have it. */
export function loadConfigForKeys(env: Environment = process.env): Config {
  const isGiven = createEnvironmentReader(ownVariables, env)('KEY_ENCRYPTION_KEY') !== undefined;
  if (!isGiven && loadDatabaseUrl(env).dialect === 'mysql') {
    throw new ConfigError(
      'KEY_ENCRYPTION_KEY is required where DATABASE_URL is MySQL: the value that the replicas have',
    );
  }
  return loadConfig(env);
}

/** For `recover`, which runs where a migration does, too. */
export function loadDatabaseConfig(env: Environment = process.env): Pick<Config, 'databaseUrl' | 'auditRetentionDays'> {
  return readDatabaseConfig(env, defaults);
}

/** For `recover --new-keys`, which deletes what the key does not open: a key that is made up here would open nothing. */
export function loadConfigForNewKeys(env: Environment = process.env): Config {
  const isGiven = createEnvironmentReader(ownVariables, env)('KEY_ENCRYPTION_KEY') !== undefined;
  if (!isGiven && !existsSync(developmentKeyFile)) {
    throw new ConfigError('KEY_ENCRYPTION_KEY must be set: to the value that auth-server has from now on');
  }
  return loadConfig(env);
}

/** The only place that reads the environment; throws a ConfigError that names each variable at fault. */
export function loadConfig(env: Environment = process.env): Config {
  const common = createCommonReaders(env, defaults, variableNames);
  const read = createEnvironmentReader(ownVariables, env);
  const orgApiUrl = () => read('ORG_API_URL') ?? common.baseUrl();
  const extraScopes = () => sortExtraScopes(read('EXTRA_SCOPES'));
  return readTogether<Config>(environmentVariables, env, {
    ...common,
    ...createBrandingReaders(env),
    realm: () => read('REALM'),
    orgApiUrl,
    orgApiCa: () => readCaFile('ORG_API_CA_FILE', read('ORG_API_CA_FILE'), orgApiUrl()),
    keyEncryptionKey: () =>
      readEncryptionKey('KEY_ENCRYPTION_KEY', read('KEY_ENCRYPTION_KEY'), {
        production: common.production(),
        developmentFile: developmentKeyFile,
      }),
    previousKeyEncryptionKey: () => parsePreviousKey(read('KEY_ENCRYPTION_KEY_PREVIOUS')),
    dynamicRegistration: () => read('DYNAMIC_REGISTRATION'),
    passkeyMode: () => read('PASSKEYS'),
    requireMfa: () => read('REQUIRE_MFA'),
    administrationAcr: () => read('ADMINISTRATION_ACR'),
    consoleUrl: () => checkConsoleUrl(common.consoleUrl(), common.authUrl()),
    consoleRoles: () => readConsoleRoles(read('CONSOLE_ROLES')),
    cliClient: () => {
      const mode = read('CLI_CLIENT');
      const isAway = mode === 'off' && common.consoleUrl() === undefined;
      if (isAway && common.production()) checkBasicAdministers(read('ADMINISTRATION_ACR'));
      return mode;
    },
    rememberBrowserDays: () => read('REMEMBER_BROWSER_DAYS'),
    passkeyRpId: () => readPasskeyDomain(read('PASSKEY_RP_ID'), common.authUrl()),
    sessionLifetime: () => read('SESSION_HOURS') * 3_600_000,
    refreshTokenIdleDays: () => read('REFRESH_TOKEN_IDLE_DAYS'),
    refreshTokenMaxDays: () => read('REFRESH_TOKEN_MAX_DAYS'),
    outboundPrivateHosts: () => read('OUTBOUND_PRIVATE_HOSTS').map((host) => host.toLowerCase()),
    outboundCa: () => {
      const file = read('OUTBOUND_CA_FILE');
      return file === undefined ? undefined : readCertificates('OUTBOUND_CA_FILE', file);
    },
    outboundProxy: () => read('OUTBOUND_PROXY'),
    extraScopes: () => extraScopes().extraScopes,
    needlessExtraScopes: () => extraScopes().needlessExtraScopes,
    grantTypesOff: () => [...new Set(read('GRANT_TYPES_OFF'))],
    clientIdMetadata: () => read('CLIENT_ID_METADATA'),
    clientIdMetadataUrls: () => read('CLIENT_ID_METADATA_URLS'),
    variables: (values) => listVariablesInForce(values, env, disclosures),
  });
}

/** A name that an operator added may be known since a later release, as phone is; the service must start all the same. */
function sortExtraScopes(names: string[]): Pick<Config, 'extraScopes' | 'needlessExtraScopes'> {
  const isKnown = (name: string) => (knownScopes as readonly string[]).includes(name);
  const distinct = [...new Set(names)];
  return {
    extraScopes: distinct.filter((name) => !isKnown(name)),
    needlessExtraScopes: distinct.filter(isKnown),
  };
}

function readConsoleRoles(names: readonly (Role | 'none')[]): Role[] {
  const named = names.filter((name) => name !== 'none');
  if (named.length > 0 && named.length < names.length) {
    throw new ConfigError('CONSOLE_ROLES must be none alone, or names of roles');
  }
  return rolesImpliedBy(named);
}

/** A name and a password alone reach no level above the lowest: with neither program, nobody could register the first client. */
function checkBasicAdministers(administrationAcr: Level): void {
  if (administrationAcr === levels[0]) return;
  throw new ConfigError(
    'ADMINISTRATION_ACR needs CONSOLE_URL or CLI_CLIENT: with both off, nobody could register the first client',
  );
}

/** The root of AUTH_URL has a page of its own. */
function checkConsoleUrl(consoleUrl: string | undefined, authUrl: string): string | undefined {
  if (consoleUrl === undefined) return undefined;
  const [own, auth] = [new URL(consoleUrl), new URL(authUrl)];
  if (own.host !== auth.host || (own.pathname !== '/' && consoleUrl !== authUrl)) return consoleUrl;
  throw new ConfigError('CONSOLE_URL must have a path of its own, or a host other than that of AUTH_URL');
}

function parsePreviousKey(value: string | undefined): Buffer | undefined {
  return value === undefined ? undefined : Buffer.from(value, 'base64');
}
