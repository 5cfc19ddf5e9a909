import type { BundleLine, UserLine } from '../../bundle/bundle-line.ts';
import { readExpansions } from '../client/expansions.ts';
import type { Conversion, ConvertOptions } from '../conversion.ts';
import { createGroupNames, type GroupNames } from '../group-names.ts';
import { note } from '../notes.ts';
import { isTrue, type OpenTable, type Row, splitList, type Table } from '../read-table.ts';
import { readStoredHash } from '../stored-hash.ts';
import { createUsernames, isAddress, type Usernames } from '../usernames.ts';
import { isUuid } from '../uuid.ts';
import { convertClientDetails } from './clients.ts';
import { convertRegisteredClient } from './registered-clients.ts';

export interface SpringOptions extends ConvertOptions {
  clients: OpenTable | undefined;
  users: OpenTable | undefined;
  /** Passwords and secrets without a prefix are clear text. */
  isClear: boolean;
  now: Date;
}

/** Reads tables of Spring Security: `users`, and `oauth_client_details` or `oauth2_registered_client`. Throws a StepError. */
export function convertSpring(options: SpringOptions): Conversion {
  const { clients, users } = options;
  const parts = { expansions: readExpansions(options.expandWildcards), isClear: options.isClear };
  const userTable = users?.(['username', 'password']);
  const clientTable = clients?.(['client_id', 'client_secret']);
  const isRegistered = clientTable?.has('client_authentication_methods') ?? false;
  return {
    source: { product: 'spring' },
    *lines() {
      if (userTable !== undefined) yield* convertUsers(userTable, options);
      for (const row of clientTable ?? []) {
        yield* isRegistered ? convertRegisteredClient(row, parts, options.now) : convertClientDetails(row, parts);
      }
    },
  };
}

function* convertUsers(table: Table, options: SpringOptions): Generator<BundleLine> {
  const usernames = createUsernames(options.usernames, nameUsers(table));
  const groups = createGroupNames();
  for (const row of table) yield* convertUser(row, options, usernames, groups);
  yield* groups.list();
}

function* nameUsers(table: Table) {
  for (const row of table) yield nameOf(row);
}

function nameOf(row: Row) {
  return { username: row('username'), email: row('email'), emailVerified: isTrue(row('email_verified')) };
}

/** `sub` there is the name of the user: it stays as external id. */
function* convertUser(
  row: Row,
  { isClear }: SpringOptions,
  usernames: Usernames,
  groups: GroupNames,
): Generator<BundleLine> {
  const name = row('username') ?? '';
  const about = `user ${name}`;
  const chosen = usernames.choose(nameOf(row));
  if ('problem' in chosen) {
    yield note(about, chosen.problem);
    return;
  }
  const { hash, problem } = readStoredHash(row('password'), { isClear });
  const names = splitList(row('authorities')).flatMap((authority) => groups.add(authority) ?? []);
  const [id, email] = [row('id'), row('email')];
  yield {
    kind: 'user',
    ...(isUuid(id) && { id }),
    username: chosen.username,
    userType: 'Person',
    enabled: row('enabled') === undefined || isTrue(row('enabled')),
    ...(isAddress(email) && { email, emailVerified: isTrue(row('email_verified')) }),
    ...(names.length > 0 && { groups: [...new Set(names)].sort() }),
    externalId: name,
    ...(hash !== undefined && { passwordHash: hash }),
  } satisfies UserLine;
  if (hash === undefined) yield note(about, problem === undefined ? 'needs_invitation' : 'hash_not_known', problem);
}
