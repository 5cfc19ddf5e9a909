import { randomBytes } from 'node:crypto';
import { createId } from '@gatehouse/service-kit';
import type { Client } from '../clients/client.ts';
import { hashOpaqueToken } from '../protocol/opaque-token.ts';
import type { TokenStatus } from '../protocol/token-status.ts';
import { checkRefreshToken, findPresented } from './check-refresh-token.ts';
import { keepRefreshToken } from './keep-refresh-token.ts';
import type { RefreshToken, RefreshTokenGrant } from './refresh-token.ts';
import { buildRefreshTokenSecret, formatRefreshToken } from './refresh-token-text.ts';
import type { Presenter } from './refresh-token-use.ts';
import {
  type RefreshTokenTurn,
  type RotateDependencies,
  type Rotation,
  rotateRefreshToken,
} from './rotate-refresh-token.ts';

export interface RefreshTokens {
  /** `status`: of the access token that goes with it. */
  issue(grant: RefreshTokenGrant, status: TokenStatus): Promise<string>;
  /** The grant that a token stands for, without using it up; undefined where it stands for none. */
  find(token: string): Promise<RefreshToken | undefined>;
  /** The same for a token that was used already: what it began is known by its row. */
  findEvenIfUsed(token: string): Promise<RefreshToken | undefined>;
  /** The refresh token of a grant, also an expired one; undefined where the grant came with none. */
  findByGrant(grantId: string): Promise<RefreshToken | undefined>;
  /** Whether the session in which offline access began lives. */
  isSessionAlive(sessionId: string, now: number): Promise<boolean>;
  /** Throws `invalid_grant`; a token that was used before ends its whole grant, unless its client may ask once more. */
  check(token: string, client: Client, presenter: Presenter): Promise<RefreshToken>;
  /**
   * Uses the token up and gives its successor: to every retry of its client the same, and with it the status that the
   * access token of the first was given.
   */
  rotate(token: string, use: RefreshTokenTurn): Promise<Rotation>;
  /** Uses the token and gives it again: to any number at the same moment, each with the status of its own access token. */
  keep(token: string, use: RefreshTokenTurn): Promise<Rotation>;
}

export function createRefreshTokens(deps: RotateDependencies): RefreshTokens {
  const { refreshTokens, refreshTokenEnds: ends } = deps;
  return {
    async issue(grant, status) {
      const id = createId();
      const secret = buildRefreshTokenSecret(randomBytes(32));
      const token = formatRefreshToken({ id, secret });
      const secretHash = hashOpaqueToken(secret);
      const endsAt = ends.findEnd(grant);
      await refreshTokens.insert({
        id,
        secretHash,
        previousSecretHash: undefined,
        rotatedAt: undefined,
        rotatedFrom: undefined,
        statuses: [status],
        endsAt,
        expiresAt: ends.findExpiry(grant, endsAt, status),
        ...grant,
      });
      return token;
    },

    async find(token) {
      const found = await findPresented(deps, token);
      return found?.secretHash.equals(found.stored.secretHash) ? found.stored : undefined;
    },

    findEvenIfUsed: async (token) => (await findPresented(deps, token))?.stored,
    findByGrant: refreshTokens.findByGrant,
    isSessionAlive: refreshTokens.isSessionAlive,
    check: (token, client, presenter) => checkRefreshToken(deps, token, client, presenter),
    rotate: (token, turn) => rotateRefreshToken(deps, token, turn),
    keep: (token, turn) => keepRefreshToken(deps, token, turn),
  };
}
