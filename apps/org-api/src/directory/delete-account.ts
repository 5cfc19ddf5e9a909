import type { AuditTrail } from '@gatehouse/service-kit/audit';
import type { ProfileChange } from '@gatehouse/shared';
import { describeOwnDeed } from '../events/audit.ts';
import type { DeleteUser } from '../links/delete-user.ts';
import type { Outbox } from '../mails/outbox.ts';
import { findProvenUser } from '../users/proven-user.ts';
import { LastAdministratorError, type UserStore } from '../users/user-store.ts';

export type DeleteAccount = ReturnType<typeof createDeleteAccount>;

interface Dependencies {
  config: { mayDeleteAccount: boolean };
  users: Pick<UserStore, 'findById'>;
  deleteUser: DeleteUser;
  mails: Pick<Outbox, 'notify'>;
  audit: Pick<AuditTrail, 'write'>;
}

/** Deletes the account of a user for the user. */
export function createDeleteAccount({ config, users, deleteUser, mails, audit }: Dependencies) {
  return async (change: ProfileChange) => {
    const user = config.mayDeleteAccount ? await findProvenUser(users, change) : undefined;
    if (user === undefined) return { outcome: 'changed' } as const;
    try {
      if (!(await deleteUser(user))) return { outcome: 'changed' } as const;
    } catch (error) {
      if (error instanceof LastAdministratorError) return { outcome: 'last_administrator' } as const;
      throw error;
    }
    await audit.write({ ...describeOwnDeed(user, change), type: 'user.deleted' });
    await mails.notify(user, 'account_deleted', change);
    return { outcome: 'deleted' } as const;
  };
}
