import type { Clock } from '@gatehouse/service-kit';
import { type KnownNetworks, networkOf } from '@gatehouse/service-kit/guess-limit';
import { foldUsername, type LinkFault, requiresMfa, type SecondStep, type UpstreamSignIn } from '@gatehouse/shared';
import type { UpstreamAccount } from '../identities/identity.ts';
import type { IdentityStore } from '../identities/identity-store.ts';
import type { TellNewSignIn } from '../mails/tell-new-sign-in.ts';
import type { FindSecondStep } from '../methods/second-step.ts';
import { findProvenUser } from '../users/proven-user.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import type { FollowUpstream } from './follow-upstream.ts';
import { type JoinByEmail, makeWay } from './join-by-email.ts';
import type { LinkIdentity } from './link-identity.ts';

export type UpstreamSignedIn =
  /** `secondStep`: what must follow before the user is signed in. */
  | { outcome: 'verified'; user: User; identityId: string; secondStep?: SecondStep }
  /** The account is nobody's. */
  | { outcome: 'unknown' }
  | { outcome: 'refused'; fault: LinkFault }
  /** The user is not as then any more. */
  | { outcome: 'changed' };

type Verified = Extract<UpstreamSignedIn, { outcome: 'verified' }>;

export type SignInByUpstream = ReturnType<typeof createSignInByUpstream>;

interface Dependencies {
  users: Pick<UserStore, 'findById'>;
  identities: Pick<IdentityStore, 'find' | 'use' | 'clear'>;
  linkIdentity: LinkIdentity;
  joinByEmail: JoinByEmail;
  followUpstream: FollowUpstream;
  findSecondStep: FindSecondStep;
  knownNetworks: Pick<KnownNetworks, 'remember'>;
  tellNewSignIn: TellNewSignIn;
  clock: Clock;
}

interface Owned {
  user: User;
  identityId: string;
}

/**
 * Says whose account at an upstream it is, by issuer and subject: an address decides only of an account that is nobody's, by the rules of
 * its upstream. Or links it to a user who signed in here. A disabled user with a known account is `verified`, and the caller decides.
 */
export function createSignInByUpstream(deps: Dependencies) {
  const { users, identities, linkIdentity, joinByEmail, followUpstream, findSecondStep, clock } = deps;
  const findOwner = async (account: UpstreamAccount): Promise<Owned | undefined> => {
    const identity = await identities.find(account);
    const user = identity?.userId === undefined ? undefined : await users.findById(identity.userId);
    return identity && user && { user, identityId: identity.id };
  };
  const verify = async ({ user, identityId }: Owned): Promise<Verified> => {
    const secondStep = await findSecondStep(user);
    return { outcome: 'verified', user, identityId, ...(secondStep && { secondStep }) };
  };
  /** As after a right password: the second step of a user tells of the place and makes it known, unless it was done there. */
  const finish = async (signIn: UpstreamSignIn, { user, secondStep }: Verified, isNew: boolean): Promise<void> => {
    const { reachesMfa = false, secondStepFor = [], address } = signIn;
    if (secondStep !== undefined && !reachesMfa) return;
    // Every place is new to a new user.
    if (!isNew) await deps.tellNewSignIn(user, signIn);
    if (requiresMfa(secondStepFor, user) && !reachesMfa) return;
    await deps.knownNetworks.remember(foldUsername(user.username), networkOf(address));
  };
  const recognize = async (signIn: UpstreamSignIn): Promise<UpstreamSignedIn> => {
    const { account } = signIn;
    const known = await findOwner(account);
    const joined = known === undefined ? await joinByEmail(signIn) : undefined;
    const owned = known ?? (await findOwner(account));
    if (owned === undefined) return { outcome: 'unknown' };
    if (!owned.user.enabled) return verify(owned);
    // It may have been unlinked since.
    if (!(await identities.use(account, { id: owned.identityId, now: clock() }))) return { outcome: 'unknown' };
    const user = await followUpstream(owned.user, signIn, joined !== undefined);
    const verified = await verify({ ...owned, user });
    await finish(signIn, verified, joined === 'created');
    return verified;
  };
  const link = async (signIn: UpstreamSignIn, then: NonNullable<UpstreamSignIn['link']>): Promise<UpstreamSignedIn> => {
    const user = await findProvenUser(users, then);
    if (user === undefined) return { outcome: 'changed' };
    await makeWay(identities, signIn.account);
    const linked = await linkIdentity(user, signIn);
    if (linked.outcome === 'changed' || linked.outcome === 'refused') return linked;
    const owned = await findOwner(signIn.account);
    if (owned?.user.id !== user.id) return { outcome: 'changed' };
    return verify({ ...owned, user: await followUpstream(owned.user, signIn, false) });
  };
  return (signIn: UpstreamSignIn): Promise<UpstreamSignedIn> =>
    signIn.link === undefined ? recognize(signIn) : link(signIn, signIn.link);
}
