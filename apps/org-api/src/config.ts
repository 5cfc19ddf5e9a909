import { existsSync } from 'node:fs';
import {
  accentColourType,
  administrationAcrType,
  baseUrlType,
  ConfigError,
  commonDisclosures,
  createCommonReaders,
  createCommonVariables,
  createEnvironmentReader,
  type Disclosure,
  describeMisspeltVariables,
  displayNameType,
  type Environment,
  keyType,
  linkType,
  listVariablesInForce,
  passkeyDomainType,
  readAccentColours,
  readCaFile,
  readCertificates,
  readDatabaseConfig,
  readDatabaseUrl,
  readEncryptionKey,
  readPasskeyDomain,
  readTogether,
  type ServiceConfig,
  type VariableInForce,
} from '@gatehouse/service-kit';
import type { DatabaseUrl } from '@gatehouse/service-kit/database';
import {
  foldUsername,
  type Level,
  localRefusalsPath,
  type ProfileField,
  profileFields,
  usernamePattern,
} from '@gatehouse/shared';
import { Type } from 'typebox';
import { isPlainAddress } from './mails/mail.ts';
import { type MailTarget, parseMailUrl } from './mails/mail-url.ts';
import { type IsBreached, openBreachedPasswords } from './passwords/breached-passwords.ts';
import { isCommonPassword } from './passwords/common-password.ts';

export interface Config extends ServiceConfig {
  /** The URL of the auth server's key set. */
  jwksUrl: string;
  /** PEM certificates to trust there. If undefined, those that Node.js trusts. */
  jwksCa: string | undefined;
  /** The base URL of the auth server's status lists. */
  statusListsUrl: string;
  /** Where the auth server says which users have no password here. */
  localRefusalsUrl: string;
  /** Becomes SystemAdministrator where the organization database has no administrator. */
  bootstrapAdmin: { username: string; password: string } | undefined;
  /** 32 bytes: encrypts the secrets of code apps at rest. */
  credentialsKey: Buffer;
  /** Characters that a new password must have. */
  passwordMinLength: number;
  /** Looks a new password up in the list of passwords from breaches; undefined where there is no list. */
  isBreached: IsBreached | undefined;
  /** Where mails go; undefined where none are sent. */
  mailTarget: MailTarget | undefined;
  /** The sender of mails. */
  mailFrom: string | undefined;
  /** PEM certificates to trust at the mail server. If undefined, those that Node.js trusts. */
  mailCa: string | undefined;
  /** Mails in an hour at most that nobody signed in asked for. */
  mailsPerHour: number;
  /** The name of the organization in mails. */
  displayName: string | undefined;
  /** A page that helps, in mails. */
  helpUrl: string | undefined;
  /** The colour of links in mails: that of light pages. */
  accentColor: string | undefined;
  /** Whether people register themselves. */
  isRegistrationOpen: boolean;
  /** The domains of addresses that may register, in lower case; empty: all. */
  registrationDomains: string[];
  /** Completes names that are typed without an `@`. */
  usernameDomain: string | undefined;
  /** Whether users delete their account. */
  mayDeleteAccount: boolean;
  /** The level that administration requires of a Person. */
  administrationAcr: Level;
  /** The domain of passkeys that work here; undefined where none do, since `AUTH_URL` has an IP address. */
  passkeyRpId: string | undefined;
  /** Whether users are told of sign-ins from elsewhere. */
  notifyNewSignIn: boolean;
  /** The members of their records that users change themselves. */
  usersMayChange: ProfileField[];
  /** The former key, while what it encrypted is encrypted with the current one. */
  previousCredentialsKey: Buffer | undefined;
}

const jwksPath = '/oauth/jwks';
export const statusListsPath = '/oauth/status-lists/';

const domainPattern = '^[A-Za-z0-9.-]{1,253}$';

const developmentKeyFile = '.data/credentials-key';

const defaults = { port: 9001, databaseFile: '.data/org-api.sqlite' };

