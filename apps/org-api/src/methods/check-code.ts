import type { Clock, SlowHash, Turn } from '@gatehouse/service-kit';
import type { AuditTrail } from '@gatehouse/service-kit/audit';
import { type KnownNetworks, networkOf, wideNetworkOf } from '@gatehouse/service-kit/guess-limit';
import { type CodeCheck, type CodeKind, foldUsername } from '@gatehouse/shared';
import { describeOwnDeed } from '../events/audit.ts';
import type { Tell } from '../events/event.ts';
import type { Outbox } from '../mails/outbox.ts';
import type { TellNewSignIn } from '../mails/tell-new-sign-in.ts';
import { findBrowserOf } from '../users/known-browser.ts';
import { isAsThen } from '../users/proven-user.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import { isLost } from './code-app.ts';
import type { CodeAppSecrets } from './code-app-secrets.ts';
import type { CodeAppStore } from './code-app-store.ts';
import type { CodeGuesses } from './code-guesses.ts';
import type { RecoveryCodeStore } from './recovery-code-store.ts';
import { isRecoveryCode, normalizeCode } from './recovery-codes.ts';
import { findTimeStep } from './time-code.ts';

export type CodeVerification =
  /** `setUpDue`: the code app was lost with its key, so another second step is set up next. */
  | { outcome: 'verified'; user: User; by: CodeKind; setUpDue?: true }
  | { outcome: 'wrong' }
  /** `retryAfter` in seconds. */
  | { outcome: 'limited'; retryAfter: number }
  /** The password or the methods changed since the password was right. */
  | { outcome: 'changed' };

/** Wrong codes in a day after which the user is told that another person may know the password. */
const manyWrong = 10;

export type CheckCode = ReturnType<typeof createCheckCode>;

interface Dependencies {
  users: Pick<UserStore, 'findById'>;
  codeApps: CodeAppStore;
  codeAppSecrets: CodeAppSecrets;
  recoveryCodes: RecoveryCodeStore;
  codeGuesses: CodeGuesses;
  slowHash: Pick<SlowHash, 'digest'>;
  knownNetworks: Pick<KnownNetworks, 'remember'>;
  audit: Pick<AuditTrail, 'write'>;
  notify: Outbox['notify'];
  tellNewSignIn: TellNewSignIn;
  tell: Tell;
  clock: Clock;
}

/**
 * Checks a code of the app or a recovery code, and uses it up: it works once, at all replicas together. A disabled user with
 * a right code is `verified`, and the caller decides. Throws an OverloadedError where a recovery code cannot be hashed now.
 */
export function createCheckCode(deps: Dependencies) {
  const { users, codeApps, codeGuesses, knownNetworks, tell } = deps;
  const use = { code_app: createUseCodeOfApp(deps), recovery_code: createUseRecoveryCode(deps) };
  const verify = async (check: CodeCheck): Promise<CodeVerification> => {
    const user = await users.findById(check.userId);
    if (user === undefined || !isAsThen(user, check)) return { outcome: 'changed' };
    const code = normalizeCode(check.code);
    const kind = isRecoveryCode(code) ? 'recovery_code' : 'code_app';
    const browser = findBrowserOf(user, check.knownBrowsers ?? []);
    const counted = await codeGuesses.count({ ...check, browser, kind });
    if ('retryAfter' in counted) return { outcome: 'limited', retryAfter: counted.retryAfter };
    const isRight = await use[kind](user, code, check).catch(async (error: unknown) => {
      await counted.takeBack();
      throw error;
    });
    if (!isRight) {
      // Once: the password was right each time.
      if (counted.ofDay === manyWrong && user.passwordHash !== undefined)
        await deps.notify(user, 'password_known', check);
      return { outcome: 'wrong' };
    }
    const { address } = check;
    await Promise.all([counted.takeBack(), knownNetworks.remember(foldUsername(user.username), networkOf(address))]);
    return { outcome: 'verified', user, by: kind };
  };
  const addSetUp = async (result: CodeVerification): Promise<CodeVerification> => {
    if (result.outcome !== 'verified' || result.by !== 'recovery_code') return result;
    const app = await codeApps.find(result.user.id);
    return app !== undefined && isLost(app) ? { ...result, setUpDue: true } : result;
  };
  return async (check: CodeCheck): Promise<CodeVerification> => {
    const result = await addSetUp(await verify(check));
    // Without a version of then it is a step of a session that goes on.
    if (result.outcome === 'verified' && check.methodsVersion !== undefined)
      await deps.tellNewSignIn(result.user, check);
    if (result.outcome !== 'changed') tell({ type: 'code.checked', outcome: result.outcome });
    return result;
  };
}

function createUseCodeOfApp({ codeApps, codeAppSecrets, clock }: Dependencies) {
  return async (user: User, code: string): Promise<boolean> => {
    const app = await codeApps.find(user.id);
    if (app === undefined || isLost(app)) return false;
    const now = clock();
    const step = findTimeStep(codeAppSecrets.open(app), code, now);
    return step !== undefined && codeApps.useStep(app, step, now);
  };
}

function createUseRecoveryCode({ recoveryCodes, slowHash, audit, notify }: Dependencies) {
  return async (user: User, code: string, check: CodeCheck): Promise<boolean> => {
    const { address, knownBrowsers } = check;
    const set = await recoveryCodes.find(user.id);
    if (set === undefined) return false;
    const turn = buildTurn(address, findBrowserOf(user, knownBrowsers ?? []) && user.id);
    if (!(await recoveryCodes.use(user.id, await slowHash.digest(code, set.salt, turn)))) return false;
    const details = { left: set.left - 1 };
    await audit.write({ ...describeOwnDeed(user, check), type: 'recovery_code.used', details });
    await notify(user, 'recovery_code_used', check, { left: String(details.left) });
    return true;
  };
}

function buildTurn(address: string, known: string | undefined): Turn {
  const network = networkOf(address);
  return { kind: 'check', known, network, wideNetwork: wideNetworkOf(network) };
}
