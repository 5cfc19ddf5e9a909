import type { AuditParty } from '@gatehouse/service-kit/audit';
import { usernamePattern } from '@gatehouse/shared';
import type { ClaimedUser, ClientFacts, UserFacts } from './event.ts';

const isUsername = new RegExp(usernamePattern, 'u');

export function describeUser({ id, username }: UserFacts): AuditParty {
  return { kind: 'user', id, name: username };
}

export function describeClient({ registrationId, clientId }: ClientFacts): AuditParty {
  return { kind: 'client', id: registrationId, name: clientId };
}

/** A text that is no username is left out: people type passwords where usernames belong. */
export function describeClaimedUser({ username, id }: ClaimedUser): AuditParty {
  return { kind: 'user', id, name: isUsername.test(username) && username.length <= 255 ? username : undefined };
}

/** Whom credentials named; undefined where they named nobody. */
export function describeClaim(claimed: ClientFacts | ClaimedUser | 'nobody'): AuditParty | undefined {
  if (claimed === 'nobody') return undefined;
  return 'clientId' in claimed ? describeClient(claimed) : describeClaimedUser(claimed);
}
