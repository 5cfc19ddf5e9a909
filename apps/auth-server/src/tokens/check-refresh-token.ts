import type { Clock } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import { type Client, isEnded } from '../clients/client.ts';
import type { Tell } from '../events/event.ts';
import { hashOpaqueToken } from '../protocol/opaque-token.ts';
import { endReplayed } from './end-replayed.ts';
import type { RefreshToken } from './refresh-token.ts';
import type { RefreshTokenEnds } from './refresh-token-end.ts';
import type { RefreshTokenStore } from './refresh-token-store.ts';
import { parseRefreshToken } from './refresh-token-text.ts';
import type { Presenter, RefreshTokenUses, ReplayFault } from './refresh-token-use.ts';
import type { Revocations } from './revocations.ts';

/** A token that somebody presents, and the row that it names, whether or not the token is the current one. */
interface PresentedRefreshToken {
  stored: RefreshToken;
  secretHash: Buffer;
}

interface FindDependencies {
  refreshTokens: RefreshTokenStore;
  refreshTokenEnds: RefreshTokenEnds;
  clock: Clock;
}

export interface CheckDependencies extends FindDependencies {
  revocations: Revocations;
  refreshTokenUses: RefreshTokenUses;
  tell: Tell;
}

/** Undefined where the token names no row, or one that has ended. */
export async function findPresented(
  { refreshTokens, refreshTokenEnds, clock }: FindDependencies,
  token: string,
): Promise<PresentedRefreshToken | undefined> {
  const parts = parseRefreshToken(token);
  const row = parts === undefined ? undefined : await refreshTokens.find(parts.id);
  if (parts === undefined || row === undefined) return undefined;
  const end = refreshTokenEnds.findEnd(row);
  const stored = row.expiresAt <= end ? row : { ...row, expiresAt: end };
  return stored.expiresAt > clock() ? { stored, secretHash: hashOpaqueToken(parts.secret) } : undefined;
}

/** Throws `invalid_grant`; a token that was used before ends its whole grant, unless its client may ask once more. */
export async function checkRefreshToken(
  deps: CheckDependencies,
  token: string,
  client: Client,
  presenter: Presenter,
): Promise<RefreshToken> {
  const found = await findPresented(deps, token);
  if (found === undefined) throw invalidGrant('no such refresh token, or expired');
  const { stored, secretHash } = found;
  if (stored.registrationId !== client.registrationId) throw invalidGrant('issued to another client');
  if (isEnded(client, stored)) throw invalidGrant('issued before the client had its profile');
  const use = deps.refreshTokenUses.judge(stored, secretHash, presenter);
  return use.kind === 'replayed' ? endReplayedGrant(deps, stored, use.why, client, presenter) : stored;
}

/** RFC 9700 4.14.2: a token that came back, and not from its client, ends its grant. */
export async function endReplayedGrant(
  { revocations, tell }: Pick<CheckDependencies, 'revocations' | 'tell'>,
  { grantId, userId }: RefreshToken,
  why: ReplayFault,
  client: Client,
  { requestId, address }: Presenter,
): Promise<never> {
  const reason = 'refresh_token_replayed';
  await endReplayed({ revocations, tell }, { reason, why, client, userId, grantId, context: { requestId, address } });
  throw invalidGrant(`a refresh token that was used before came back (${why}): its grant is ended`);
}

export function invalidGrant(reason: string): OAuthError {
  const description = 'the refresh token is not valid, expired or was used before; sign in again';
  return new OAuthError('invalid_grant', description, { reason });
}
