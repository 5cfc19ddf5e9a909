import { createHmac, randomBytes } from 'node:crypto';
import { type Clock, createId } from '@gatehouse/service-kit';
import { type DirectoryUser, OAuthError } from '@gatehouse/shared';
import { type Client, isEnded } from '../clients/client.ts';
import { hashOpaqueToken } from '../protocol/opaque-token.ts';
import { addStatus, findOutdated, type TokenStatus } from '../protocol/token-status.ts';
import type { RefreshToken, RefreshTokenGrant } from './refresh-token.ts';
import type { RefreshTokenEnds } from './refresh-token-end.ts';
import type { RefreshTokenStore } from './refresh-token-store.ts';
import { buildRefreshTokenSecret, formatRefreshToken, parseRefreshToken } from './refresh-token-text.ts';
import type { Presenter, RefreshTokenUses, RepeatedBy, ReplayFault } from './refresh-token-use.ts';
import type { Revocations } from './revocations.ts';

/** A token that a request presents: the row that it names, and its secret, which is the row's current one or not. */
export interface PresentedRefreshToken extends RefreshToken {
  secret: string;
  presentedHash: Buffer;
}

/** A use of a token that `check` accepted. */
export interface CheckedUse {
  seen: PresentedRefreshToken;
  /** Of the access token that the use gives. */
  status: TokenStatus;
  client: Client;
  presenter: Presenter;
}

export interface Rotation {
  successor: string;
  status: TokenStatus;
  /** The sign that a retry comes from the client; undefined for the first use. */
  repeatedBy: RepeatedBy | undefined;
}

interface Dependencies {
  refreshTokens: RefreshTokenStore;
  refreshTokenUses: RefreshTokenUses;
  refreshTokenEnds: RefreshTokenEnds;
  revocations: Revocations;
  /** Derives a successor from its predecessor; the same on every replica. */
  successorKey: Buffer;
  clock: Clock;
}

/** A user, as far as it decides which grants go on. */
type Holder = Pick<DirectoryUser, 'id' | 'passwordChangedAt'>;

export type RefreshTokens = ReturnType<typeof createRefreshTokens>;

