import { readFileSync } from 'node:fs';
import { type Static, type TSchema, Type } from 'typebox';
import { Check } from 'typebox/schema';
import { readCertificates } from './certificates.ts';
import { ConfigError } from './config-error.ts';

export { ConfigError };

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The variables of a service, each with its type. The annotations of a type are `description` (its meaning), `default`,
 * `otherwise` (the meaning of an absent one, where that is no plain value) and `expected` (the rule, for the error text).
 * The table in docs/configuration.md is made from them: `npm run docs:tables`.
 */
export type EnvironmentVariables = Readonly<Record<string, TSchema>>;

/** Only a variable that is optional may be undefined. */
export type VariableValue<S extends TSchema> = S extends { '~optional': unknown } ? Static<S> | undefined : Static<S>;

/** Gives the value of one variable; throws a {@link ConfigError} that names the variable and says what it must be. */
export type EnvironmentReader<V extends EnvironmentVariables> = <N extends keyof V & string>(
  name: N,
) => VariableValue<V[N]>;

/**
 * Reads variables by their types. An empty variable counts as absent. `NAME_FILE` names a file that holds the value of
 * `NAME`, as mounted Secrets do.
 */
export function createEnvironmentReader<const V extends EnvironmentVariables>(
  variables: V,
  env: Environment,
): EnvironmentReader<V> {
  return (name) => readValue(name, variables[name] as V[typeof name], env) as VariableValue<V[typeof name]>;
}

/** Functions that give the members of a configuration. Each may throw a {@link ConfigError}. */
export type ConfigReaders<C> = { readonly [M in keyof C]: () => C[M] };

/** The values of all variables, by their names. */
export type VariableValues = Readonly<Record<string, unknown>>;

/**
 * Reads all variables and all members of a configuration. Throws one {@link ConfigError} with the faults of all of them, a
 * line each.
 */
export function readTogether<C extends object>(
  variables: EnvironmentVariables,
  env: Environment,
  readers: { readonly [M in keyof C]: (values: VariableValues) => C[M] },
): C {
  const faults = new Set<string>();
  const attempt = (read: () => unknown): unknown => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      faults.add(error.message);
      return undefined;
    }
  };
  const read = createEnvironmentReader(variables, env);
  const values = Object.fromEntries(Object.keys(variables).map((name) => [name, attempt(() => read(name))]));
  const members = Object.entries<(values: VariableValues) => unknown>(readers).map(([name, reader]) => [
    name,
    attempt(() => reader(values)),
  ]);
  if (faults.size > 0) throw new ConfigError([...faults].join('\n'));
  return Object.fromEntries(members) as C;
}

function readValue(name: string, schema: Annotated, env: Environment): unknown {
  const text = readVariableText(name, env);
  if (text === undefined) return schema.default;
  if (Type.IsArray(schema) && text.includes(',')) {
    throw new ConfigError(`${name} must be separated by spaces, not by commas`);
  }
  const value = parseText(text, schema);
  if (Check(schema, value)) return value;
  throw new ConfigError(`${name} must ${describeExpected(schema)}`);
}

/** The text of a variable, of its file where `NAME_FILE` names one; undefined where it is not set, or empty. */
export function readVariableText(name: string, env: Environment): string | undefined {
  const value = env[name] === '' ? undefined : env[name];
  const file = env[`${name}_FILE`];
  if (file === undefined || file === '') return value;
  if (value !== undefined) throw new ConfigError(`${name} and ${name}_FILE are both set; set one of them`);
  try {
    const content = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    return content === '' ? undefined : content;
  } catch {
    throw new ConfigError(`${name}_FILE names a file that cannot be read: ${file}`);
  }
}

/** Parses a text by its type. A text that is no value of the type stays a text, and the type then refuses it. */
function parseText(text: string, schema: TSchema): unknown {
  if (Type.IsInteger(schema)) return /^\d{1,15}$/.test(text) ? Number(text) : text;
  if (Type.IsBoolean(schema)) return text === 'true' || text === 'false' ? text === 'true' : text;
  if (Type.IsArray(schema)) return [...new Set(text.split(/\s+/).filter((word) => word !== ''))];
  return text;
}

/** The members of a type that are read here. */
interface Annotated extends TSchema {
  default?: unknown;
  expected?: string;
  minimum?: number;
  maximum?: number;
}

function describeExpected(schema: Annotated): string {
  if (schema.expected !== undefined) return schema.expected;
  if (Type.IsInteger(schema)) return `be an integer from ${schema.minimum} to ${schema.maximum}`;
  if (Type.IsBoolean(schema)) return 'be true or false';
  if (Type.IsEnum(schema)) return `be one of ${schema.enum.join(', ')}`;
  return 'be valid';
}

/** The PEM certificates of a file, to trust instead of those that Node.js trusts where `url` is reached. */
export function readCaFile(name: string, path: string | undefined, url: string): string | undefined {
  if (path === undefined) return undefined;
  if (new URL(url).protocol !== 'https:') throw new ConfigError(`${name} must not be set where ${url} is not https`);
  return readCertificates(name, path);
}
