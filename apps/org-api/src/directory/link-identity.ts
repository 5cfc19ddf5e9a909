import type { Clock } from '@gatehouse/service-kit';
import type { AuditTrail } from '@gatehouse/service-kit/audit';
import { toPlain, type UpstreamSignIn } from '@gatehouse/shared';
import { describeIdentity, describeOwnDeed } from '../events/audit.ts';
import { nameIdentity } from '../identities/identity.ts';
import type { IdentityStore, LinkOutcome, NewIdentity } from '../identities/identity-store.ts';
import type { Outbox } from '../mails/outbox.ts';
import type { User } from '../users/user.ts';
import type { Gate, UserStore } from '../users/user-store.ts';

export type LinkIdentity = ReturnType<typeof createLinkIdentity>;

interface Dependencies {
  users: Pick<UserStore, 'noteIdentities' | 'touch'>;
  identities: Pick<IdentityStore, 'link'>;
  mails: Pick<Outbox, 'notify'>;
  audit: Pick<AuditTrail, 'write'>;
  clock: Clock;
}

/** Links an account at an upstream to a user, and tells of it. `gate`: what must hold of the row of the user, too. */
export function createLinkIdentity({ users, identities, mails, audit, clock }: Dependencies) {
  return async (user: User, signIn: UpstreamSignIn, gate?: Gate): Promise<LinkOutcome> => {
    const described = describeAccount(signIn);
    const { id: userId, passwordChangedAt } = user;
    await users.noteIdentities(userId);
    const identity = { ...described, userId, passwordChangedAt, beganAt: whenBegan(signIn, clock()), now: clock() };
    const outcome = await identities.link(identity, gate);
    if (outcome.outcome !== 'linked') return outcome;
    await users.touch([userId], clock());
    const details = describeIdentity(described);
    await audit.write({ ...describeOwnDeed(user, signIn), type: 'identity.linked', details });
    await mails.notify(user, 'identity_linked', signIn, nameIdentity(described));
    return outcome;
  };
}

type Described = Pick<NewIdentity, 'issuer' | 'subject' | 'upstream' | 'upstreamName' | 'shown'>;

/** Milliseconds since the epoch. A replica of auth-server of before says it of links alone, and there. */
export function whenBegan({ beganAt, link }: UpstreamSignIn, now: number): number {
  return beganAt ?? link?.beganAt ?? now;
}

/** The account as its row has it. */
export function describeAccount({ account }: UpstreamSignIn): Described {
  const { issuer, subject, upstream, upstreamName, shown } = account;
  return { issuer, subject, upstream, upstreamName: toPlain(upstreamName), shown: toPlain(shown) };
}
