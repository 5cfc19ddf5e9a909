import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Clock, createId, idToBytes } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import type { RequestedClaims } from '../authorization/claims-parameter.ts';
import type { Client } from '../clients/client.ts';
import { addStatus, type TokenStatus } from '../status/token-status.ts';
import type { RefreshTokenStore } from '../storage/stores.ts';
import { createOpaqueToken, hashOpaqueToken } from './opaque-token.ts';
import { ReplayedTokenError } from './replayed-token.ts';
import type { Revocations } from './revocations.ts';

/**
 * One row for each grant, whatever number of times its token is rotated: the token that stands for it now, and the
 * one before. Instants are milliseconds.
 */
export interface RefreshToken {
  /** UUIDv7; part of the token, so that an older one of the same grant is known for what it is. */
  id: string;
  secretHash: Buffer;
  previousSecretHash: Buffer | undefined;
  /** When the token before was used. */
  rotatedAt: number | undefined;
  grantId: string;
  registrationId: string;
  userId: string;
  passwordChangedAt: number;
  scope: string[];
  /** Seconds. */
  authTime: number;
  /** The session it ends with; undefined for offline access. */
  sessionId: string | undefined;
  /** RFC 9449 5: the key a public client's token is bound to. */
  dpopJkt: string | undefined;
  /** Asked for one by one. */
  claims: RequestedClaims;
  /** Of the grant's access tokens that may still be in force. */
  statuses: TokenStatus[];
  expiresAt: number;
}

/** Milliseconds a refresh token lives unless it is used: for a user who is present, and for offline access. */
const onlineLifetime = 12 * 3_600_000;
const offlineLifetime = 30 * 86_400_000;
/** Milliseconds in which a client that lost the answer may ask once more. */
const retryGrace = 10_000;

export type RefreshTokenGrant = Pick<
  RefreshToken,
  | 'grantId'
  | 'registrationId'
  | 'userId'
  | 'passwordChangedAt'
  | 'scope'
  | 'authTime'
  | 'sessionId'
  | 'dpopJkt'
  | 'claims'
>;

export interface RefreshTokens {
  /** `status`: of the access token that goes with it. */
  issue(grant: RefreshTokenGrant, status: TokenStatus): Promise<string>;
  /** The grant that a token stands for, without using it up; undefined where it stands for none. */
  find(token: string): Promise<RefreshToken | undefined>;
  /** The same for a token that was used already: what it began is known by its row. */
  findEvenIfUsed(token: string): Promise<RefreshToken | undefined>;
  /** Throws `invalid_grant`; a token that was used before ends its whole grant. */
  check(token: string, client: Client): Promise<RefreshToken>;
  /**
   * Uses the token up and gives its successor: to every retry within the grace the same, and with it the status that
   * the access token of the first was given.
   */
  rotate(token: string, seen: RefreshToken, status: TokenStatus): Promise<{ successor: string; status: TokenStatus }>;
}

interface Dependencies {
  refreshTokens: RefreshTokenStore;
  revocations: Revocations;
  /** Derives a successor from its predecessor; the same on every replica. */
  successorKey: Buffer;
  clock: Clock;
}

export function createRefreshTokens(deps: Dependencies): RefreshTokens {
  const { refreshTokens, revocations, successorKey, clock } = deps;
  const deriveSuccessor = (secret: string) => createHmac('sha256', successorKey).update(secret).digest('base64url');

  const findPresented = async (token: string) => {
    const parts = parseRefreshToken(token);
    const stored = parts === undefined ? undefined : await refreshTokens.find(parts.id);
    if (parts === undefined || stored === undefined || stored.expiresAt <= clock()) return undefined;
    return { stored, state: compareSecret(stored, hashOpaqueToken(parts.secret), clock()) };
  };

  const endReusedGrant = async (token: RefreshToken): Promise<never> => {
    await revocations.endGrant(token.grantId);
    const cause = new ReplayedTokenError('refresh_token_replayed', token);
    throw invalidGrant('a refresh token that was used before came back: its grant is ended', cause);
  };

  return {
    async issue(grant, status) {
      const { token: secret, hash } = createOpaqueToken();
      const id = createId();
      await refreshTokens.insert({
        ...grant,
        id,
        secretHash: hash,
        previousSecretHash: undefined,
        rotatedAt: undefined,
        statuses: [status],
        expiresAt: clock() + lifetimeOf(grant),
      });
      return formatRefreshToken(id, secret);
    },

    async find(token) {
      const presented = await findPresented(token);
      return presented?.state === 'current' ? presented.stored : undefined;
    },

    findEvenIfUsed: async (token) => (await findPresented(token))?.stored,

    async check(token, client) {
      const presented = await findPresented(token);
      if (presented === undefined) throw invalidGrant('no such refresh token, or expired');
      const { stored, state } = presented;
      if (stored.registrationId !== client.registrationId) throw invalidGrant('issued to another client');
      if (state === 'used') return endReusedGrant(stored);
      return stored;
    },

    async rotate(token, seen, status) {
      const { secret } = parseRefreshToken(token) as { secret: string };
      const successor = deriveSuccessor(secret);
      const now = clock();
      const { kept, dropped } = addStatus(seen.statuses, status, now);
      const rotated = await refreshTokens.rotate(seen.id, {
        from: hashOpaqueToken(secret),
        to: hashOpaqueToken(successor),
        now,
        expiresAt: now + lifetimeOf(seen),
        statuses: kept,
      });
      if (rotated) await revocations.revokeStatuses(dropped);
      // Not rotated by this request, then by one before it: a retry, if the successor is what stands there now.
      const first = rotated ? undefined : await findPresented(token);
      if (!rotated && first?.state !== 'retried') return endReusedGrant(seen);
      const firstStatus = first?.stored.statuses.at(-1) ?? status;
      return { successor: formatRefreshToken(seen.id, successor), status: rotated ? status : firstStatus };
    },
  };
}

function compareSecret(stored: RefreshToken, hash: Buffer, now: number): 'current' | 'retried' | 'used' {
  if (timingSafeEqual(stored.secretHash, hash)) return 'current';
  const { previousSecretHash, rotatedAt } = stored;
  const isPrevious = previousSecretHash !== undefined && timingSafeEqual(previousSecretHash, hash);
  return isPrevious && rotatedAt !== undefined && now - rotatedAt <= retryGrace ? 'retried' : 'used';
}

function lifetimeOf({ sessionId, scope }: Pick<RefreshToken, 'sessionId' | 'scope'>): number {
  return sessionId === undefined && scope.includes('offline_access') ? offlineLifetime : onlineLifetime;
}

function formatRefreshToken(id: string, secret: string): string {
  return `${idToBytes(id).toString('base64url')}.${secret}`;
}

function parseRefreshToken(token: string): { id: string; secret: string } | undefined {
  const [, idText, secret] = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/.exec(token) ?? [];
  if (idText === undefined || secret === undefined) return undefined;
  const hex = Buffer.from(idText, 'base64url').toString('hex');
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { id, secret };
}

function invalidGrant(reason: string, cause?: ReplayedTokenError): OAuthError {
  const description = 'the refresh token is not valid, expired or was used before; sign in again';
  return new OAuthError('invalid_grant', description, { reason, cause });
}
