import type { Database } from '@gatehouse/service-kit/database';
import { createGroupMemberStore } from '../groups/group-member-store.ts';
import type { User } from './user.ts';
import { userFromRow } from './user-row.ts';
import type { UserRow } from './user-table.ts';

/** Reads users. The names of groups take a statement of their own, where one of the users was ever put into a group. */
export function createReadUsers(database: Database) {
  const groupMembers = createGroupMemberStore(database);
  /** `rest`: the statement behind the name of the table. */
  const readRows = (rest: string, values: readonly unknown[]): Promise<UserRow[]> =>
    database.query<UserRow>(`SELECT * FROM users ${rest}`, values);
  /**
   * Gives the user of each row, with its groups. They are read after the row: a change of them moves `updated_at` afterwards, so a
   * version never stands for older ones.
   */
  const addGroups = async (rows: readonly UserRow[]): Promise<(row: UserRow) => User> => {
    const names = await groupMembers.findNames(rows.filter((row) => Number(row.in_groups) === 1).map(({ id }) => id));
    return (row) => {
      const user = userFromRow(row);
      const groups = names.get(user.id);
      return groups === undefined ? user : { ...user, groups };
    };
  };
  return {
    readRows,
    addGroups,
    /** In the order of the rows. */
    async read(rest: string, values: readonly unknown[]): Promise<User[]> {
      const rows = await readRows(rest, values);
      return rows.map(await addGroups(rows));
    },
  };
}
