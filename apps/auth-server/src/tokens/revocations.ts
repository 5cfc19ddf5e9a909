import { hash } from 'node:crypto';
import type { Clock } from '@gatehouse/service-kit';
import { maximumAccessTokenValidity } from '@gatehouse/shared';
import { LRUCache } from 'lru-cache';
import type { AuthorizationCodeStore } from '../codes/authorization-code-store.ts';
import type { DeviceCodeStore } from '../codes/device-code-store.ts';
import { parseStatusClaim, type TokenStatus } from '../protocol/token-status.ts';
import type { StatusLists } from '../status-lists/status-lists.ts';
import type { StatusStore } from '../status-lists/status-store.ts';
import type { AccessTokenClaims } from './access-token-claims.ts';
import type { RefreshTokenStore } from './refresh-token-store.ts';
import type { RevocationStore } from './revocation-store.ts';

/** How often a process tells that a code or token of an ended grant came back. */
const mostRepetitions = 3;

/** What ended before its time. Rows stay until the last access token they concern has expired. */
export interface Revocations {
  /**
   * RFC 7009: this access token, and what was exchanged from it; no other token of its grant. False where the token was
   * revoked before.
   */
  revokeAccessToken(claims: AccessTokenClaims): Promise<boolean>;
  /**
   * Every token that was, or is just being, issued from the grant; `issued`: what its rows may not name yet. False where
   * another call ended the grant before.
   */
  endGrant(grantId: string, issued?: readonly TokenStatus[]): Promise<boolean>;
  /**
   * Ends the grant of a code or token that came back, once: for a grant that this process knows as ended it sends no
   * statement. `in_force`: this call ended it. `known`: it was ended before, and that was told three times already.
   */
  endReplayedGrant(grantId: string): Promise<'in_force' | 'ended' | 'known'>;
  /** Access tokens that nobody can end later any more. */
  revokeStatuses(statuses: readonly TokenStatus[]): Promise<void>;
  /** Every grant in which the client holds, or may yet redeem, something for the user. */
  endGrantsOf(userId: string, registrationId: string): Promise<void>;
  /** Every grant that lives no longer than the session. */
  endGrantsOfSession(sessionId: string): Promise<void>;
  isGrantEnded(grantId: string): Promise<boolean>;
  isRevoked(accessToken: AccessTokenClaims): Promise<boolean>;
}

interface Dependencies {
  revocations: RevocationStore;
  refreshTokens: RefreshTokenStore;
  codes: AuthorizationCodeStore;
  deviceCodes: Pick<DeviceCodeStore, 'listStatuses' | 'listGrantsOf'>;
  statuses: Pick<StatusStore, 'isRevoked'>;
  statusLists: Pick<StatusLists, 'revoke' | 'revokeExchanged'>;
  clock: Clock;
}

export function createRevocations(deps: Dependencies): Revocations {
  const { revocations, refreshTokens, codes, deviceCodes, statuses, statusLists } = deps;
  /** What this process ended, and how often it came back since. Another process ends it again, which changes nothing. */
  const repetitions = new LRUCache<string, number>({ max: 10_000 });
  /** Access tokens that this process revoked. */
  const revoked = new LRUCache<string, true>({ max: 10_000 });
  return {
    endGrant: (grantId, issued = []) => endGrant(deps, grantId, issued),
    async endReplayedGrant(grantId) {
      const known = repetitions.get(grantId);
      const isInForce = known === undefined && (await endGrant(deps, grantId, []));
      const count = isInForce ? 0 : (repetitions.get(grantId) ?? 0) + 1;
      repetitions.set(grantId, count);
      if (isInForce) return 'in_force';
      return count > mostRepetitions ? 'known' : 'ended';
    },
    async revokeStatuses(dropped) {
      for (const subject of dropped) await statusLists.revokeExchanged({ subject });
      await statusLists.revoke(dropped);
    },
    async endGrantsOf(userId, registrationId) {
      const grants = await Promise.all([
        refreshTokens.listGrantsOf(userId, registrationId),
        codes.listGrantsOf(userId, registrationId),
        deviceCodes.listGrantsOf(userId, registrationId),
      ]);
      await endGrants(deps, grants.flat());
    },
    async endGrantsOfSession(sessionId) {
      const grants = await Promise.all([
        refreshTokens.listGrantsOfSession(sessionId),
        codes.listGrantsOfSession(sessionId),
      ]);
      await endGrants(deps, grants.flat());
    },
    async revokeAccessToken({ jti, exp, status }) {
      const subject = parseStatusClaim(status);
      if (revoked.has(jti)) return false;
      // In this order: who exchanges it at the same moment looks here afterwards.
      const isFirst = await revocations.add(hashSubject('access_token', jti), exp * 1000);
      await statusLists.revokeExchanged({ subject });
      await statusLists.revoke([subject]);
      revoked.set(jti, true);
      return isFirst;
    },
    isGrantEnded: (grantId) => revocations.containsAny([hashSubject('grant', grantId)]),
    async isRevoked({ jti, grant_id: grantId, status }) {
      const ended = await Promise.all([
        revocations.containsAny([hashSubject('access_token', jti), hashSubject('grant', grantId)]),
        // Of a grant with very many access tokens the oldest are ended by their statuses alone.
        statuses.isRevoked(parseStatusClaim(status)),
      ]);
      return ended.includes(true);
    },
  };
}

async function endGrants(deps: Dependencies, grantIds: readonly string[]): Promise<void> {
  for (const grantId of new Set(grantIds)) await endGrant(deps, grantId, []);
}

/** True for exactly one of several callers, where the grant was in force. */
async function endGrant(
  { revocations, refreshTokens, codes, deviceCodes, statusLists, clock }: Dependencies,
  grantId: string,
  issued: readonly TokenStatus[],
): Promise<boolean> {
  // In this order: who inserts a refresh token of this grant at the same moment looks here afterwards, and so
  // does who exchanges one of its access tokens.
  const isFirst = await revocations.add(hashSubject('grant', grantId), clock() + maximumAccessTokenValidity * 1000);
  const known = await Promise.all([refreshTokens, codes, deviceCodes].map((rows) => rows.listStatuses(grantId)));
  // The row that names the statuses goes last, so that what fails halfway can be repeated.
  await statusLists.revoke([...known.flat(), ...issued]);
  await statusLists.revokeExchanged({ grantId });
  await refreshTokens.deleteByGrant(grantId);
  return isFirst;
}

function hashSubject(kind: 'access_token' | 'grant', id: string): Buffer {
  return hash('sha256', `${kind}:${id}`, 'buffer');
}
