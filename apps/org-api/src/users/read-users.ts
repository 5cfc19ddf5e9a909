import type { Database } from '@gatehouse/service-kit/database';
import { createGroupMemberStore, isInAnyGroup } from '../groups/group-member-store.ts';
import type { User } from './user.ts';
import { userFromRow } from './user-row.ts';
import type { UserRow } from './user-table.ts';

/** The row of a user, with what the same statement says of groups. */
export interface ReadUserRow extends UserRow {
  /** 1 or 0. */
  in_groups: number;
}

/** Reads users. The names of groups take a statement of their own, where one of the users is in a group. */
export function createReadUsers(database: Database) {
  const groupMembers = createGroupMemberStore(database);
  /** `rest`: the statement behind the name of the table. */
  const readRows = (rest: string, values: readonly unknown[]): Promise<ReadUserRow[]> =>
    database.query<ReadUserRow>(`SELECT users.*, ${isInAnyGroup('users')} AS in_groups FROM users ${rest}`, values);
  /**
   * Gives the user of each row, with its groups. They are read after the row: a change of them moves `updated_at` afterwards, so a
   * version never stands for older ones.
   */
  const addGroups = async (rows: readonly ReadUserRow[]): Promise<(row: ReadUserRow) => User> => {
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
