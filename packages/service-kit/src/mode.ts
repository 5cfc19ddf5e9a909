import { ConfigError } from './config-error.ts';
import type { Environment } from './environment.ts';

/** How strict a service is. A trial is development in an image to which nothing but an address is given. */
export type Mode = 'production' | 'development' | 'trial';

/** The warning of a trial. */
export const trialText =
  'this is a trial in development mode, because no setting is given: its data ends with the container. ' +
  'With NODE_ENV=production the service says which settings it needs';

/** Variables that are no settings of an installation. */
const besideSettings = ['NODE_ENV', 'TRIAL_WITHOUT_SETTINGS', 'HOST', 'PORT', 'LOG_LEVEL', 'DEMO_DATA'];

/** The variables that an image must be given in production. Their defaults would be right for nobody. */
const neededInImages = ['DATABASE_URL', 'AUTH_URL', 'BASE_URL'];

interface Choice {
  nodeEnv: string | undefined;
  /** Whether this is an image: `TRIAL_WITHOUT_SETTINGS`. */
  trialAllowed: boolean;
}

/**
 * An image that is given one of `names` is meant for users, so it is in production unless `NODE_ENV` says otherwise. In
 * production it throws a {@link ConfigError} where it lacks what it needs.
 */
export function chooseMode({ nodeEnv, trialAllowed }: Choice, names: readonly string[], env: Environment): Mode {
  const isSet = (name: string) => Boolean(env[name]) || Boolean(env[`${name}_FILE`]);
  const hasSettings = names.some((name) => !besideSettings.includes(name) && isSet(name));
  const isProduction = nodeEnv === undefined ? trialAllowed && hasSettings : nodeEnv === 'production';
  if (!isProduction) return nodeEnv === undefined && trialAllowed ? 'trial' : 'development';
  const missing = trialAllowed ? neededInImages.filter((name) => !isSet(name)) : [];
  if (missing.length === 0) return 'production';
  throw new ConfigError(
    `${missing.join(', ')} must be set in production; NODE_ENV=development is for a trial (infra/README.md)`,
  );
}
