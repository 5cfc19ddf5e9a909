import type { createCommonVariables } from './common-variables.ts';
import {
  createEnvironmentReader,
  type Environment,
  type EnvironmentVariables,
  readVariableText,
} from './environment.ts';

/**
 * How much of a variable administrators see: its text, without user information where it is a URL; of an `address` no query either;
 * of the `path` of a file, and of a `secret`, nothing but that it is set.
 */
export type Disclosure = 'text' | 'address' | 'path' | 'secret';

/** A variable as the process read it at its start. */
export interface VariableInForce {
  name: string;
  /** `default`: it is not set. */
  from: 'default' | 'environment' | 'file';
  /** As it is written in the environment. Absent where nobody is shown it, and where it has none. */
  value?: string;
  secret: boolean;
}

/** How the variables of both services are disclosed. */
export const commonDisclosures: Record<keyof ReturnType<typeof createCommonVariables>, Disclosure> = {
  NODE_ENV: 'text',
  TRIAL_WITHOUT_SETTINGS: 'text',
  HOST: 'text',
  PORT: 'text',
  AUTH_URL: 'text',
  BASE_URL: 'text',
  CONSOLE_URL: 'text',
  PLAIN_HTTP_HOSTS: 'text',
  DATABASE_URL: 'secret',
  DATABASE_POOL_SIZE: 'text',
  MIGRATE_ON_START: 'text',
  DEMO_DATA: 'text',
  TRUST_PROXY: 'text',
  LOG_LEVEL: 'text',
  AUDIT_RETENTION_DAYS: 'text',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'address',
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'address',
  OTEL_SDK_DISABLED: 'text',
};

/** Reads how the variables are set. A file is read once, as for the configuration: what it holds later is not in force. */
export function listVariablesInForce<V extends EnvironmentVariables>(
  variables: V,
  env: Environment,
  disclosures: Record<keyof V & string, Disclosure>,
): VariableInForce[] {
  const read = createEnvironmentReader(variables, env);
  return Object.keys(variables).map((name: keyof V & string) => {
    const disclosure = disclosures[name];
    const value = disclose(read(name), disclosure);
    return {
      name,
      from: findOrigin(name, env),
      ...(value !== undefined && { value }),
      secret: disclosure === 'secret',
    };
  });
}

function findOrigin(name: string, env: Environment): VariableInForce['from'] {
  if (readVariableText(name, env) === undefined) return 'default';
  return env[name] === undefined || env[name] === '' ? 'file' : 'environment';
}

function disclose(value: unknown, disclosure: Disclosure): string | undefined {
  if (value === undefined || disclosure === 'secret' || disclosure === 'path') return undefined;
  const text = withoutUserInformation([value].flat().join(' '));
  return disclosure === 'address' ? text.replace(/[?#].*$/s, '') : text;
}

/** RFC 3986 3.2.1: up to the last @ of the authority. */
function withoutUserInformation(text: string): string {
  return text.replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^/?#\s]*@/gi, '$1');
}
