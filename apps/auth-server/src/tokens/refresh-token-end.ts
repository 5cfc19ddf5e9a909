import type { Clock } from '@gatehouse/service-kit';
import { listExpiresAt, type TokenStatus } from '../protocol/token-status.ts';
import type { RefreshToken } from './refresh-token.ts';

const day = 86_400_000;

type Lived = Pick<RefreshToken, 'scope' | 'sessionId' | 'authentication'>;

/** When refresh tokens end. Instants are milliseconds. */
export interface RefreshTokenEnds {
  /**
   * The end that no use puts off. Offline access ends some days after its first issue. Everything else ends
   * a session's lifetime after the user signed in: with the session of that sign-in, or, of the password grant, so long after the first issue.
   */
  findEnd(token: Lived & { endsAt?: number | undefined }): number;
  /**
   * The end that the next use puts off, and when the row may be deleted. It may come after `end`, which counts all the same:
   * the row stays as long as the access token of this status can live, so that the grant can be ended.
   */
  findExpiry(token: Lived, end: number, status: TokenStatus): number;
}

interface Dependencies {
  /** Milliseconds that a session lives. */
  sessionLifetime: number;
  /** Days after its last use, and after its first issue, for which a refresh token with offline access lives. */
  idleDays: number;
  maxDays: number;
  clock: Clock;
}

export function createRefreshTokenEnds(deps: Dependencies): RefreshTokenEnds {
  const { sessionLifetime, idleDays, maxDays, clock } = deps;
  return {
    // The release before stored no end: offline access then ends some days after its next use.
    findEnd: (token) =>
      token.endsAt ??
      (isOffline(token) ? clock() + maxDays * day : token.authentication.authTime * 1000 + sessionLifetime),
    findExpiry(token, end, { listId }) {
      const expiry = isOffline(token) ? Math.min(clock() + idleDays * day, end) : end;
      return Math.max(expiry, listExpiresAt(listId));
    },
  };
}

/** OpenID Connect Core 11. */
function isOffline({ sessionId, scope }: Lived): boolean {
  return sessionId === undefined && scope.includes('offline_access');
}
