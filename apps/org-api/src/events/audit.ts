import type { RequestContext } from '@gatehouse/service-kit';
import type { AuditEntry, AuditParty } from '@gatehouse/service-kit/audit';
import type { UserChanges } from '@gatehouse/shared';

/** A user as a party of an audit event. */
export function describeUser({ id, username }: { id: string; username: string }): AuditParty {
  return { kind: 'user', id, name: username };
}

/** The parts that are the same in each audit event of a user with the own account. */
export function describeOwnDeed(
  user: { id: string; username: string },
  { address, requestId }: RequestContext,
): Pick<AuditEntry, 'actor' | 'subject' | 'context'> {
  const party = describeUser(user);
  return { actor: party, subject: party, context: { address, requestId } };
}

type Change = Pick<AuditEntry, 'type' | 'details'>;

/** Names a change of a user. Disabling and enabling have types of their own; any other change lists its fields. */
export function describeUserChanges({ enabled, ...others }: UserChanges): Change[] {
  const fields = Object.keys(others);
  const changed: Change[] = fields.length === 0 ? [] : [{ type: 'user.changed', details: { fields } }];
  if (enabled === undefined) return changed;
  return [...changed, { type: enabled ? 'user.enabled' : 'user.disabled' }];
}
