import { completeUsername, type PasswordCheck } from '@gatehouse/shared';
import type { TellNewSignIn } from '../mails/tell-new-sign-in.ts';
import type { PasswordVerification, VerifyPassword } from '../passwords/verify-password.ts';

/** `username`: the name of a refused check, where it was completed: auth-server tells of it. */
export type CheckPassword = (check: PasswordCheck) => Promise<PasswordVerification & { username?: string }>;

interface Dependencies {
  config: { usernameDomain: string | undefined };
  verifyPassword: VerifyPassword;
  tellNewSignIn: TellNewSignIn;
}

/** Checks the password of a sign-in. Throws an OverloadedError where it cannot be checked now. */
export function createCheckPassword({ config, verifyPassword, tellNewSignIn }: Dependencies): CheckPassword {
  return async (check) => {
    // Guesses are counted by the completed name.
    const username = completeUsername(check.username, config.usernameDomain);
    const result = await verifyPassword({ ...check, username });
    if (result.outcome !== 'verified') return username === check.username ? result : { ...result, username };
    if (result.secondStep === undefined) {
      await tellNewSignIn(result.user, check);
      return result;
    }
    // An auth-server that does not ask for the second step must let nobody in who has one.
    const isUnderstood = check.understands?.includes('second_step') === true;
    return isUnderstood ? result : { outcome: 'wrong', userId: result.user.id };
  };
}
