import type { User } from './user.ts';
import type { UserStore } from './user-store.ts';

/** A user whose password was right, as it was then. Any version of the methods will do where none is named. */
interface Then {
  passwordChangedAt: number;
  methodsVersion?: number | undefined;
}

/** Whether neither the password nor the methods of the user changed since then. */
export function isAsThen(user: User, { passwordChangedAt, methodsVersion = user.methodsVersion }: Then): boolean {
  return user.passwordChangedAt === passwordChangedAt && user.methodsVersion === methodsVersion;
}

/**
 * The user who changes the own methods or profile; undefined where the sign-in of then does not count any more. `withoutSecondStep`: it
 * had none, which does where the user has none.
 */
export async function findProvenUser(
  users: Pick<UserStore, 'findById'>,
  {
    userId,
    passwordChangedAt,
    withoutSecondStep,
  }: { userId: string; passwordChangedAt: number; withoutSecondStep?: boolean | undefined },
): Promise<User | undefined> {
  const user = await users.findById(userId);
  const isProven = user?.enabled === true && user.userType !== 'Robot' && user.passwordChangedAt === passwordChangedAt;
  // The user may have got one since auth-server looked.
  return isProven && !(withoutSecondStep === true && user.secondStep) ? user : undefined;
}
