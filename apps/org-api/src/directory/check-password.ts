import type { PasswordCheck } from '@gatehouse/shared';
import type { TellNewSignIn } from '../mails/tell-new-sign-in.ts';
import type { PasswordVerification, VerifyPassword } from '../passwords/verify-password.ts';

export type CheckPassword = (check: PasswordCheck) => Promise<PasswordVerification>;

interface Dependencies {
  verifyPassword: VerifyPassword;
  tellNewSignIn: TellNewSignIn;
}

/** Checks the password of a sign-in. Throws an OverloadedError where it cannot be checked now. */
export function createCheckPassword({ verifyPassword, tellNewSignIn }: Dependencies): CheckPassword {
  return async (check) => {
    const result = await verifyPassword(check);
    if (result.outcome !== 'verified') return result;
    if (result.secondStep === undefined) {
      await tellNewSignIn(result.user, check);
      return result;
    }
    // An auth-server that does not ask for the second step must let nobody in who has one.
    const isUnderstood = check.understands?.includes('second_step') === true;
    return isUnderstood ? result : { outcome: 'wrong', userId: result.user.id };
  };
}
