import {
  type CommonConfig,
  ConfigError,
  createEnvironmentReader,
  type Environment,
  readCommonConfig,
} from '@gatehouse/service-kit';
import { foldUsername, usernamePattern } from '@gatehouse/shared';

export interface Config extends CommonConfig {
  /** Where the auth server's key set is fetched. */
  jwksUrl: string;
  /** Becomes SystemAdministrator where the organization database has no administrator. */
  bootstrapAdmin: { username: string; password: string } | undefined;
  demoData: boolean;
}

/** The only place that reads the environment; throws a ConfigError that names the variable at fault. */
export function loadConfig(env: Environment = process.env): Config {
  const variables = createEnvironmentReader(env);
  const common = readCommonConfig(variables, { port: 9001, databaseFile: '.data/org-api.sqlite' });
  const demoData = variables.flag('DEMO_DATA', false);
  if (demoData && common.production) throw new ConfigError('DEMO_DATA must not be true when NODE_ENV=production');
  return {
    ...common,
    jwksUrl: variables.baseUrl('JWKS_URL', `${common.authUrl}/oauth/jwks`),
    bootstrapAdmin: readBootstrapAdmin(
      variables.optionalText('BOOTSTRAP_ADMIN_USERNAME'),
      variables.optionalText('BOOTSTRAP_ADMIN_PASSWORD'),
    ),
    demoData,
  };
}

function readBootstrapAdmin(username: string | undefined, password: string | undefined) {
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
  return { username, password };
}
