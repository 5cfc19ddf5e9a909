import { type Clock, createId, toSeconds } from '@gatehouse/service-kit';
import type { DirectoryUser } from '@gatehouse/shared';
import type { BrowserSessionStore, RefreshTokenStore } from '../storage/stores.ts';
import { createOpaqueToken, hashOpaqueToken } from '../tokens/opaque-token.ts';

/** A user signed in at one browser, as it is stored. */
export interface BrowserSession {
  /** SHA-256 of the cookie's value. */
  tokenHash: Buffer;
  /** The `sid` that clients see. */
  sessionId: string;
  userId: string;
  passwordChangedAt: number;
  /** Seconds: when the user signed in. */
  authTime: number;
  /** Milliseconds. */
  expiresAt: number;
}

/** Milliseconds a session lives, whatever is done with it. */
export const sessionLifetime = 12 * 3_600_000;

export interface BrowserSessions {
  /** Gives the session and the value of its cookie. */
  start(user: DirectoryUser): Promise<{ token: string; session: BrowserSession }>;
  find(token: string | undefined): Promise<BrowserSession | undefined>;
  /** Ends the session and the refresh tokens that live no longer than it. */
  end(token: string): Promise<void>;
}

interface Dependencies {
  sessions: BrowserSessionStore;
  refreshTokens: RefreshTokenStore;
  clock: Clock;
}

export function createBrowserSessions({ sessions, refreshTokens, clock }: Dependencies): BrowserSessions {
  const find = async (token: string | undefined) => {
    if (token === undefined) return undefined;
    const session = await sessions.find(hashOpaqueToken(token));
    return session !== undefined && session.expiresAt > clock() ? session : undefined;
  };
  return {
    find,
    async start(user) {
      const { token, hash } = createOpaqueToken();
      const now = clock();
      const session: BrowserSession = {
        tokenHash: hash,
        sessionId: createId(),
        userId: user.id,
        passwordChangedAt: user.passwordChangedAt,
        authTime: toSeconds(now),
        expiresAt: now + sessionLifetime,
      };
      await sessions.insert(session);
      return { token, session };
    },
    async end(token) {
      const session = await find(token);
      if (session === undefined) return;
      await sessions.delete(session.tokenHash);
      await refreshTokens.deleteBySession(session.sessionId);
    },
  };
}
