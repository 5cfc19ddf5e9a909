import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Kind } from './kinds.ts';
import type { Place, Secrets } from './project.ts';
import { fault } from './read-files.ts';

const references: Partial<Record<Kind['name'], readonly string[]>> = {
  client: ['client_secret', 'logo'],
  upstream: ['client_secret'],
  user: ['password'],
};

/** The members of a kind that are references. */
export function referenceNames({ name }: Kind): readonly string[] {
  return references[name] ?? [];
}

/** Reads what the references of an object hold; paths are relative to its file. Throws a StepError. */
export function readSecrets(
  kind: Kind,
  item: Readonly<Record<string, unknown>>,
  placeOf: (member: string) => Place,
  environment: NodeJS.ProcessEnv,
): Secrets {
  const read = (member: string, allowed: readonly string[]) =>
    item[member] === undefined ? undefined : readReference(member, item[member], allowed, placeOf(member), environment);
  if (kind.name === 'client') {
    const secret = read('client_secret', ['env', 'file', 'generate']);
    const logo = read('logo', ['file']);
    return {
      ...(secret?.generate === undefined
        ? { clientSecret: secret?.bytes?.toString().trim() }
        : { generate: secret.generate }),
      ...(logo?.bytes !== undefined && { logo: logo.bytes }),
    } as Secrets;
  }
  const [member] = referenceNames(kind);
  const secret = member === undefined ? undefined : read(member, ['env', 'file']);
  if (secret?.bytes === undefined) return {};
  const text = secret.bytes.toString().trim();
  return kind.name === 'user' ? { password: text } : { clientSecret: text };
}

interface Reference {
  bytes?: Buffer;
  generate?: string;
}

function readReference(
  member: string,
  value: unknown,
  allowed: readonly string[],
  place: Place,
  environment: NodeJS.ProcessEnv,
): Reference {
  const [[how, what] = [], ...more] = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (how === undefined || typeof what !== 'string' || more.length > 0 || !allowed.includes(how)) {
    const forms = allowed.map((each) => `{ ${each}: ${each === 'env' ? 'NAME' : 'PATH'} }`).join(' or ');
    throw fault(place, `${member} must be ${forms}: nothing secret stands in a file`);
  }
  if (how === 'env') {
    const text = environment[what];
    if (text === undefined || text === '') throw fault(place, `${member}: the variable ${what} is not set`);
    return { bytes: Buffer.from(text) };
  }
  const path = resolve(dirname(place.file), what);
  if (how === 'generate') return { generate: path };
  if (!existsSync(path)) throw fault(place, `${member}: there is no file ${path}`);
  return { bytes: readFileSync(path) };
}
