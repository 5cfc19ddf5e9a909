import type { DeletedUsers } from '../users/deleted-users.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';

/** Deletes a user with all that belongs to it. False where there is no such user. Throws a LastAdministratorError. */
export type DeleteUser = (user: User) => Promise<boolean>;

interface Dependencies {
  users: Pick<UserStore, 'delete'>;
  deletedUsers: Pick<DeletedUsers, 'add'>;
  /** The rooms that keep something of a user. */
  keepers: readonly { forget(userId: string): Promise<void> }[];
}

export function createDeleteUser({ users, deletedUsers, keepers }: Dependencies): DeleteUser {
  return async ({ id }) => {
    // Before the user goes: a process that is killed in between leaves a row that says nothing as long as the user is there.
    await deletedUsers.add(id);
    if (!(await users.delete(id))) return false;
    await Promise.all(keepers.map((keeper) => keeper.forget(id)));
    return true;
  };
}
