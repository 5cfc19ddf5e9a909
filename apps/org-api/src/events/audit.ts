import type { RequestContext } from '@gatehouse/service-kit';
import type { AuditEntry, AuditParty } from '@gatehouse/service-kit/audit';
import type { UserChanges } from '@gatehouse/shared';

/** A user as a party of an audit event. */
export function describeUser({ id, username }: { id: string; username: string }): AuditParty {
  return { kind: 'user', id, name: username };
}

/** The service itself, as an actor. */
export function describeService(): AuditParty {
  return { kind: 'service', name: 'org-api' };
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

/** The details of an event about an identity. */
export function describeIdentity({ issuer, upstream }: { issuer: string; upstream: string }) {
  return { issuer, upstream };
}

/** A group as a party of an audit event. */
export function describeGroup({ id, name }: { id: string; name: string }): AuditParty {
  return { kind: 'group', id, name };
}

/** The usernames of one event: its column takes no more, whatever their length. */
const mostNamed = 25;

/** Names a change of the members of a group: in several events, where they are many. */
export function describeMembersChanged({ added, removed }: Record<'added' | 'removed', readonly string[]>): Change[] {
  const parts = Math.ceil(Math.max(added.length, removed.length) / mostNamed);
  return Array.from({ length: parts }, (_, part) => {
    const ofPart = (names: readonly string[]) => names.slice(part * mostNamed, (part + 1) * mostNamed);
    return { type: 'group.members_changed', details: { added: ofPart(added), removed: ofPart(removed) } };
  });
}
