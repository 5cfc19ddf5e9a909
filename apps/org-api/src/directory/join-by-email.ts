import { type Clock, createId } from '@gatehouse/service-kit';
import type { AuditTrail } from '@gatehouse/service-kit/audit';
import { foldUsername, type UpstreamSignIn, usernamePattern } from '@gatehouse/shared';
import { describeIdentity, describeOwnDeed, describeService } from '../events/audit.ts';
import type { UpstreamAccount } from '../identities/identity.ts';
import type { IdentityStore, LinkOutcome } from '../identities/identity-store.ts';
import { isPlainAddress } from '../mails/mail.ts';
import { buildUser } from '../users/build-user.ts';
import type { DeletedUsers } from '../users/deleted-users.ts';
import { findSoleOwner, whileSoleOwner } from '../users/sole-owner.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import { readMembers } from './follow-upstream.ts';
import { describeAccount, type LinkIdentity, whenBegan } from './link-identity.ts';

/** How an account that was nobody's got its user. */
export type Joined = 'linked' | 'created';

export type JoinByEmail = ReturnType<typeof createJoinByEmail>;

interface Dependencies {
  users: Pick<UserStore, 'findById' | 'listByAddress' | 'insert'>;
  deletedUsers: Pick<DeletedUsers, 'includes'>;
  identities: Pick<IdentityStore, 'find' | 'reserve' | 'link' | 'clear'>;
  linkIdentity: LinkIdentity;
  audit: Pick<AuditTrail, 'write'>;
  clock: Clock;
}

/** How often a user is read who changes meanwhile. */
const mostTries = 5;

/**
 * Finds or makes the user of an account that is nobody's, by the address for which the word of its upstream counts, as far as the rules of
 * the upstream allow. Undefined where there is none, or another process did it at the same moment.
 */
export function createJoinByEmail(deps: Dependencies) {
  const { users, deletedUsers, identities, linkIdentity, audit, clock } = deps;
  /** The row of a user who was deleted is in the way; that of one who is being made, here or elsewhere, is used. */
  const keepPlace = async (signIn: UpstreamSignIn): Promise<{ id: string; userId: string } | undefined> => {
    const { account } = signIn;
    const before = await identities.find(account);
    if (before?.userId !== undefined && (await deletedUsers.includes(before.userId))) await identities.clear(account);
    const now = clock();
    const beganAt = whenBegan(signIn, now);
    await identities.reserve({ ...describeAccount(signIn), userId: createId(), beganAt, now });
    const kept = await identities.find(account);
    return kept?.userId === undefined ? undefined : kept;
  };
  const record = async (user: User, signIn: UpstreamSignIn): Promise<void> => {
    const about = describeOwnDeed(user, signIn);
    const details = describeIdentity(signIn.account);
    const { upstream } = details;
    await audit.write(
      { ...about, actor: describeService(), type: 'user.created', details: { upstream } },
      { ...about, type: 'identity.linked', details },
    );
  };
  /**
   * The row of the account comes first, with the id of the user: a process that is killed before it makes the user leaves what the next
   * sign-in goes on with, and of several at the same moment all make one user.
   */
  const create = async (signIn: UpstreamSignIn, email: string): Promise<Joined | undefined> => {
    if (!isUsername(email)) return undefined;
    const place = await keepPlace(signIn);
    if (place === undefined) return undefined;
    const newUser = { ...readMembers(signIn.account.members), username: email, email, emailVerified: true };
    const user = { ...buildUser(newUser, undefined, clock(), place.userId), identities: [place.id] };
    if (!(await users.insert(user))) return undefined;
    // A sign-in without these rules may have cleared the row meanwhile.
    const { id: userId, passwordChangedAt } = user;
    const now = clock();
    const beganAt = whenBegan(signIn, now);
    await identities.link({ ...describeAccount(signIn), userId, passwordChangedAt, beganAt, now });
    await record(user, signIn);
    return 'created';
  };
  const link = async (signIn: UpstreamSignIn, email: string): Promise<Joined | undefined> => {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const user = await findSoleOwner(users, email);
      if (user === undefined) return undefined;
      const outcome: LinkOutcome = await linkIdentity(user, signIn, whileSoleOwner(user));
      if (outcome.outcome !== 'changed') return outcome.outcome === 'linked' ? 'linked' : undefined;
    }
    return undefined;
  };
  return async (signIn: UpstreamSignIn): Promise<Joined | undefined> => {
    const { account, rules } = signIn;
    const { verifiedEmail: email } = account;
    const isNew = rules?.createsUsers === true && email !== undefined;
    if (isNew && (await users.listByAddress(email, 1)).length === 0) {
      const created = await create(signIn, email);
      if (created !== undefined) return created;
    }
    await makeWay(identities, account);
    return rules?.linksByEmail === true && email !== undefined ? link(signIn, email) : undefined;
  };
}

/** Where the user who had an account is gone. */
export async function makeWay(
  identities: Pick<IdentityStore, 'find' | 'clear'>,
  account: UpstreamAccount,
): Promise<void> {
  const known = await identities.find(account);
  if (known?.userId !== undefined) await identities.clear(account);
}

/** Some letters become longer when they are folded. */
function isUsername(address: string): boolean {
  return (
    isPlainAddress(address) &&
    new RegExp(usernamePattern, 'u').test(address) &&
    [...foldUsername(address)].length <= 255
  );
}
