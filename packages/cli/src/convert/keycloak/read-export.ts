import { StepError } from '../../failures.ts';
import { listSources, readJsonSource } from '../read-source.ts';
import { objectOf, objectsOf, type SourceObject } from '../source-value.ts';

export interface KeycloakExport {
  realm: SourceObject;
  name: string;
  /** Reads the files of users at each call: a large realm does not fit into memory. */
  listUsers(): Iterable<SourceObject>;
}

/** Finds the realm and its users in the files of `kc.sh export`. Throws a StepError. */
export function readExport(paths: readonly string[]): KeycloakExport {
  const files = paths.flatMap((path) => listSources(path, '.json')).map(readPart);
  const realms = files.flatMap((file) => file.realms);
  const [realm] = realms;
  if (realm === undefined) throw new StepError('files', 'no file has a realm: name its file, NAME-realm.json, too');
  const name = String(realm.realm);
  const userFiles = files.filter(({ usersOf }) => usersOf !== undefined);
  const isOfAnother = userFiles.some(({ usersOf }) => usersOf !== name);
  if (realms.length > 1 || isOfAnother) {
    throw new StepError('files', `the files are of ${name} and of another realm: name those of one`);
  }
  return {
    realm,
    name,
    *listUsers() {
      yield* objectsOf(realm.users);
      for (const { file } of userFiles) yield* objectsOf(objectOf(readJsonSource(file)).users);
    },
  };
}

interface Part {
  file: string;
  realms: SourceObject[];
  /** The realm of a file of users alone. */
  usersOf: string | undefined;
}

function readPart(file: string): Part {
  const content = readJsonSource(file);
  const objects = Array.isArray(content) ? objectsOf(content) : [objectOf(content)];
  const realms = objects.filter(
    ({ keycloakVersion, clients }) => keycloakVersion !== undefined || clients !== undefined,
  );
  const usersOf = objects.flatMap(({ users, realm }) => (Array.isArray(users) ? [String(realm)] : []))[0];
  if (realms.length > 0) return { file, realms, usersOf: undefined };
  if (usersOf === undefined) throw new StepError('files', `${file} is no export of a realm of Keycloak`);
  return { file, realms, usersOf };
}
