import { createHmac } from 'node:crypto';
import type { Client } from '../clients/client.ts';
import { hashOpaqueToken } from '../protocol/opaque-token.ts';
import { addStatus, type TokenStatus } from '../protocol/token-status.ts';
import { type CheckDependencies, endReplayedGrant, findPresented, invalidGrant } from './check-refresh-token.ts';
import type { RefreshToken } from './refresh-token.ts';
import { buildRefreshTokenSecret, formatRefreshToken, parseRefreshToken } from './refresh-token-text.ts';
import type { Presenter, RepeatedBy } from './refresh-token-use.ts';

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

export interface RotateDependencies extends CheckDependencies {
  /** Derives a successor from its predecessor; the same on every replica. */
  successorKey: Buffer;
}

/**
 * Uses the token up and gives its successor: to every retry of its client the same, and with it the status that the
 * access token of the first was given.
 */
export async function rotateRefreshToken(
  deps: RotateDependencies,
  token: string,
  turn: RefreshTokenTurn,
): Promise<Rotation> {
  const { refreshTokens, refreshTokenUses, refreshTokenEnds, revocations } = deps;
  const { seen, status, presenter } = turn;
  const { secret } = parseRefreshToken(token) as { secret: string };
  const successor = buildRefreshTokenSecret(createHmac('sha256', deps.successorKey).update(secret).digest());
  const now = deps.clock();
  const endsAt = refreshTokenEnds.findEnd(seen);
  const { kept, dropped } = addStatus(seen.statuses, status, now);
  const isRotated = await refreshTokens.rotate(seen.id, {
    from: hashOpaqueToken(secret),
    to: hashOpaqueToken(successor),
    now,
    network: refreshTokenUses.hashNetwork(seen.id, presenter.address),
    endsAt,
    expiresAt: refreshTokenEnds.findExpiry(seen, endsAt, status),
    statuses: kept,
  });
  const rotation = { successor: formatRefreshToken({ id: seen.id, secret: successor }), status, repeatedBy: undefined };
  if (!isRotated) {
    const first = await findFirstUse(deps, token, turn);
    return { ...rotation, status: first.status ?? status, repeatedBy: first.by };
  }
  await revocations.revokeStatuses(dropped);
  return rotation;
}

/** What the use left behind that came before this one, a retry; throws, and ends the grant, where it is none. */
async function findFirstUse(deps: RotateDependencies, token: string, { seen, client, presenter }: RefreshTokenTurn) {
  const found = await findPresented(deps, token);
  if (found === undefined) throw invalidGrant('the grant ended, or expired, meanwhile');
  const use = deps.refreshTokenUses.judge(found.stored, found.secretHash, presenter);
  if (use.kind === 'replayed') return endReplayedGrant(deps, seen, use.why, client, presenter);
  if (use.kind === 'first') throw invalidGrant('another use came first, of which nothing is to be seen yet');
  return { status: found.stored.statuses.at(-1), by: use.by };
}
