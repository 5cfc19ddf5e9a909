import { type Clock, createId, idToBytes, type SlowHash } from '@gatehouse/service-kit';
import type { AuditEntry, AuditTrail } from '@gatehouse/service-kit/audit';
import type { MethodChange, MethodFault, NewMethod } from '@gatehouse/shared';
import { describeOwnDeed } from '../events/audit.ts';
import type { NoticeKind } from '../mails/mail.ts';
import type { Outbox } from '../mails/outbox.ts';
import type { IsManagedElsewhere } from '../users/managed-elsewhere.ts';
import { findProvenUser } from '../users/proven-user.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import type { CodeAppSecrets } from './code-app-secrets.ts';
import type { CodeAppStore } from './code-app-store.ts';
import type { ClaimedMethods, GuardedPasswords } from './guarded-passwords.ts';
import type { NeedsLink } from './needs-link.ts';
import { mostPasskeys, type Passkey } from './passkey.ts';
import type { PasskeyStore } from './passkey-store.ts';
import type { RecoveryCodeStore } from './recovery-code-store.ts';
import { digestCodes, makeRecoveryCodes, normalizeCode } from './recovery-codes.ts';
import type { TellFirstMethod } from './tell-first-method.ts';
import { findTimeStep } from './time-code.ts';
import { readCredential, verifyNewPasskey } from './webauthn.ts';

export type MethodsChanged =
  /** `recoveryCodes`: where they were made, else none. They are shown once. */
  | { outcome: 'done'; user: User; recoveryCodes: string[]; userVerified?: boolean }
  | { outcome: 'wrong' }
  /** A mailed link comes first. */
  | { outcome: 'link_needed' }
  | { outcome: 'refused'; fault: MethodFault }
  /** The password or the methods changed meanwhile. */
  | { outcome: 'changed' };

/** A user who adds a method. */
export type AddedMethod = Omit<MethodChange, 'add'> & {
  add: NewMethod;
  /** Whether a mailed link proved the user. */
  isVouched?: boolean;
};

export type AddMethod = ReturnType<typeof createAddMethod>;

interface Dependencies {
  users: Pick<UserStore, 'findById'>;
  codeApps: CodeAppStore;
  codeAppSecrets: CodeAppSecrets;
  passkeys: PasskeyStore;
  recoveryCodes: RecoveryCodeStore;
  guardedPasswords: GuardedPasswords;
  slowHash: Pick<SlowHash, 'digest'>;
  audit: Pick<AuditTrail, 'write'>;
  notify: Outbox['notify'];
  tellFirstMethod: TellFirstMethod;
  needsLink: NeedsLink;
  isManagedElsewhere: IsManagedElsewhere;
  clock: Clock;
}

/** A method whose proof is right. */
interface ProvenMethod {
  added: 'code_app.added' | 'passkey.added';
  notice: NoticeKind;
  name: string;
  /** Of a passkey. */
  id?: string;
  userVerified?: boolean;
  /** False where the same method was stored meanwhile, or the methods changed. */
  store(claimed: ClaimedMethods): Promise<boolean>;
}

/**
 * Adds a method whose proof is right: a code app, in place of the one before, or a passkey. The proof is used up. Recovery codes
 * are made with the first. Throws an OverloadedError where they cannot be hashed now.
 */
