import type { Database } from '@gatehouse/service-kit/database';
import { createGroupMemberStore } from '../groups/group-member-store.ts';
import { createIdentityStore } from '../identities/identity-store.ts';
import type { User } from './user.ts';
import { type ReadUserRow, readColumns, userFromRow } from './user-row.ts';

/**
 * Reads users. The names of groups and the ids of identities take a statement of their own each, where one of the users was ever put
 * into a group, or ever had an identity.
 */
export function createReadUsers(database: Database) {
  const groupMembers = createGroupMemberStore(database);
  const identities = createIdentityStore(database);
  /** `rest`: the statement behind the name of the table. */
  const readRows = (rest: string, values: readonly unknown[]): Promise<ReadUserRow[]> =>
    database.query<ReadUserRow>(`SELECT ${readColumns} FROM users ${rest}`, values);
  /**
   * Gives the user of each row, with its groups and identities. They are read after the row: a change of them moves `updated_at`
   * afterwards, so a version never stands for older ones.
   */
  const complete = async (rows: readonly ReadUserRow[]): Promise<(row: ReadUserRow) => User> => {
    const idsWith = (flag: 'in_groups' | 'has_identities') =>
      rows.filter((row) => Number(row[flag]) === 1).map(({ id }) => id);
    const [names, ids] = await Promise.all([
      groupMembers.findNames(idsWith('in_groups')),
      identities.findIds(idsWith('has_identities')),
    ]);
    return (row) => {
      const user = userFromRow(row);
      const groups = names.get(user.id);
      const ofUser = ids.get(user.id);
      if (groups === undefined && ofUser === undefined) return user;
      return { ...user, ...(groups && { groups }), ...(ofUser && { identities: ofUser }) };
    };
  };
  return {
    readRows,
    complete,
    /** In the order of the rows. */
    async read(rest: string, values: readonly unknown[]): Promise<User[]> {
      const rows = await readRows(rest, values);
      return rows.map(await complete(rows));
    },
  };
}
