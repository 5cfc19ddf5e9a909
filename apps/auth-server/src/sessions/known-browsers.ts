import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@gatehouse/service-kit';
import { type DirectoryUser, type KnownBrowser, mostKnownBrowsers } from '@gatehouse/shared';

/** Milliseconds for which a browser is known after a sign-in. */
export const knownBrowserLifetime = 180 * 86_400_000;

/** Characters, beyond what a cookie of ours has. */
const longestCookie = 2_048;

/**
 * The users who signed in at a browser, in a signed cookie: each with an id of this browser and the password of then. Wrong
 * passwords from elsewhere do not keep such a user out here.
 */
export interface KnownBrowsers {
  /** Nothing where the cookie is not one of this server. */
  read(cookie: string | undefined): KnownBrowser[];
  /**
   * The cookie with this user in it, the newest first. `isVouched`: a mailed link proved the user at this browser, so that it is as good
   * as one that is known for long.
   */
  remember(
    cookie: string | undefined,
    user: Pick<DirectoryUser, 'id' | 'passwordChangedAt'>,
    options?: { isVouched: boolean },
  ): string;
}

interface Entry extends KnownBrowser {
  /** Milliseconds. */
  expiresAt: number;
}

interface Dependencies {
  /** The same on every replica. */
  key: Buffer;
  clock: Clock;
}

export function createKnownBrowsers({ key, clock }: Dependencies): KnownBrowsers {
  const sign = (content: string) => createHmac('sha256', key).update(content).digest();
  const readEntries = (cookie: string | undefined): Entry[] => {
    if (cookie === undefined || cookie.length > longestCookie) return [];
    const [content = '', signature = ''] = cookie.split('.', 2);
    const given = Buffer.from(signature, 'base64url');
    const expected = sign(content);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return [];
    // Signed, so it is what this server wrote.
    const entries = JSON.parse(Buffer.from(content, 'base64url').toString()) as Entry[];
    return entries.filter(({ expiresAt }) => expiresAt > clock());
  };

  return {
    read: (cookie) => readEntries(cookie).map(({ expiresAt: _unused, ...browser }) => browser),
    remember(cookie, { id: userId, passwordChangedAt }, { isVouched } = { isVouched: false }) {
      const entries = readEntries(cookie);
      const former = entries.find((entry) => entry.userId === userId);
      // The id stays, and with it the count of wrong passwords at this browser.
      const id = former?.id ?? randomBytes(16).toString('base64url');
      const now = clock();
      const expiresAt = now + knownBrowserLifetime;
      // Of an entry from before this member the first sign-in is long ago.
      const isSame = former?.passwordChangedAt === passwordChangedAt;
      const since = isVouched ? 0 : isSame ? (former.since ?? 0) : now;
      const others = entries.filter((entry) => entry.userId !== userId);
      const kept = [{ id, userId, passwordChangedAt, since, expiresAt }, ...others].slice(0, mostKnownBrowsers);
      const content = Buffer.from(JSON.stringify(kept)).toString('base64url');
      return `${content}.${sign(content).toString('base64url')}`;
    },
  };
}