/** The variables of org-api alone. */
const ownVariables = {
  JWKS_URL: Type.Optional(
    baseUrlType({
      description: 'where org-api reaches the key set, by http or https',
      otherwise: `\`AUTH_URL\` + \`${jwksPath}\``,
    }),
  ),
  JWKS_CA_FILE: Type.Optional(
    Type.String({
      description: 'a file of CA certificates (PEM) to trust at an https `JWKS_URL`, for status lists too',
      otherwise: 'the CAs of Node.js',
    }),
  ),
  CREDENTIALS_KEY: Type.Optional(
    keyType(
      '32 bytes, base64; encrypts the secrets of code apps at rest; the same on every replica',
      'required when `NODE_ENV=production`, else made and kept under `.data/`',
    ),
  ),
  CREDENTIALS_KEY_PREVIOUS: Type.Optional(
    keyType('the key before, at the first start after a change: what it encrypted is encrypted again', ''),
  ),
  PASSWORD_MIN_LENGTH: Type.Integer({
    description: 'characters that a new password must have; 15 where a password is all that users sign in with',
    minimum: 8,
    maximum: 64,
    default: 8,
  }),
  BREACHED_PASSWORDS_FILE: Type.Optional(
    Type.String({
      description:
        'a file of sorted lines `SHA-1:count`, as the published list of passwords from breaches has them; no new password may be one of these. It is searched on disk',
    }),
  ),
  USERS_MAY_CHANGE: Type.Array(Type.Enum([...profileFields]), {
    description: `members of their records that users change themselves at \`/account\`, space-separated, of ${profileFields.join(', ')}; set and empty: none`,
    default: ['nickname', 'locale', 'timezone'],
    expected: `be names of ${profileFields.join(', ')}, separated by spaces`,
  }),
  MAIL_URL: Type.Optional(
    Type.String({
      description:
        'where mails go: `smtp://user:password@host:587` with `?tls=required` (unless set), `opportunistic` or `off`, `smtps://…:465`, or, not in production, `file:FOLDER`',
      otherwise: 'no mails',
    }),
  ),
  MAIL_FROM: Type.Optional(
    Type.Refine(
      Type.String({
        description: 'the address that mails are from; required with `MAIL_URL`',
        expected: 'be an e-mail address, such as no-reply@example.com',
      }),
      isPlainAddress,
    ),
  ),
  MAIL_CA_FILE: Type.Optional(
    Type.String({
      description: 'a file of CA certificates (PEM) to trust at the mail server',
      otherwise: 'the CAs of Node.js',
    }),
  ),
  MAILS_PER_HOUR: Type.Integer({
    description: 'mails in an hour at most that nobody signed in asked for; one network takes 2 % of them at most',
    minimum: 1,
    maximum: 1_000_000,
    default: 1000,
  }),
  PASSKEY_RP_ID: passkeyDomainType(),
  ADMINISTRATION_ACR: administrationAcrType(),
  REGISTRATION: Type.Enum(['off', 'open'], {
    description: 'whether people register themselves at `/account/register`; `open` needs `MAIL_URL`',
    default: 'off',
  }),
  REGISTRATION_DOMAINS: Type.Array(Type.String({ pattern: domainPattern }), {
    description: 'the domains of addresses that may register, space-separated; all where it is empty',
    default: [],
    expected: 'be domains such as example.com, separated by spaces',
  }),
  USERNAME_DOMAIN: Type.Optional(
    Type.String({
      pattern: domainPattern,
      description:
        'the domain that completes usernames typed without an `@`, at the sign-in and at the pages of the account: with `example.com`, `ursula` is `ursula@example.com`',
      otherwise: 'names count as they are typed',
      expected: 'be a domain such as example.com',
    }),
  ),
  ACCOUNT_DELETION: Type.Enum(['off', 'on'], {
    description: 'whether users delete their account at `/account/delete`',
    default: 'off',
  }),
  NOTIFY_NEW_SIGN_IN: Type.Boolean({
    description: 'whether users get a mail about a sign-in from a browser and a network that are both new',
    default: true,
    expected: 'be true or false',
  }),
  DISPLAY_NAME: displayNameType({ description: 'the name in mails: the same at both', otherwise: 'no name' }),
  HELP_URL: linkType({ description: 'a page that helps, in mails: the same at both' }),
  ACCENT_COLOR: accentColourType({
    description: 'the colour of the link in mails: the same at both',
    otherwise: '`#0b5a8f`',
  }),
  BOOTSTRAP_ADMIN_USERNAME: Type.Optional(
    Type.String({ description: 'creates this SystemAdministrator when the organization has none' }),
  ),
  BOOTSTRAP_ADMIN_PASSWORD: Type.Optional(
    Type.String({
      description: 'the password of that administrator; in production not one of the 10,000 most common',
    }),
  ),
};

