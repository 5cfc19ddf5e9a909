import type { BundleLine } from '../../bundle/bundle-line.ts';
import { readExpansions } from '../client/expansions.ts';
import type { Conversion, ConvertOptions } from '../conversion.ts';
import { createGroupNames } from '../group-names.ts';
import { createTally } from '../notes.ts';
import type { OpenTable, Row, Table } from '../read-table.ts';
import { createUsernames } from '../usernames.ts';
import { convertUaaClient } from './clients.ts';
import { readMemberships } from './memberships.ts';
import { readProviders } from './providers.ts';
import { convertUaaUser, localOrigin, nameOf } from './users.ts';

export interface UaaOptions extends ConvertOptions {
  clients: OpenTable | undefined;
  users: OpenTable | undefined;
  groups: OpenTable | undefined;
  members: OpenTable | undefined;
  /** A table of identity providers, which has the issuers of users from elsewhere. */
  providers: OpenTable | undefined;
  zone: string;
  /** Whether passwords and secrets without a prefix are clear text. */
  isClear: boolean;
}

/** Reads tables of UAA, of one identity zone. Throws a StepError. */
export function convertUaa(options: UaaOptions): Conversion {
  const { zone, isClear } = options;
  const read = (open: OpenTable | undefined, columns: string[]) => open && inZone(open(columns), zone);
  const users = read(options.users, ['id', 'username', 'password', 'origin']);
  const clients = read(options.clients, ['client_id', 'client_secret']);
  const groupTable = read(options.groups, ['id', 'displayName']);
  const members = options.members?.(['group_id', 'member_id']);
  const providers = readProviders(read(options.providers, ['origin_key', 'config']));
  const expansions = readExpansions(options.expandWildcards);
  return {
    source: { product: 'uaa', realm: zone },
    *lines(): Generator<BundleLine> {
      const groups = createGroupNames();
      const memberships = readMemberships(groupTable ?? [], members ?? []);
      for (const row of groupTable ?? []) groups.describe(row('displayName') ?? '', row('description'));
      const usernames = createUsernames(options.usernames, nameUsers(users ?? []));
      const tally = createTally();
      const parts = { usernames, groups, memberships, providers, tally, isClear };
      for (const row of listLocalFirst(users ?? [])) yield* convertUaaUser(row, parts);
      for (const row of clients ?? []) yield* convertUaaClient(row, { expansions, groups, isClear });
      yield* groups.list();
      yield* tally.list();
    },
  };
}

/** Users who have their password there keep their names before users from elsewhere with the same. */
function* listLocalFirst(users: Iterable<Row>): Generator<Row> {
  for (const row of users) if (row('origin') === localOrigin) yield row;
  for (const row of users) if (row('origin') !== localOrigin) yield row;
}

/** The rows of an identity zone; all where the table says nothing of zones. */
function inZone(table: Table, zone: string): Iterable<Row> {
  return {
    *[Symbol.iterator]() {
      for (const row of table) {
        if ((row('identity_zone_id') ?? zone) === zone) yield row;
      }
    },
  };
}

function* nameUsers(rows: Iterable<Row>) {
  for (const row of rows) yield nameOf(row);
}
