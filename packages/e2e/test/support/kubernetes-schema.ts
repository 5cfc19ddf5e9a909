import * as apiTypes from '@kubernetes/client-node';

/** One document of a manifest. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
}

interface ApiType {
  getAttributeTypeMap(): { baseName: string; type: string }[];
}

interface Model {
  validate(): void;
}

/**
 * What is wrong with a manifest by the Kubernetes schemas, one line per fault: fields that no API type has and values of
 * a wrong type, which the field tables of the official client know; missing fields, unknown enum values and malformed
 * names, which compiled schemas know.
 */
export async function findSchemaFaults(manifest: Manifest): Promise<string[]> {
  const { apiVersion, kind } = manifest;
  const version = apiVersion.split('/').at(-1) ?? '';
  const type = `${version.charAt(0).toUpperCase()}${version.slice(1)}${kind}`;
  if (findApiType(type) === undefined) return [`${kind}: Kubernetes knows no ${kind} of ${apiVersion}`];
  return [...fieldFaults(manifest, type, kind), ...(await modelFaults(manifest))];
}

function* fieldFaults(value: unknown, type: string, path: string): Generator<string> {
  const [, itemType] = /^Array<(.+)>$/.exec(type) ?? [];
  const [, entryType] = /^\{ \[key: string\]: (.+); \}$/.exec(type) ?? [];
  if (itemType !== undefined) yield* listFaults(value, itemType, path);
  else if (entryType !== undefined) yield* entryFaults(value, path, () => entryType);
  else if (findApiType(type) !== undefined) yield* objectFaults(value, type, path);
  else if (!scalarTypes(type).includes(typeof value)) yield `${path}: must be ${type}`;
}

function* listFaults(value: unknown, type: string, path: string): Generator<string> {
  if (!Array.isArray(value)) yield `${path}: must be a list`;
  else for (const [index, item] of value.entries()) yield* fieldFaults(item, type, `${path}[${index}]`);
}

function* objectFaults(value: unknown, type: string, path: string): Generator<string> {
  const types = new Map(
    findApiType(type)
      ?.getAttributeTypeMap()
      .map((field) => [field.baseName, field.type]),
  );
  yield* entryFaults(value, path, (name) => types.get(name));
}

function* entryFaults(value: unknown, path: string, typeOf: (name: string) => string | undefined): Generator<string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    yield `${path}: must be an object`;
    return;
  }
  for (const [name, entry] of Object.entries(value)) {
    const type = typeOf(name);
    if (type === undefined) yield `${path}: has no field ${name}`;
    else yield* fieldFaults(entry, type, `${path}.${name}`);
  }
}

function scalarTypes(type: string): string[] {
  if (type === 'IntOrString') return ['string', 'number'];
  if (['string', 'number', 'boolean'].includes(type)) return [type];
  throw new Error(`a type that this check does not know: ${type}`);
}

function findApiType(name: string): ApiType | undefined {
  const type = (apiTypes as unknown as Record<string, unknown>)[name];
  return typeof type === 'function' && 'getAttributeTypeMap' in type ? (type as unknown as ApiType) : undefined;
}

async function modelFaults(manifest: Manifest): Promise<string[]> {
  const models = (await import(`kubernetes-models/${manifest.apiVersion}`)) as Record<
    string,
    (new (manifest: Manifest) => Model) | undefined
  >;
  const ModelClass = models[manifest.kind];
  if (ModelClass === undefined) return [`${manifest.kind}: ${manifest.apiVersion} has no such kind`];
  try {
    new ModelClass(manifest).validate();
    return [];
  } catch (error) {
    return [`${manifest.kind}: ${(error as Error).message}`];
  }
}
