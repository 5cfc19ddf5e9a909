import type { Clock } from '@gatehouse/service-kit';
import type { AuditTrail } from '@gatehouse/service-kit/audit';
import { type KnownNetworks, networkOf } from '@gatehouse/service-kit/guess-limit';
import { foldUsername, type PasskeyCheck } from '@gatehouse/shared';
import { describeUser } from '../events/audit.ts';
import type { Tell } from '../events/event.ts';
import type { Outbox } from '../mails/outbox.ts';
import type { TellNewSignIn } from '../mails/tell-new-sign-in.ts';
import type { IsManagedElsewhere } from '../users/managed-elsewhere.ts';
import { isAsThen } from '../users/proven-user.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import type { Passkey } from './passkey.ts';
import type { PasskeyStore } from './passkey-store.ts';
import { type PresentedCredential, readCredential, verifyPasskey } from './webauthn.ts';

export type PasskeyVerification =
  | { outcome: 'verified'; user: User; userVerified: boolean }
  /** `userId`: whose passkey it is. `deletedId`: the credential id of a passkey that was deleted here. */
  | { outcome: 'wrong'; userId?: string; deletedId?: string }
  /** The password or the methods changed since the password was right. */
  | { outcome: 'changed' };

export type CheckPasskey = ReturnType<typeof createCheckPasskey>;

interface Dependencies {
  users: Pick<UserStore, 'findById'>;
  passkeys: PasskeyStore;
  isManagedElsewhere: IsManagedElsewhere;
  knownNetworks: Pick<KnownNetworks, 'remember'>;
  audit: Pick<AuditTrail, 'write'>;
  notify: Outbox['notify'];
  tellNewSignIn: TellNewSignIn;
  tell: Tell;
  clock: Clock;
}

/**
 * Checks the answer of a passkey, and stores that it was used: after a right password, or as a whole sign-in. Alone signs in only a
 * passkey that verifies its user, and did so before, of a user who does not sign in elsewhere alone. A disabled user with a right passkey is `verified`, and the caller decides.
 */
export function createCheckPasskey(deps: Dependencies) {
  const { users, passkeys, isManagedElsewhere, knownNetworks, audit, notify, tellNewSignIn, tell, clock } = deps;
  const recordCounter = async (user: User, passkey: Passkey, check: PasskeyCheck) => {
    const { address, requestId } = check;
    await audit.write({
      type: 'passkey.counter_behind',
      actor: { kind: 'anonymous' },
      subject: describeUser(user),
      details: { passkey: passkey.id },
      context: { address, requestId },
    });
    await notify(user, 'counter_behind', check);
  };
  /** Stores what the answer proves; undefined where it is wrong. */
  const use = async (user: User, passkey: Passkey, presented: PresentedCredential, check: PasskeyCheck) => {
    const isManaged = await isManagedElsewhere(user, check.localRefusals);
    const isAlone = check.first === undefined;
    if (isManaged && isAlone) return undefined;
    const proven = await verifyPasskey(presented, passkey, { ...check, userVerification: isAlone });
    if (proven === undefined) return undefined;
    // A proof while the user signs in elsewhere does not make it sign in alone later.
    const stored = isManaged ? { ...proven, userVerified: false } : proven;
    if (await passkeys.use(passkey, stored, clock())) return proven;
    await recordCounter(user, passkey, check);
    return undefined;
  };
  const verify = async (check: PasskeyCheck): Promise<PasskeyVerification> => {
    const presented = readCredential(check.credential);
    if (presented === undefined) return { outcome: 'wrong' };
    const passkey = await passkeys.findByCredential(presented.id);
    if (passkey === undefined) return describeUnknown(passkeys, presented);
    const user = await users.findById(passkey.userId);
    if (user === undefined) return { outcome: 'wrong' };
    const refusal = findRefusal(user, passkey, check);
    if (refusal === 'changed') return { outcome: refusal };
    const proven = refusal === undefined ? await use(user, passkey, presented, check) : undefined;
    if (proven === undefined) return { outcome: 'wrong', userId: user.id };
    await knownNetworks.remember(foldUsername(user.username), networkOf(check.address));
    return { outcome: 'verified', user, userVerified: proven.userVerified };
  };
  return async (check: PasskeyCheck): Promise<PasskeyVerification> => {
    const result = await verify(check);
    if (result.outcome === 'verified' && !isStepUp(check)) await tellNewSignIn(result.user, check);
    if (result.outcome !== 'changed') tell({ type: 'passkey.checked', outcome: result.outcome });
    return result;
  };
}

/** Without a version of then it is a step of a session that goes on. */
function isStepUp({ first }: PasskeyCheck): boolean {
  return first !== undefined && first.methodsVersion === undefined;
}

async function describeUnknown(passkeys: PasskeyStore, { id }: PresentedCredential): Promise<PasskeyVerification> {
  const isDeleted = await passkeys.wasDeleted(id);
  return { outcome: 'wrong', ...(isDeleted && { deletedId: id.toString('base64url') }) };
}

/** Says why this passkey does not do, whatever its answer: it is another user's, or may not sign in alone. */
function findRefusal(user: User, { userVerified }: Passkey, check: PasskeyCheck): 'wrong' | 'changed' | undefined {
  const { first, onlyWithoutPassword = false } = check;
  if (first === undefined) {
    return userVerified && !(onlyWithoutPassword && user.passwordHash !== undefined) ? undefined : 'wrong';
  }
  if (first.userId !== user.id) return 'wrong';
  return isAsThen(user, first) ? undefined : 'changed';
}
