import { hash } from 'node:crypto';
import type { Clock } from '@gatehouse/service-kit';
import { maximumAccessTokenValidity } from '@gatehouse/shared';
import { LRUCache } from 'lru-cache';
import type { AuthorizationCodeStore } from '../codes/authorization-code-store.ts';
import type { DeviceCodeStore } from '../codes/device-code-store.ts';
import type { GrantReplayed, Tell } from '../events/event.ts';
import { parseStatusClaim, type TokenStatus } from '../protocol/token-status.ts';
import type { StatusLists } from '../status-lists/status-lists.ts';
import type { StatusStore } from '../status-lists/status-store.ts';
import type { AccessTokenClaims } from './access-token-claims.ts';
import type { RefreshTokenStore } from './refresh-token-store.ts';
import type { RevocationStore } from './revocation-store.ts';

/** How often a process tells that a code or token of an ended grant came back. */
const mostRepetitions = 3;

interface Dependencies {
  revocations: RevocationStore;
  refreshTokens: RefreshTokenStore;
  codes: AuthorizationCodeStore;
  deviceCodes: Pick<DeviceCodeStore, 'listStatuses' | 'listGrantsOf'>;
  statuses: Pick<StatusStore, 'isRevoked'>;
  statusLists: Pick<StatusLists, 'revoke' | 'revokeExchanged'>;
  tell: Tell;
  clock: Clock;
}

export type Revocations = ReturnType<typeof createRevocations>;

/** Access tokens and grants that ended before their time. Rows stay until the last access token they concern has expired. */
export function createRevocations(deps: Dependencies) {
  const { revocations, refreshTokens, codes, deviceCodes, statuses, statusLists, tell } = deps;
  /** The grants that this process ended, and how often a code or token of each came back since. */
  const repetitions = new LRUCache<string, number>({ max: 10_000 });
  /** Access tokens that this process revoked. */
  const revoked = new LRUCache<string, true>({ max: 10_000 });
  return {
    /**
     * Ends every token that was, or is just being, issued from the grant; `issued`: statuses that its rows may not name yet.
     * False where another call ended the grant before.
     */
    endGrant: (grantId: string, issued: readonly TokenStatus[] = []): Promise<boolean> =>
      endGrant(deps, grantId, issued),

    /**
     * Ends the grant of a code or token that came back, and tells it: as an end where this call ended the grant, else three
     * times. For a grant that this process ended it sends no statement.
     */
    async endReplayed(replay: Omit<GrantReplayed, 'type' | 'isEnded'>): Promise<void> {
      const { grantId } = replay;
      const isEnded = !repetitions.has(grantId) && (await endGrant(deps, grantId, []));
      const count = isEnded ? 0 : (repetitions.get(grantId) ?? 0) + 1;
      repetitions.set(grantId, count);
      if (count <= mostRepetitions) tell({ type: 'grant.replayed', ...replay, isEnded });
    },

    /** Revokes access tokens that no later call could name. */
    async revokeStatuses(dropped: readonly TokenStatus[]): Promise<void> {
      for (const subject of dropped) await statusLists.revokeExchanged({ subject });
      await statusLists.revoke(dropped);
    },

    /** Ends every grant in which the client holds, or may yet redeem, something for the user. */
    async endGrantsOf(userId: string, registrationId: string): Promise<void> {
      const grants = await Promise.all([
        refreshTokens.listGrantsOf(userId, registrationId),
        codes.listGrantsOf(userId, registrationId),
        deviceCodes.listGrantsOf(userId, registrationId),
      ]);
      await endGrants(deps, grants.flat());
    },

    /** Ends the oldest grants that the client has for the user by refresh tokens, but for so many. */
    async endOldestGrantsOf(userId: string, registrationId: string, kept: number): Promise<void> {
      const grants = await refreshTokens.listLiveGrantsOf(userId, registrationId, deps.clock());
      await endGrants(deps, grants.slice(0, -kept));
    },

    /** Ends every grant of the user, offline access included. */
    async endGrantsOfUser(userId: string): Promise<void> {
      const stores = [refreshTokens, codes, deviceCodes];
      const grants = await Promise.all(stores.map((store) => store.listGrantsOf(userId, undefined)));
      await endGrants(deps, grants.flat());
    },

    /** Ends every grant that lives no longer than the session. */
    async endGrantsOfSession(sessionId: string): Promise<void> {
      const grants = await Promise.all([
        refreshTokens.listGrantsOfSession(sessionId),
        codes.listGrantsOfSession(sessionId),
      ]);
      await endGrants(deps, grants.flat());
    },

    /**
     * RFC 7009: ends this access token, and what was exchanged from it; no other token of its grant. False where the token was
     * revoked before.
     */
    async revokeAccessToken({ jti, exp, status }: AccessTokenClaims): Promise<boolean> {
      const subject = parseStatusClaim(status);
      if (revoked.has(jti)) return false;
      // In this order: a request that exchanges it at the same moment looks here afterwards.
      const isFirst = await revocations.add(hashSubject('access_token', jti), exp * 1000);
      await statusLists.revokeExchanged({ subject });
      await statusLists.revoke([subject]);
      revoked.set(jti, true);
      return isFirst;
    },

    isGrantEnded: (grantId: string): Promise<boolean> => revocations.containsAny([hashSubject('grant', grantId)]),

    async isRevoked({ jti, grant_id: grantId, status }: AccessTokenClaims): Promise<boolean> {
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
  // In this order: a request that inserts a refresh token of this grant, or exchanges one of its access tokens, at the same
  // moment looks here afterwards.
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