export function createAddMethod(deps: Dependencies) {
  const { users, codeApps, passkeys, recoveryCodes, guardedPasswords, clock } = deps;
  const proveCodeApp = createProveCodeApp(deps);
  const provePasskey = createProvePasskey(deps);
  const list = async (userId: string) => {
    const [codeApp, others] = await Promise.all([codeApps.find(userId), passkeys.listOfUser(userId)]);
    return { others, isFirst: codeApp === undefined && others.length === 0 };
  };
  /** Read behind the gate: a method that was added before is there, or does not come any more. */
  const isOutdated = async (userId: string, { added }: ProvenMethod, wasFirst: boolean): Promise<boolean> => {
    const { others, isFirst } = await list(userId);
    return isFirst !== wasFirst || (added === 'passkey.added' && others.length >= mostPasskeys);
  };
  const store = async (
    user: User,
    proven: ProvenMethod,
    { isFirst, change }: { isFirst: boolean; change: AddedMethod },
  ) => {
    const codes = isFirst ? makeRecoveryCodes() : [];
    const set = await digestCodes(deps.slowHash, codes, change.address);
    const claimed = await guardedPasswords.guard(user);
    if (claimed === undefined || (await isOutdated(user.id, proven, isFirst))) return 'changed';
    if (!(await proven.store(claimed))) return 'wrong';
    if (isFirst) await recoveryCodes.replace(user.id, set, clock());
    return codes;
  };
  const tell = (user: User, { notice, name }: ProvenMethod, change: AddedMethod) =>
    deps.notify(user, notice, change, { name });
  /** `isOnPassword`: nothing but the password vouches for the first method. */
  const refuse = async (
    user: User,
    change: AddedMethod,
    { isOnPassword, others }: { isOnPassword: boolean; others: readonly Passkey[] },
  ) => {
    if (change.add.passkey !== undefined && others.length >= mostPasskeys) return 'changed';
    return isOnPassword && (await deps.needsLink(user, change)) ? 'link_needed' : undefined;
  };
  const prove = (user: User, change: AddedMethod, others: readonly Passkey[]) =>
    change.add.codeApp
      ? proveCodeApp(user, change.add.codeApp, clock())
      : provePasskey(user, change, { others, now: clock() });
  return async (change: AddedMethod): Promise<MethodsChanged> => {
    const { userId } = change;
    const user = await findProvenUser(users, change);
    if (user === undefined) return { outcome: 'changed' };
    const { others, isFirst } = await list(userId);
    const isOnPassword = isFirst && change.isVouched !== true;
    const refusal = await refuse(user, change, { isOnPassword, others });
    if (refusal !== undefined) return { outcome: refusal };
    const proven = await prove(user, change, others);
    if (proven === undefined) return { outcome: 'wrong' };
    const stored = await store(user, proven, { isFirst, change });
    if (!Array.isArray(stored)) return { outcome: stored };
    await deps.audit.write(...describeAdded(user, proven, { isFirst, change }));
    await (isOnPassword ? deps.tellFirstMethod : tell)(user, proven, change);
    const { userVerified } = proven;
    const after = { user: { ...user, secondStep: true }, recoveryCodes: stored };
    return { outcome: 'done', ...after, ...(userVerified !== undefined && { userVerified }) };
  };
}

function describeAdded(
  user: User,
  { added }: ProvenMethod,
  { isFirst, change }: { isFirst: boolean; change: AddedMethod },
): AuditEntry[] {
  const about = describeOwnDeed(user, change);
  const entries: AuditEntry[] = [{ type: added, ...about }];
  return isFirst ? [...entries, { type: 'recovery_codes.made', ...about }] : entries;
}

function createProveCodeApp({ codeApps, codeAppSecrets }: Dependencies) {
  type Add = NonNullable<NewMethod['codeApp']>;
  return ({ id: userId }: User, { secret, code }: Add, now: number): ProvenMethod | undefined => {
    const lastStep = findTimeStep(secret, normalizeCode(code), now);
    if (lastStep === undefined) return undefined;
    const store = (claimed: ClaimedMethods) => {
      const sealedSecret = codeAppSecrets.seal(userId, secret);
      return codeApps.put(claimed, { userId, sealedSecret, lastStep, createdAt: now, lastUsedAt: undefined });
    };
    return { added: 'code_app.added', notice: 'code_app_added', name: '', store };
  };
}

function createProvePasskey({ codeApps, passkeys, isManagedElsewhere }: Dependencies) {
  return async (
    user: User,
    { add: { passkey: add }, localRefusals }: AddedMethod,
    { others, now }: { others: readonly Passkey[]; now: number },
  ): Promise<ProvenMethod | undefined> => {
    const userId = user.id;
    const presented = add && readCredential(add.credential);
    const made = presented && (await verifyNewPasskey(presented, add));
    if (made === undefined) return undefined;
    const own = { id: createId(), userId, userHandle: findUserHandle(userId, others), name: add?.name ?? '' };
    // It is a second step alone, also after the user has ways to sign in here again.
    const userVerified = made.userVerified && !(await isManagedElsewhere(user, localRefusals));
    const passkey = { ...made, ...own, userVerified, createdAt: now, lastUsedAt: undefined };
    return {
      added: 'passkey.added',
      notice: 'passkey_added',
      name: own.name,
      id: own.id,
      userVerified: made.userVerified,
      async store(claimed) {
        if (!(await passkeys.insert(claimed, passkey))) return false;
        await codeApps.deleteLost(userId);
        return true;
      },
    };
  };
}

/** The bytes of the user's id; or the handle of the passkeys that the user has, so that an authenticator keeps one account. */
export function findUserHandle(userId: string, passkeys: readonly Passkey[]): Buffer {
  const own = idToBytes(userId);
  return passkeys.find(({ userHandle }) => !userHandle.equals(own))?.userHandle ?? own;
}
