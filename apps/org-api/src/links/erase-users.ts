import type { Clock } from '@gatehouse/service-kit';
import { eraseFromAudit } from '@gatehouse/service-kit/audit';
import type { Database } from '@gatehouse/service-kit/database';
import type { Erasure, Erasures } from '../users/erasures.ts';
import type { User } from '../users/user.ts';
import { LastAdministratorError, type UserStore } from '../users/user-store.ts';
import type { DeleteUser } from './delete-user.ts';

/** Milliseconds after which an erasure whose user is still there is one that was cut. */
export const cutAfter = 60_000;
/** Milliseconds for which events of an erased user may still come: those that wait for the database, or that the deletion causes. */
const lateFor = 3_600_000;

interface Dependencies {
  database: Database;
  users: Pick<UserStore, 'findById'>;
  erasures: Erasures;
  deleteUser: DeleteUser;
  clock: Clock;
}

/** Deletes users for good: no name of theirs stays in the audit trail. */
export function createEraseUsers({ database, users, erasures, deleteUser, clock }: Dependencies) {
  const eraseUser: DeleteUser = async (user) => {
    await erasures.add({ id: user.id, erasedAt: clock() });
    return deleteOrKeep(user);
  };
  const deleteOrKeep = async (user: User): Promise<boolean> => {
    try {
      return await deleteUser(user);
    } catch (error) {
      if (error instanceof LastAdministratorError) await erasures.remove(user.id);
      throw error;
    }
  };
  const finish = async (found: readonly Erasure[]): Promise<void> => {
    for (const { id, erasedAt } of found) {
      const user = await users.findById(id);
      if (user === undefined) await eraseFromAudit(database, id);
      else if (erasedAt <= clock() - cutAfter) await deleteOrKeep(user).catch(ignoreLast);
    }
  };
  return {
    /** False where there is no such user. Throws a LastAdministratorError. */
    eraseUser,
    /** Does what erasures of the last hour left to do: those that were cut, and events that came since. Several replicas may do it. */
    async finishErasures(): Promise<void> {
      await finish(await erasures.listSince(clock() - lateFor));
    },
    /** The same for those that were cut at any time before, as while org-api was away. */
    async finishUndone(): Promise<void> {
      await finish(await erasures.listUndone());
    },
  };
}

function ignoreLast(error: unknown): void {
  if (!(error instanceof LastAdministratorError)) throw error;
}
