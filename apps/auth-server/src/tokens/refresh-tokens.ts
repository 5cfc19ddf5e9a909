import { createHmac } from 'node:crypto';
import { type Clock, createId, idToBytes } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import type { Client } from '../clients/client.ts';
import type { Tell } from '../events/event.ts';
import { createOpaqueToken, hashOpaqueToken } from '../protocol/opaque-token.ts';
import { addStatus, type TokenStatus } from '../protocol/token-status.ts';
import type { RefreshToken, RefreshTokenGrant } from './refresh-token.ts';
import type { RefreshTokenEnds } from './refresh-token-end.ts';
import type { RefreshTokenStore } from './refresh-token-store.ts';
import type { Presenter, RefreshTokenUses, RepeatedBy, ReplayFault } from './refresh-token-use.ts';
import type { Revocations } from './revocations.ts';

export interface RefreshTokens {
  /** `status`: of the access token that goes with it. */
  issue(grant: RefreshTokenGrant, status: TokenStatus): Promise<string>;
  /** The grant that a token stands for, without using it up; undefined where it stands for none. */
  find(token: string): Promise<RefreshToken | undefined>;
  /** The same for a token that was used already: what it began is known by its row. */
  findEvenIfUsed(token: string): Promise<RefreshToken | undefined>;
  /** Throws `invalid_grant`; a token that was used before ends its whole grant, unless its client may ask once more. */
  check(token: string, client: Client, presenter: Presenter): Promise<RefreshToken>;
  /**
   * Uses the token up and gives its successor: to every retry of its client the same, and with it the status that the
   * access token of the first was given.
   */
  rotate(token: string, use: RefreshTokenTurn): Promise<Rotation>;
}

/** A use of a token that was checked. */
export interface RefreshTokenTurn {
  seen: RefreshToken;
  status: TokenStatus;
  client: Client;
  presenter: Presenter;
}

export interface Rotation {
  successor: string;
  status: TokenStatus;
  /** What shows that a retry comes from the client; undefined for the first use. */
  repeatedBy: RepeatedBy | undefined;
}

interface Dependencies {
  refreshTokens: RefreshTokenStore;
  revocations: Revocations;
  /** Derives a successor from its predecessor; the same on every replica. */
  successorKey: Buffer;
  refreshTokenUses: RefreshTokenUses;
  refreshTokenEnds: RefreshTokenEnds;
  tell: Tell;
  clock: Clock;
}

export function createRefreshTokens(deps: Dependencies): RefreshTokens {
  const { refreshTokens, revocations, successorKey, refreshTokenUses: uses, refreshTokenEnds: ends } = deps;
  const { tell, clock } = deps;
  const deriveSuccessor = (secret: string) => createHmac('sha256', successorKey).update(secret).digest('base64url');

  /** The row that a token names, whether or not the token is the current one; undefined once it has ended. */
  const findRow = async (token: string) => {
    const parts = parseRefreshToken(token);
    const row = parts === undefined ? undefined : await refreshTokens.find(parts.id);
    if (parts === undefined || row === undefined) return undefined;
    const stored = { ...row, expiresAt: Math.min(row.expiresAt, ends.findEnd(row)) };
    return stored.expiresAt > clock() ? { stored, secretHash: hashOpaqueToken(parts.secret) } : undefined;
  };

  const endReplayedGrant = async (
    { grantId, userId }: RefreshToken,
    why: ReplayFault,
    client: Client,
    { requestId, address }: Presenter,
  ): Promise<never> => {
    await revocations.endGrant(grantId);
    const origin = { requestId, address };
    tell({ type: 'grant.replayed', reason: 'refresh_token_replayed', why, client, userId, grantId, origin });
    throw invalidGrant(`a refresh token that was used before came back (${why}): its grant is ended`);
  };

  /** What somebody gets who did not rotate the token, since somebody else did before: a retry, or the end of the grant. */
  const repeat = async (token: string, { seen, client, presenter }: RefreshTokenTurn) => {
    const found = await findRow(token);
    if (found === undefined) throw invalidGrant('the grant ended, or expired, meanwhile');
    const use = uses.judge(found.stored, found.secretHash, presenter);
    if (use.kind === 'replayed') return endReplayedGrant(seen, use.why, client, presenter);
    if (use.kind === 'first') throw invalidGrant('another use came first, of which nothing is to be seen yet');
    return { status: found.stored.statuses.at(-1), by: use.by };
  };

  return {
    async issue(grant, status) {
      const { token: secret, hash } = createOpaqueToken();
      const id = createId();
      const endsAt = ends.findEnd(grant);
      await refreshTokens.insert({
        ...grant,
        id,
        secretHash: hash,
        previousSecretHash: undefined,
        rotatedAt: undefined,
        rotatedFrom: undefined,
        statuses: [status],
        endsAt,
        expiresAt: ends.findExpiry(grant, endsAt),
      });
      return formatRefreshToken(id, secret);
    },

    async find(token) {
      const found = await findRow(token);
      return found?.secretHash.equals(found.stored.secretHash) ? found.stored : undefined;
    },

    findEvenIfUsed: async (token) => (await findRow(token))?.stored,

    async check(token, client, presenter) {
      const found = await findRow(token);
      if (found === undefined) throw invalidGrant('no such refresh token, or expired');
      const { stored, secretHash } = found;
      if (stored.registrationId !== client.registrationId) throw invalidGrant('issued to another client');
      const use = uses.judge(stored, secretHash, presenter);
      return use.kind === 'replayed' ? endReplayedGrant(stored, use.why, client, presenter) : stored;
    },

    async rotate(token, turn) {
      const { seen, status, presenter } = turn;
      const { secret } = parseRefreshToken(token) as { secret: string };
      const successor = deriveSuccessor(secret);
      const now = clock();
      const from = hashOpaqueToken(secret);
      const endsAt = ends.findEnd(seen);
      const { kept, dropped } = addStatus(seen.statuses, status, now);
      const isRotated = await refreshTokens.rotate(seen.id, {
        from,
        to: hashOpaqueToken(successor),
        now,
        network: uses.hashNetwork(seen.id, presenter.address),
        endsAt,
        expiresAt: ends.findExpiry(seen, endsAt),
        statuses: kept,
      });
      const answer = { successor: formatRefreshToken(seen.id, successor), status, repeatedBy: undefined };
      if (!isRotated) {
        const first = await repeat(token, turn);
        return { ...answer, status: first.status ?? status, repeatedBy: first.by };
      }
      await revocations.revokeStatuses(dropped);
      return answer;
    },
  };
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

function invalidGrant(reason: string): OAuthError {
  const description = 'the refresh token is not valid, expired or was used before; sign in again';
  return new OAuthError('invalid_grant', description, { reason });
}
