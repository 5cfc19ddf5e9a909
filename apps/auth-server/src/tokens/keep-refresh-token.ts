import { hashOpaqueToken } from '../protocol/opaque-token.ts';
import { findOutdated } from '../protocol/token-status.ts';
import { parseRefreshToken } from './refresh-token-text.ts';
import {
  type RefreshTokenTurn,
  type RotateDependencies,
  type Rotation,
  rotateRefreshToken,
} from './rotate-refresh-token.ts';

/**
 * Uses a token that stays the same (FAPI 2.0 Security Profile 5.3.2.1, 9): its client proves a key at each use. Every use
 * has a status of its own, whatever number of them come at the same moment.
 */
export async function keepRefreshToken(
  deps: RotateDependencies,
  token: string,
  turn: RefreshTokenTurn,
): Promise<Rotation> {
  const { refreshTokens, refreshTokenEnds, revocations, clock } = deps;
  const { seen, status } = turn;
  const { secret } = parseRefreshToken(token) as { secret: string };
  const secretHash = hashOpaqueToken(secret);
  const now = clock();
  const endsAt = refreshTokenEnds.findEnd(seen);
  const { outdated, dropped } = findOutdated(seen.statuses, now);
  const expiresAt = refreshTokenEnds.findExpiry(seen, endsAt, status);
  if (!(await refreshTokens.stay(seen.id, { secretHash, now, endsAt, expiresAt, status, outdated }))) {
    // The client may have had rotating tokens a moment ago: this one was replaced then, or it has ended.
    return rotateRefreshToken(deps, token, turn);
  }
  await revocations.revokeStatuses(dropped);
  return { successor: token, status, repeatedBy: undefined };
}
