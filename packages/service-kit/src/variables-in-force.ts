import type { createCommonVariables } from './common-variables.ts';
import { type Environment, readVariableText, type VariableValues } from './environment.ts';

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
  HASH_MEMORY: 'text',
  MIGRATE_ON_START: 'text',
  DEMO_DATA: 'text',
  TRUST_PROXY: 'text',
  LOG_LEVEL: 'text',
  AUDIT_RETENTION_DAYS: 'text',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'address',
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'address',
  OTEL_SDK_DISABLED: 'text',
};

/** How the variables are set, of their values as the configuration has them: what a file holds later is not in force. */
export function listVariablesInForce(
  values: VariableValues,
  env: Environment,
  disclosures: Readonly<Record<string, Disclosure>>,
): VariableInForce[] {
  return Object.keys(values).map((name) => {
    const disclosure = disclosures[name] ?? 'secret';
    const value = disclose(values[name], disclosure);
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