/** All variables of org-api: the table in docs/configuration.md is made from them. */
export const environmentVariables = { ...createCommonVariables(defaults), ...ownVariables };
const variableNames = Object.keys(environmentVariables);

/** How much of each variable administrators see. */
export const disclosures: Record<keyof typeof environmentVariables, Disclosure> = {
  ...commonDisclosures,
  JWKS_URL: 'text',
  JWKS_CA_FILE: 'path',
  CREDENTIALS_KEY: 'secret',
  CREDENTIALS_KEY_PREVIOUS: 'secret',
  PASSWORD_MIN_LENGTH: 'text',
  BREACHED_PASSWORDS_FILE: 'path',
  USERS_MAY_CHANGE: 'text',
  MAIL_URL: 'secret',
  MAIL_FROM: 'text',
  MAIL_CA_FILE: 'path',
  MAILS_PER_HOUR: 'text',
  PASSKEY_RP_ID: 'text',
  ADMINISTRATION_ACR: 'text',
  REGISTRATION: 'text',
  REGISTRATION_DOMAINS: 'text',
  USERNAME_DOMAIN: 'text',
  ACCOUNT_DELETION: 'text',
  NOTIFY_NEW_SIGN_IN: 'text',
  DISPLAY_NAME: 'text',
  HELP_URL: 'text',
  ACCENT_COLOR: 'text',
  BOOTSTRAP_ADMIN_USERNAME: 'text',
  BOOTSTRAP_ADMIN_PASSWORD: 'secret',
};

/** One line for each variable of the environment whose name is almost that of one of this service. */
export function describeMisspelt(env: Environment = process.env): string[] {
  return describeMisspeltVariables(variableNames, env);
}

/** The database alone, for a migration. */
export function loadDatabaseUrl(env: Environment = process.env): DatabaseUrl {
  return readDatabaseUrl(env, defaults);
}

/** For `recover`, which runs where a migration does, too. */
export function loadDatabaseConfig(env: Environment = process.env): Pick<Config, 'databaseUrl' | 'auditRetentionDays'> {
  return readDatabaseConfig(env, defaults);
}

/** For `recover --new-keys`, which removes what the key does not open: a key that is made up here would open nothing. */
export function loadConfigForNewKeys(env: Environment = process.env): Config {
  const isGiven = createEnvironmentReader(ownVariables, env)('CREDENTIALS_KEY') !== undefined;
  if (!isGiven && !existsSync(developmentKeyFile)) {
    throw new ConfigError('CREDENTIALS_KEY must be set: to the value that org-api has from now on');
  }
  return loadConfig(env);
}

