import {
  type CommonConfig,
  ConfigError,
  createEnvironmentReader,
  type DatabaseUrl,
  type Environment,
  readCommonConfig,
  readDatabaseUrl,
} from '@gatehouse/service-kit';
import { foldUsername, usernamePattern } from '@gatehouse/shared';
import { isCommonPassword } from './users/common-password.ts';

export interface Config extends CommonConfig {
  /** Where the auth server's key set is fetched. */
  jwksUrl: string;
  /** PEM certificates to trust there; undefined: those that Node.js trusts. */
  jwksCa: string | undefined;
  /** Where the auth server's status lists are fetched. */
  statusListsUrl: string;
  /** Becomes SystemAdministrator where the organization database has no administrator. */
  bootstrapAdmin: { username: string; password: string } | undefined;
  demoData: boolean;
}

const jwksPath = '/oauth/jwks';
export const statusListsPath = '/oauth/status-lists/';

const databaseFile = '.data/org-api.sqlite';

/** The database alone, for a migration. */
export function loadDatabaseUrl(env: Environment = process.env): DatabaseUrl {
  return readDatabaseUrl(createEnvironmentReader(env), databaseFile);
}

/** The only place that reads the environment; throws a ConfigError that names the variable at fault. */
export function loadConfig(env: Environment = process.env): Config {
  const variables = createEnvironmentReader(env);
  const common = readCommonConfig(variables, { port: 9001, databaseFile });
  const demoData = variables.flag('DEMO_DATA', false);
  if (demoData && common.production) throw new ConfigError('DEMO_DATA must not be true when NODE_ENV=production');
  const jwksUrl = variables.baseUrl('JWKS_URL', `${common.authUrl}${jwksPath}`);
  // Where the keys are reached by another address, so are the status lists.
  const reachableAuthUrl = jwksUrl.endsWith(jwksPath) ? jwksUrl.slice(0, -jwksPath.length) : common.authUrl;
  return {
    ...common,
    jwksUrl,
    jwksCa: variables.caFile('JWKS_CA_FILE', jwksUrl),
    statusListsUrl: reachableAuthUrl + statusListsPath,
    bootstrapAdmin: readBootstrapAdmin(
      variables.optionalText('BOOTSTRAP_ADMIN_USERNAME'),
      variables.optionalText('BOOTSTRAP_ADMIN_PASSWORD'),
      common.production,
    ),
    demoData,
  };
}

function readBootstrapAdmin(username: string | undefined, password: string | undefined, production: boolean) {
  if (username === undefined && password === undefined) return undefined;
  if (
    username === undefined ||
    !new RegExp(usernamePattern, 'u').test(username) ||
    [...foldUsername(username)].length > 255
  ) {
    throw new ConfigError('BOOTSTRAP_ADMIN_USERNAME must be in e-mail form, name@host, at most 255 characters');
  }
  if (password === undefined || password.length < 8) {
    throw new ConfigError('BOOTSTRAP_ADMIN_PASSWORD must have at least 8 characters');
  }
  if (production && isCommonPassword(password)) {
    throw new ConfigError('BOOTSTRAP_ADMIN_PASSWORD must not be one of the 10,000 most common passwords in production');
  }
  return { username, password };
}
