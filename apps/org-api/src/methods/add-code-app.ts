import { randomBytes } from 'node:crypto';
import { buildChoreTurn, type Clock, type SlowHash } from '@gatehouse/service-kit';
import type { AuditEntry, AuditTrail } from '@gatehouse/service-kit/audit';
import type { MethodChange } from '@gatehouse/shared';
import { describeUser } from '../events/audit.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import type { CodeAppSecrets } from './code-app-secrets.ts';
import type { CodeAppStore } from './code-app-store.ts';
import type { GuardedPasswords } from './guarded-passwords.ts';
import type { RecoveryCodeStore } from './recovery-code-store.ts';
import { makeRecoveryCodes, normalizeCode } from './recovery-codes.ts';
import { findTimeStep } from './time-code.ts';

export type MethodsChanged =
  /** `recoveryCodes`: made with the first second step, else none. They are shown once. */
  | { outcome: 'done'; user: User; recoveryCodes: string[] }
  | { outcome: 'wrong' }
  /** The password or the methods changed meanwhile. */
  | { outcome: 'changed' };

export type AddCodeApp = ReturnType<typeof createAddCodeApp>;

interface Dependencies {
  users: Pick<UserStore, 'findById'>;
  codeApps: CodeAppStore;
  codeAppSecrets: CodeAppSecrets;
  recoveryCodes: RecoveryCodeStore;
  guardedPasswords: GuardedPasswords;
  slowHash: Pick<SlowHash, 'digest'>;
  audit: Pick<AuditTrail, 'write'>;
  clock: Clock;
}

/**
 * Adds a code app whose code is right, in place of the one before. The code is used up. Throws an OverloadedError where
 * the recovery codes cannot be hashed now.
 */
export function createAddCodeApp(deps: Dependencies) {
  const { users, codeApps, codeAppSecrets, recoveryCodes, guardedPasswords, audit, clock } = deps;
  return async (change: MethodChange): Promise<MethodsChanged> => {
    const { userId, passwordChangedAt, address, requestId, add } = change;
    const { secret, code } = add.codeApp;
    const user = await users.findById(userId);
    const isCurrent = user?.enabled === true && user.passwordChangedAt === passwordChangedAt;
    if (!isCurrent || user.userType === 'Robot') return { outcome: 'changed' };
    const now = clock();
    const lastStep = findTimeStep(secret, normalizeCode(code), now);
    if (lastStep === undefined) return { outcome: 'wrong' };
    const isFirst = (await codeApps.find(userId)) === undefined;
    const codes = isFirst ? makeRecoveryCodes() : [];
    const set = await digestCodes(deps, codes, address);
    if (!(await guardedPasswords.guard(user))) return { outcome: 'changed' };
    const sealedSecret = codeAppSecrets.seal(userId, secret);
    await codeApps.put({ userId, sealedSecret, lastStep, createdAt: now, lastUsedAt: undefined });
    if (isFirst) await recoveryCodes.replace(userId, set, now);
    const party = describeUser(user);
    const about = { actor: party, subject: party, context: { requestId, address } };
    const entries: AuditEntry[] = [{ type: 'code_app.added', ...about }];
    if (isFirst) entries.push({ type: 'recovery_codes.made', ...about });
    await audit.write(...entries);
    return { outcome: 'done', user: { ...user, secondStep: true }, recoveryCodes: codes };
  };
}

/** The codes as they are stored: digests under one salt. */
async function digestCodes({ slowHash }: Pick<Dependencies, 'slowHash'>, codes: readonly string[], address: string) {
  const salt = randomBytes(16);
  const digest = (code: string) => slowHash.digest(normalizeCode(code), salt, buildChoreTurn(address));
  return { salt, digests: await Promise.all(codes.map(digest)) };
}