/** The only place that reads the environment; throws a ConfigError that names each variable at fault. */
export function loadConfig(env: Environment = process.env): Config {
  const common = createCommonReaders(env, defaults, variableNames);
  const read = createEnvironmentReader(environmentVariables, env);
  const jwksUrl = () => read('JWKS_URL') ?? `${common.authUrl()}${jwksPath}`;
  const reachableAuthUrl = () => {
    const url = jwksUrl();
    // If the keys have another address than `AUTH_URL`, the rest of auth-server has it too.
    return url.endsWith(jwksPath) ? url.slice(0, -jwksPath.length) : common.authUrl();
  };
  return readTogether<Config>(environmentVariables, env, {
    ...common,
    jwksUrl,
    jwksCa: () => readCaFile('JWKS_CA_FILE', read('JWKS_CA_FILE'), jwksUrl()),
    statusListsUrl: () => reachableAuthUrl() + statusListsPath,
    localRefusalsUrl: () => reachableAuthUrl() + localRefusalsPath,
    credentialsKey: () =>
      readEncryptionKey('CREDENTIALS_KEY', read('CREDENTIALS_KEY'), {
        production: common.production(),
        developmentFile: developmentKeyFile,
      }),
    mailTarget: () => {
      const url = read('MAIL_URL');
      const plainHosts = read('PLAIN_HTTP_HOSTS');
      return url === undefined ? undefined : parseMailUrl(url, { production: common.production(), plainHosts });
    },
    mailFrom: () => {
      const from = read('MAIL_FROM');
      if (from === undefined && read('MAIL_URL') !== undefined) {
        throw new ConfigError('MAIL_FROM must be set, to the address that mails are from, where MAIL_URL is set');
      }
      return from;
    },
    mailCa: () => {
      const file = read('MAIL_CA_FILE');
      return file === undefined ? undefined : readCertificates('MAIL_CA_FILE', file);
    },
    mailsPerHour: () => read('MAILS_PER_HOUR'),
    displayName: () => read('DISPLAY_NAME'),
    helpUrl: () => read('HELP_URL'),
    accentColor: () => readAccentColours('ACCENT_COLOR', read('ACCENT_COLOR'))?.light,
    isRegistrationOpen: () => {
      const isOpen = read('REGISTRATION') === 'open';
      if (isOpen && read('MAIL_URL') === undefined) {
        throw new ConfigError('MAIL_URL must be set where REGISTRATION=open: people register by a mailed link');
      }
      return isOpen;
    },
    registrationDomains: () => read('REGISTRATION_DOMAINS').map((domain) => domain.toLowerCase()),
    usernameDomain: () => read('USERNAME_DOMAIN'),
    mayDeleteAccount: () => read('ACCOUNT_DELETION') === 'on',
    passkeyRpId: () => readPasskeyDomain(read('PASSKEY_RP_ID'), common.authUrl()),
    administrationAcr: () => read('ADMINISTRATION_ACR'),
    notifyNewSignIn: () => read('NOTIFY_NEW_SIGN_IN'),
    passwordMinLength: () => read('PASSWORD_MIN_LENGTH'),
    isBreached: () => {
      const file = read('BREACHED_PASSWORDS_FILE');
      return file === undefined ? undefined : openBreachedPasswords('BREACHED_PASSWORDS_FILE', file);
    },
    usersMayChange: () => (isEmptyOnPurpose('USERS_MAY_CHANGE', env) ? [] : read('USERS_MAY_CHANGE')),
    previousCredentialsKey: () => {
      const previous = read('CREDENTIALS_KEY_PREVIOUS');
      return previous === undefined ? undefined : Buffer.from(previous, 'base64');
    },
    bootstrapAdmin: () =>
      readBootstrapAdmin(read('BOOTSTRAP_ADMIN_USERNAME'), read('BOOTSTRAP_ADMIN_PASSWORD'), common.production),
    variables: (values) => listVariablesInForce(values, env, disclosures).map(showEmptyOnPurpose(env)),
  });
}

/** Elsewhere an empty variable counts as absent. */
function isEmptyOnPurpose(name: string, env: Environment): boolean {
  return name === 'USERS_MAY_CHANGE' && env[name] === '';
}

const showEmptyOnPurpose =
  (env: Environment) =>
  (variable: VariableInForce): VariableInForce =>
    isEmptyOnPurpose(variable.name, env) ? { ...variable, from: 'environment', value: '' } : variable;

function readBootstrapAdmin(username: string | undefined, password: string | undefined, isProduction: () => boolean) {
  if (username === undefined && password === undefined) return undefined;
  if (username === undefined) {
    throw new ConfigError(
      'BOOTSTRAP_ADMIN_USERNAME must be set, to the name of the administrator, where BOOTSTRAP_ADMIN_PASSWORD is set',
    );
  }
  if (!new RegExp(usernamePattern, 'u').test(username) || [...foldUsername(username)].length > 255) {
    throw new ConfigError('BOOTSTRAP_ADMIN_USERNAME must be in e-mail form, name@host, at most 255 characters');
  }
  if (password === undefined) {
    throw new ConfigError(
      'BOOTSTRAP_ADMIN_PASSWORD must be set, to 8 characters or more, where BOOTSTRAP_ADMIN_USERNAME is set',
    );
  }
  if (password.length < 8) throw new ConfigError('BOOTSTRAP_ADMIN_PASSWORD must have at least 8 characters');
  if (isCommonPassword(password) && isProduction()) {
    throw new ConfigError('BOOTSTRAP_ADMIN_PASSWORD must not be one of the 10,000 most common passwords in production');
  }
  return { username, password };
}
