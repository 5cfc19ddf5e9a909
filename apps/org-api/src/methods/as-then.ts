import type { User } from '../users/user.ts';

/** A user whose password was right, as it was then. Any version of the methods will do where none is named. */
interface Then {
  passwordChangedAt: number;
  methodsVersion?: number | undefined;
}

/** Whether neither the password nor the methods of the user changed since then. */
export function isAsThen(user: User, { passwordChangedAt, methodsVersion = user.methodsVersion }: Then): boolean {
  return user.passwordChangedAt === passwordChangedAt && user.methodsVersion === methodsVersion;
}
