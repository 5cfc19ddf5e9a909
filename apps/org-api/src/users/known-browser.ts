import type { KnownBrowser } from '@gatehouse/shared';
import type { User } from './user.ts';

/** Finds the browser in which this user signed in since the last change of the password. */
export function findBrowserOf(user: User | undefined, browsers: readonly KnownBrowser[]): string | undefined {
  return browsers.find(
    ({ userId, passwordChangedAt }) => userId === user?.id && passwordChangedAt === user.passwordChangedAt,
  )?.id;
}
