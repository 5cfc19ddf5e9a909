import type { AuditEntry, AuditParty } from '@gatehouse/service-kit/audit';
import type { UserChanges } from '@gatehouse/shared';

/** A user as a party of an audit event. */
export function describeUser({ id, username }: { id: string; username: string }): AuditParty {
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
