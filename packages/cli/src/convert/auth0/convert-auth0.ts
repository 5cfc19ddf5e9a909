import { StepError } from '../../failures.ts';
import { readExpansions } from '../client/expansions.ts';
import type { Conversion, ConvertOptions } from '../conversion.ts';
import { createTally } from '../notes.ts';
import { readJsonSource, readLines } from '../read-source.ts';
import { objectOf, objectsOf, type SourceObject } from '../source-value.ts';
import { createUsernames } from '../usernames.ts';
import { convertAuth0Client } from './clients.ts';
import { readHashes } from './hashes.ts';
import { convertAuth0User, nameOf, normalizeUser } from './users.ts';

export interface Auth0Options extends ConvertOptions {
  users: string;
  hashes: string | undefined;
  clients: string | undefined;
}

/** Reads the export of users of Auth0, that of their hashes, and the answer of `GET /api/v2/clients`. Throws a StepError. */
export function convertAuth0(options: Auth0Options): Conversion {
  const { users, hashes: hashFile, clients: clientFile } = options;
  const expansions = readExpansions(options.expandWildcards);
  const clients = clientFile === undefined ? [] : readClients(clientFile);
  const hashes = hashFile === undefined ? undefined : readHashes(hashFile);
  const listUsers = function* () {
    for (const user of readLines(users)) yield normalizeUser(user);
  };
  const [first] = listUsers();
  if (first !== undefined && first.user_id === undefined) {
    throw new StepError('files', `${users} has no user_id in its first line: export that field, too`);
  }
  return {
    source: { product: 'auth0' },
    *lines() {
      const tally = createTally();
      const parts = { usernames: createUsernames(options.usernames, nameUsers(listUsers())), hashes, tally };
      for (const user of listUsers()) yield* convertAuth0User(user, parts);
      for (const client of clients) yield* convertAuth0Client(client, expansions);
      yield* tally.list();
    },
  };
}

/** A list, or the page of one. */
function readClients(file: string): SourceObject[] {
  const content = readJsonSource(file);
  return objectsOf(Array.isArray(content) ? content : objectOf(content).clients);
}

function* nameUsers(users: Iterable<SourceObject>) {
  for (const user of users) yield nameOf(user);
}
