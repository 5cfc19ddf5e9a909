import type { AuditEntry, AuditParty } from '@gatehouse/service-kit/audit';
import { type PasswordChange, ProblemError, type UserChanges } from '@gatehouse/shared';
import type { User } from '../users/user.ts';

export function describeUser({ id, username }: Pick<User, 'id' | 'username'>): AuditParty {
  return { kind: 'user', id, name: username };
}

type Change = Pick<AuditEntry, 'type' | 'details'>;

/** Names a change of a user. Disabling and enabling have types of their own; any other change lists its fields. */
export function describeUserChanges({ enabled, ...others }: UserChanges): Change[] {
  const fields = Object.keys(others);
  const changed: Change[] = fields.length === 0 ? [] : [{ type: 'user.changed', details: { fields } }];
  if (enabled === undefined) return changed;
  return [...changed, { type: enabled ? 'user.enabled' : 'user.disabled' }];
}

/** Whether a user's own password change failed because the old password is wrong. */
export function isWrongOldPassword(error: unknown, { oldPassword }: PasswordChange): boolean {
  if (oldPassword === undefined || !(error instanceof ProblemError)) return false;
  return error.errors?.some(({ field }) => field === 'oldPassword') ?? false;
}
