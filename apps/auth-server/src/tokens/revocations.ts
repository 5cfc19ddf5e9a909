import { createHash } from 'node:crypto';
import type { Clock } from '@gatehouse/service-kit';
import { maximumAccessTokenValidity } from '@gatehouse/shared';
import type { RefreshTokenStore, RevocationStore } from '../storage/stores.ts';

/** What ended before its time. Rows stay until the last access token they concern has expired. */
export interface Revocations {
  /** RFC 7009: this access token alone. `exp` in seconds. */
  revokeAccessToken(jti: string, exp: number): Promise<void>;
  /** Every token that was, or is just being, issued from the grant. */
  endGrant(grantId: string): Promise<void>;
  isGrantEnded(grantId: string): Promise<boolean>;
  isRevoked(accessToken: { jti: string; grantId: string | undefined }): Promise<boolean>;
}

interface Dependencies {
  revocations: RevocationStore;
  refreshTokens: RefreshTokenStore;
  clock: Clock;
}

export function createRevocations({ revocations, refreshTokens, clock }: Dependencies): Revocations {
  return {
    revokeAccessToken: (jti, exp) => revocations.add(hashSubject('access_token', jti), exp * 1000),
    async endGrant(grantId) {
      // In this order: who inserts a refresh token of this grant at the same moment looks here afterwards.
      await revocations.add(hashSubject('grant', grantId), clock() + maximumAccessTokenValidity * 1000);
      await refreshTokens.deleteByGrant(grantId);
    },
    isGrantEnded: (grantId) => revocations.containsAny([hashSubject('grant', grantId)]),
    isRevoked({ jti, grantId }) {
      const subjects = [hashSubject('access_token', jti)];
      if (grantId !== undefined) subjects.push(hashSubject('grant', grantId));
      return revocations.containsAny(subjects);
    },
  };
}

function hashSubject(kind: 'access_token' | 'grant', id: string): Buffer {
  return createHash('sha256').update(`${kind}:${id}`).digest();
}