/** Refresh tokens (RFC 6749 6): issued, found, checked and used. A used one that comes back ends its grant (RFC 9700 4.14.2). */
export function createRefreshTokens(deps: Dependencies) {
  const {
    refreshTokens: store,
    refreshTokenUses: uses,
    refreshTokenEnds: ends,
    revocations,
    successorKey,
    clock,
  } = deps;

  const withEnd = (row: RefreshToken): RefreshToken => {
    const end = ends.findEnd(row);
    return row.expiresAt <= end ? row : { ...row, expiresAt: end };
  };
  /** Undefined where there is no such row, or it has ended. */
  const findRow = async (id: string): Promise<RefreshToken | undefined> => {
    const row = await store.find(id);
    const stored = row && withEnd(row);
    return stored !== undefined && stored.expiresAt > clock() ? stored : undefined;
  };
  const isLive = async (row: RefreshToken, { passwordChangedAt }: Holder): Promise<boolean> => {
    const now = clock();
    if (row.passwordChangedAt !== passwordChangedAt || withEnd(row).expiresAt <= now) return false;
    return row.sessionId === undefined || store.isSessionAlive(row.sessionId, now);
  };
  const findPresented = async (token: string): Promise<PresentedRefreshToken | undefined> => {
    const parts = parseRefreshToken(token);
    const row = parts && (await findRow(parts.id));
    // The row was read for this token alone. A copy of so many members costs as much as a hash.
    return row && Object.assign(row, { secret: parts.secret, presentedHash: hashOpaqueToken(parts.secret) });
  };

  const endReplayed = async (stored: RefreshToken, why: ReplayFault, client: Client, presenter: Presenter) => {
    const { grantId, userId } = stored;
    const { requestId, address } = presenter;
    const context = { requestId, address };
    await revocations.endReplayed({ reason: 'refresh_token_replayed', why, client, userId, grantId, context });
    throw invalidGrant(`a refresh token that was used before came back (${why}): its grant is ended`);
  };

  /** Gives what the use before this one left, which this one repeats. Throws, and ends the grant, where it is no retry. */
  const findFirstUse = async ({ seen, client, presenter }: CheckedUse) => {
    const stored = await findRow(seen.id);
    if (stored === undefined) throw invalidGrant('the grant ended, or expired, meanwhile');
    const use = uses.judge(stored, seen.presentedHash, presenter);
    if (use.kind === 'replayed') return endReplayed(seen, use.why, client, presenter);
    if (use.kind === 'first') throw invalidGrant('another use came first, and its row cannot be read yet');
    return { status: stored.statuses.at(-1), by: use.by };
  };

  /**
   * Uses the token up and gives its successor. Every retry of its client gets the same successor, and the status of the first
   * access token.
   */
  const rotate = async (use: CheckedUse): Promise<Rotation> => {
    const { seen, status, presenter } = use;
    const secret = buildRefreshTokenSecret(createHmac('sha256', successorKey).update(seen.secret).digest());
    const endsAt = ends.findEnd(seen);
    const now = clock();
    const { kept, dropped } = addStatus(seen.statuses, status, now);
    const isRotated = await store.rotate(seen.id, {
      from: seen.presentedHash,
      to: hashOpaqueToken(secret),
      now,
      network: uses.hashNetwork(seen.id, presenter.address),
      endsAt,
      expiresAt: ends.findExpiry(seen, endsAt, status),
      statuses: kept,
    });
    const successor = formatRefreshToken({ id: seen.id, secret });
    if (!isRotated) {
      const first = await findFirstUse(use);
      return { successor, status: first.status ?? status, repeatedBy: first.by };
    }
    await revocations.revokeStatuses(dropped);
    return { successor, status, repeatedBy: undefined };
  };

  return {
    /** `status`: of the access token that goes with it. */
    async issue(grant: RefreshTokenGrant, status: TokenStatus): Promise<string> {
      const id = createId();
      const secret = buildRefreshTokenSecret(randomBytes(32));
      const endsAt = ends.findEnd(grant);
      await store.insert({
        id,
        secretHash: hashOpaqueToken(secret),
        previousSecretHash: undefined,
        rotatedAt: undefined,
        rotatedFrom: undefined,
        statuses: [status],
        endsAt,
        expiresAt: ends.findExpiry(grant, endsAt, status),
        ...grant,
      });
      return formatRefreshToken({ id, secret });
    },

    /** The grant of a token, which is not used by this; undefined where the token has none, or was used before. */
    async find(token: string): Promise<RefreshToken | undefined> {
      const found = await findPresented(token);
      return found?.presentedHash.equals(found.secretHash) ? found : undefined;
    },
    /** The same, also for a token that was used before. */
    findEvenIfUsed: (token: string): Promise<RefreshToken | undefined> => findPresented(token),
    /** The refresh token of a grant, also an expired one; undefined where the grant came with none. */
    findByGrant: store.findByGrant,
    /** The grants of a user that go on with a refresh token now. */
    async listLive(user: Holder): Promise<RefreshToken[]> {
      const rows = (await store.listLiveOf(user.id, clock())).map(withEnd);
      const alive = await Promise.all(rows.map((row) => isLive(row, user)));
      return rows.filter((_row, index) => alive[index]);
    },
    /** A page of the grants of a client, in the order of their tokens' ids. Some may not go on any more. */
    async listOfClient(registrationId: string, page: { after: string | undefined; limit: number }) {
      return (await store.listLiveOfClient(registrationId, { ...page, now: clock() })).map(withEnd);
    },
    /** Whether a grant of this user goes on. */
    isLive,
    /** Whether the session in which offline access began lives. */
    isSessionAlive: store.isSessionAlive,

    /** Throws `invalid_grant`; a token that was used before ends its whole grant, unless its client may ask once more. */
    async check(token: string, client: Client, presenter: Presenter): Promise<PresentedRefreshToken> {
      const found = await findPresented(token);
      if (found === undefined) throw invalidGrant('no such refresh token, or expired');
      if (found.registrationId !== client.registrationId) throw invalidGrant('issued to another client');
      if (isEnded(client, found)) throw invalidGrant('issued before the client had its profile');
      const use = uses.judge(found, found.presentedHash, presenter);
      return use.kind === 'replayed' ? endReplayed(found, use.why, client, presenter) : found;
    },

    rotate,

    /**
     * Uses a token that stays the same (FAPI 2.0 Security Profile 5.3.2.1, 9): its client proves a key at each use. Each of
     * several uses at the same moment has a status of its own.
     */
    async keep(use: CheckedUse): Promise<Rotation> {
      const { seen, status } = use;
      const now = clock();
      const endsAt = ends.findEnd(seen);
      const { outdated, dropped } = findOutdated(seen.statuses, now);
      const expiresAt = ends.findExpiry(seen, endsAt, status);
      // The client may have had rotating tokens a moment ago: this one was replaced then, or it has ended.
      if (!(await store.stay(seen.id, { secretHash: seen.presentedHash, now, endsAt, expiresAt, status, outdated })))
        return rotate(use);
      await revocations.revokeStatuses(dropped);
      return { successor: formatRefreshToken(seen), status, repeatedBy: undefined };
    },
  };
}

function invalidGrant(reason: string): OAuthError {
  const description = 'the refresh token is not valid, expired or was used before; sign in again';
  return new OAuthError('invalid_grant', description, { reason });
}
