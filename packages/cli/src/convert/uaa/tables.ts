import type { Database } from '../database.ts';

/** The tables of UAA in its database. */
export const uaaTables = {
  clients: ({ find }: Database) => find('oauth_client_details'),
  users: ({ find }: Database) => find('users'),
  groups: ({ find }: Database) => find('groups'),
  members: ({ find }: Database) => find('group_membership'),
  providers: ({ find }: Database) => find('identity_provider'),
};
