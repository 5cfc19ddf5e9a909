import type { AuditEntry, AuditParty } from '@gatehouse/service-kit';
import { type PasswordChange, ProblemError, type UserChanges } from '@gatehouse/shared';
import type { User } from '../users/user.ts';

export function describeUser({ id, username }: Pick<User, 'id' | 'username'>): AuditParty {
  return { kind: 'user', id, name: username };
}

type Change = Pick<AuditEntry, 'type' | 'details'>;

/** What a change of a user is to be called: being disabled or enabled by a type of its own, the rest by its fields. */
export function describeUserChanges({ enabled, ...others }: UserChanges): Change[] {
  const fields = Object.keys(others);
  const changed: Change[] = fields.length === 0 ? [] : [{ type: 'user.changed', details: { fields } }];
  if (enabled === undefined) return changed;
  return [...changed, { type: enabled ? 'user.enabled' : 'user.disabled' }];
}

/** Whether somebody tried to change a password with an old one that is not it. */
export function isWrongOldPassword(error: unknown, { oldPassword }: PasswordChange): boolean {
  if (oldPassword === undefined || !(error instanceof ProblemError)) return false;
  return error.errors?.some(({ field }) => field === 'oldPassword') ?? false;
}
