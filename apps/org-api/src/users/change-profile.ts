import type { Clock } from '@gatehouse/service-kit';
import type { AuditTrail } from '@gatehouse/service-kit/audit';
import { findFaultyFields, type ProfileChange, type ProfileField, type UserChanges } from '@gatehouse/shared';
import { describeOwnDeed } from '../events/audit.ts';
import { isTimezone } from './check-changes.ts';
import { findProvenUser } from './proven-user.ts';
import type { User } from './user.ts';
import type { UserStore } from './user-store.ts';

export type ProfileChanged =
  | { outcome: 'done'; user: User }
  /** `fields`: those whose values are no good, or that no user may change. */
  | { outcome: 'refused'; fields: string[] }
  /** The sign-in does not count any more. */
  | { outcome: 'changed' };

export type ChangeProfile = ReturnType<typeof createChangeProfile>;

interface Dependencies {
  config: { usersMayChange: readonly ProfileField[] };
  users: Pick<UserStore, 'findById' | 'update'>;
  audit: Pick<AuditTrail, 'write'>;
  clock: Clock;
}

/** Changes the record of a user by the user: the members that `USERS_MAY_CHANGE` names. */
export function createChangeProfile({ config: { usersMayChange }, users, audit, clock }: Dependencies) {
  const findFaults = (changes: Readonly<Record<string, unknown>>): string[] => {
    const names = Object.keys(changes);
    const notTheirs = names.filter((name) => !usersMayChange.some((field) => field === name));
    const { timezone } = changes;
    const noZone = typeof timezone === 'string' && !isTimezone(timezone) ? ['timezone'] : [];
    return [...new Set([...notTheirs, ...findFaultyFields(changes), ...noZone])];
  };
  return async (change: ProfileChange): Promise<ProfileChanged> => {
    const fields = findFaults(change.changes);
    if (fields.length > 0) return { outcome: 'refused', fields };
    const user = await findProvenUser(users, change);
    if (user === undefined) return { outcome: 'changed' };
    const changes = change.changes as UserChanges;
    const names = Object.keys(changes);
    if (names.length === 0) return { outcome: 'done', user };
    if (!(await users.update(user.id, changes, clock()))) return { outcome: 'changed' };
    await audit.write({
      ...describeOwnDeed(user, change),
      type: 'user.profile_changed',
      details: { fields: names },
    });
    return { outcome: 'done', user: (await users.findById(user.id)) ?? user };
  };
}
