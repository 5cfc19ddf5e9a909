import type { KnownBrowser } from '@gatehouse/shared';
import type { User } from './user.ts';

/** Finds the browser in which this user signed in since the last change of the password. */
export function findBrowserOf(user: User | undefined, browsers: readonly KnownBrowser[]): string | undefined {
  return find(user, browsers)?.id;
}

/** Milliseconds since the epoch of the first sign-in at the browser of these; undefined where it is unknown. */
export function findBrowserSince(user: User, browsers: readonly KnownBrowser[]): number | undefined {
  const found = find(user, browsers);
  return found && (found.since ?? 0);
}

function find(user: User | undefined, browsers: readonly KnownBrowser[]): KnownBrowser | undefined {
  return browsers.find(
    ({ userId, passwordChangedAt }) => userId === user?.id && passwordChangedAt === user.passwordChangedAt,
  );
}
