import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Database } from '@gatehouse/service-kit/database';
import { networkOf } from '@gatehouse/service-kit/guess-limit';
import type { RefreshToken } from './refresh-token.ts';

/** Milliseconds within which a used token may come back: from the network that used it, or with a proof of its key. */
const networkGrace = 3_000;
const proofGrace = 10_000;

/** The sender of a refresh token, as far as it tells the client from a thief. */
export interface Presenter {
  requestId: string;
  address: string;
  /** Thumbprint of the key that a DPoP proof was made with. */
  dpopJkt: string | undefined;
  /** Milliseconds. A database that loses a server answers seconds later, which makes no retry late. */
  presentedAt: number;
}

/**
 * The sign that a used token came back from its client: the network that used it, or the key it is bound to. `age`
 * alone counts where the release before used it, which kept no network.
 */
export type RepeatedBy = 'network' | 'proof' | 'age';

/** Why a used token that came back ends its grant. `not_the_last`: it was replaced more than once, or is a guess. */
export type ReplayFault = 'not_the_last' | 'too_late' | 'other_network' | 'no_proof';

export type RefreshTokenUse =
  | { kind: 'first' }
  | { kind: 'repeated'; by: RepeatedBy }
  | { kind: 'replayed'; why: ReplayFault };

/** Tells the first use of a refresh token from a retry of its client, and both from a replay. */
export interface RefreshTokenUses {
  /** Stands for the network of a use in the database: in this row alone, so that no two rows can be compared. */
  hashNetwork(id: string, address: string): Buffer;
  judge(stored: RefreshToken, secretHash: Buffer, presenter: Presenter): RefreshTokenUse;
}

interface Dependencies {
  /** The same on every replica. */
  networkKey: Buffer;
  database: Pick<Database, 'timeOutOfReach'>;
}

/**
 * A client whose use was stored, but not answered because the database went away, can only ask once more when it is
 * back: the time in between makes no retry late.
 */
export function createRefreshTokenUses({ networkKey, database }: Dependencies): RefreshTokenUses {
  const hashNetwork = (id: string, address: string) =>
    createHmac('sha256', networkKey)
      .update(`${id} ${networkOf(address)}`)
      .digest();

  const findSign = ({ id, rotatedFrom }: RefreshToken, { address }: Presenter): RepeatedBy | undefined => {
    if (rotatedFrom === undefined) return 'age';
    return timingSafeEqual(rotatedFrom, hashNetwork(id, address)) ? 'network' : undefined;
  };

  const judgeUsed = (stored: RefreshToken, presenter: Presenter, age: number): RefreshTokenUse => {
    const { dpopJkt } = stored;
    const hasProof = dpopJkt !== undefined && presenter.dpopJkt === dpopJkt;
    if (hasProof && age <= proofGrace) return { kind: 'repeated', by: 'proof' };
    const by = age <= networkGrace ? findSign(stored, presenter) : undefined;
    if (by !== undefined) return { kind: 'repeated', by };
    if (age > (dpopJkt === undefined ? networkGrace : proofGrace)) return { kind: 'replayed', why: 'too_late' };
    return { kind: 'replayed', why: dpopJkt === undefined ? 'other_network' : 'no_proof' };
  };

  return {
    hashNetwork,
    judge(stored, secretHash, presenter) {
      if (timingSafeEqual(stored.secretHash, secretHash)) return { kind: 'first' };
      const { previousSecretHash, rotatedAt } = stored;
      const isLast = previousSecretHash !== undefined && timingSafeEqual(previousSecretHash, secretHash);
      if (!isLast || rotatedAt === undefined) return { kind: 'replayed', why: 'not_the_last' };
      const { presentedAt } = presenter;
      const age = presentedAt - rotatedAt - database.timeOutOfReach(rotatedAt, presentedAt);
      return judgeUsed(stored, presenter, age);
    },
  };
}
