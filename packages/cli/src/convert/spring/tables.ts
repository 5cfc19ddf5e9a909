import type { Database } from '../database.ts';

const ofUsers = 'SELECT username, authority FROM authorities';
const ofGroups = 'SELECT username, authority FROM group_members JOIN group_authorities USING (group_id)';

/** The tables of Spring Security in its database. Users have the authorities of their groups too, where it knows groups. */
export const springTables = {
  clients: ({ find }: Database) => find('oauth2_registered_client') ?? find('oauth_client_details'),
  users: ({ find }: Database) => {
    const areInGroups = find('group_members') !== undefined && find('group_authorities') !== undefined;
    const all = areInGroups ? `${ofUsers} UNION ${ofGroups}` : ofUsers;
    const authorities = `(SELECT GROUP_CONCAT(a.authority) FROM (${all}) a WHERE a.username = t.username)`;
    return find('users', find('authorities') === undefined ? {} : { authorities });
  },
};
