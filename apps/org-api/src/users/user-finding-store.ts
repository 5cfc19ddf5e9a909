import type { Database } from '@gatehouse/service-kit/database';
import { createTermSearch } from '@gatehouse/service-kit/terms';
import type { Found } from '@gatehouse/shared';
import { isAdministrator } from './keep-administrator.ts';
import type { UserRow } from './user-table.ts';
import { unverifiedPersonTerm } from './user-terms.ts';
import { userTermTable } from './user-terms-table.ts';

export type UserFindingStore = ReturnType<typeof createUserFindingStore>;

/** Finds users by what they have in common, each by an index. */
export function createUserFindingStore(database: Database) {
  const search = createTermSearch(database, userTermTable);
  return {
    /** Usernames of enabled Persons who sign in and are SystemAdministrator. */
    async listAdministrators(limit: number): Promise<string[]> {
      // The range is one of the index of roles; SQLite reads none for LIKE.
      const sql = `SELECT username FROM users WHERE roles >= 'SystemAdministrator' AND roles < 'SystemAdministratos'
        AND ${isAdministrator('users')} ORDER BY roles LIMIT ${limit}`;
      return (await database.query<Pick<UserRow, 'username'>>(sql)).map(({ username }) => username);
    },
    /** Counts enabled Persons without a verified address, of the first `limit`. */
    async countUnverified(limit: number): Promise<Found> {
      const isListed = { sql: "users.enabled = 1 AND users.user_type = 'Person'", values: [] };
      const { ids, isExact } = await search.examine({ term: unverifiedPersonTerm }, limit, isListed);
      return { count: ids.length, isExact };
    },
  };
}
