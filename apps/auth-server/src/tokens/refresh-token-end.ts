import type { Clock } from '@gatehouse/service-kit';
import { sessionLifetime } from '../protocol/session-lifetime.ts';
import type { RefreshToken } from './refresh-token.ts';

const day = 86_400_000;
/** Milliseconds after which a refresh token with offline access ends unless it is used. */
const idleLifetime = 30 * day;

type Lived = Pick<RefreshToken, 'scope' | 'sessionId' | 'authTime'>;

/** When refresh tokens end. Instants are milliseconds. */
export interface RefreshTokenEnds {
  /**
   * The end that no use puts off. Offline access ends some days after its first issue. Everything else ends 12 hours
   * after the user signed in: with the session of that sign-in, or, of the password grant, 12 hours after the first issue.
   */
  findEnd(token: Lived & { endsAt?: number | undefined }): number;
  /** The end that the next use puts off, and at the latest `end`. */
  findExpiry(token: Lived, end: number): number;
}

export function createRefreshTokenEnds({ maxDays, clock }: { maxDays: number; clock: Clock }): RefreshTokenEnds {
  return {
    // The release before stored no end: offline access then ends some days after its next use.
    findEnd: (token) =>
      token.endsAt ?? (isOffline(token) ? clock() + maxDays * day : token.authTime * 1000 + sessionLifetime),
    findExpiry: (token, end) => (isOffline(token) ? Math.min(clock() + idleLifetime, end) : end),
  };
}

/** OpenID Connect Core 11. */
function isOffline({ sessionId, scope }: Lived): boolean {
  return sessionId === undefined && scope.includes('offline_access');
}
