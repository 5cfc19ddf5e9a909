import { randomBytes } from 'node:crypto';
import { buildChoreTurn, type Clock, createId, idToBytes, type SlowHash } from '@gatehouse/service-kit';
import type { AuditEntry, AuditTrail } from '@gatehouse/service-kit/audit';
import type { MethodChange } from '@gatehouse/shared';
import { describeUser } from '../events/audit.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import type { CodeAppSecrets } from './code-app-secrets.ts';
import type { CodeAppStore } from './code-app-store.ts';
import type { GuardedPasswords } from './guarded-passwords.ts';
import { mostPasskeys, type Passkey } from './passkey.ts';
import type { PasskeyStore } from './passkey-store.ts';
import type { RecoveryCodeStore } from './recovery-code-store.ts';
import { makeRecoveryCodes, normalizeCode } from './recovery-codes.ts';
import { findTimeStep } from './time-code.ts';
import { readCredential, verifyNewPasskey } from './webauthn.ts';

export type MethodsChanged =
  /** `recoveryCodes`: made with the first second step, else none. They are shown once. */
  | { outcome: 'done'; user: User; recoveryCodes: string[]; userVerified?: boolean }
  | { outcome: 'wrong' }
  /** The password or the methods changed meanwhile. */
  | { outcome: 'changed' };

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
  clock: Clock;
}

/** A method whose proof is right. */
interface ProvenMethod {
  added: 'code_app.added' | 'passkey.added';
  userVerified?: boolean;
  /** False where the same method was stored meanwhile. */
  store(): Promise<boolean>;
}

/**
 * Adds a method whose proof is right: a code app, in place of the one before, or a passkey. The proof is used up. Recovery codes
 * are made with the first. Throws an OverloadedError where they cannot be hashed now.
 */
export function createAddMethod(deps: Dependencies) {
  const { users, codeApps, passkeys, recoveryCodes, guardedPasswords, clock } = deps;
  const proveCodeApp = createProveCodeApp(deps);
  const provePasskey = createProvePasskey(deps);
  const store = async (
    user: User,
    proven: ProvenMethod,
    { isFirst, change }: { isFirst: boolean; change: MethodChange },
  ) => {
    const codes = isFirst ? makeRecoveryCodes() : [];
    const set = await digestCodes(deps, codes, change.address);
    if (!(await guardedPasswords.guard(user))) return 'changed';
    if (!(await proven.store())) return 'wrong';
    if (isFirst) await recoveryCodes.replace(user.id, set, clock());
    return codes;
  };
  return async (change: MethodChange): Promise<MethodsChanged> => {
    const { userId, add } = change;
    const user = await users.findById(userId);
    if (user === undefined || !mayAdd(user, change)) return { outcome: 'changed' };
    const [codeApp, others] = await Promise.all([codeApps.find(userId), passkeys.listOfUser(userId)]);
    if (add.passkey !== undefined && others.length >= mostPasskeys) return { outcome: 'changed' };
    const now = clock();
    const proven = add.codeApp ? proveCodeApp(user, add.codeApp, now) : await provePasskey(user, add, others, now);
    if (proven === undefined) return { outcome: 'wrong' };
    const isFirst = codeApp === undefined && others.length === 0;
    const stored = await store(user, proven, { isFirst, change });
    if (!Array.isArray(stored)) return { outcome: stored };
    await deps.audit.write(...describeAdded(user, proven, { isFirst, change }));
    const { userVerified } = proven;
    const after = { user: { ...user, secondStep: true }, recoveryCodes: stored };
    return { outcome: 'done', ...after, ...(userVerified !== undefined && { userVerified }) };
  };
}

function mayAdd({ enabled, userType, passwordChangedAt }: User, change: MethodChange): boolean {
  return enabled && userType !== 'Robot' && passwordChangedAt === change.passwordChangedAt;
}

function describeAdded(
  user: User,
  { added }: ProvenMethod,
  { isFirst, change: { requestId, address } }: { isFirst: boolean; change: MethodChange },
): AuditEntry[] {
  const party = describeUser(user);
  const about = { actor: party, subject: party, context: { requestId, address } };
  const entries: AuditEntry[] = [{ type: added, ...about }];
  return isFirst ? [...entries, { type: 'recovery_codes.made', ...about }] : entries;
}

function createProveCodeApp({ codeApps, codeAppSecrets }: Dependencies) {
  type Add = NonNullable<MethodChange['add']['codeApp']>;
  return ({ id: userId }: User, { secret, code }: Add, now: number): ProvenMethod | undefined => {
    const lastStep = findTimeStep(secret, normalizeCode(code), now);
    if (lastStep === undefined) return undefined;
    const store = async () => {
      const sealedSecret = codeAppSecrets.seal(userId, secret);
      await codeApps.put({ userId, sealedSecret, lastStep, createdAt: now, lastUsedAt: undefined });
      return true;
    };
    return { added: 'code_app.added', store };
  };
}

function createProvePasskey({ passkeys }: Dependencies) {
  return async (
    { id: userId }: User,
    { passkey: add }: MethodChange['add'],
    others: readonly Passkey[],
    now: number,
  ): Promise<ProvenMethod | undefined> => {
    const presented = add && readCredential(add.credential);
    const made = presented && (await verifyNewPasskey(presented, add));
    if (made === undefined) return undefined;
    const own = { id: createId(), userId, userHandle: findUserHandle(userId, others), name: add?.name ?? '' };
    const passkey = { ...made, ...own, createdAt: now, lastUsedAt: undefined };
    return { added: 'passkey.added', userVerified: made.userVerified, store: () => passkeys.insert(passkey) };
  };
}

/** The bytes of the user's id; or the handle of the passkeys that the user has, so that an authenticator keeps one account. */
export function findUserHandle(userId: string, passkeys: readonly Passkey[]): Buffer {
  const own = idToBytes(userId);
  return passkeys.find(({ userHandle }) => !userHandle.equals(own))?.userHandle ?? own;
}

/** The codes as they are stored: digests under one salt. */
async function digestCodes({ slowHash }: Pick<Dependencies, 'slowHash'>, codes: readonly string[], address: string) {
  const salt = randomBytes(16);
  const digest = (code: string) => slowHash.digest(normalizeCode(code), salt, buildChoreTurn(address));
  return { salt, digests: await Promise.all(codes.map(digest)) };
}
