import { createHash } from 'node:crypto';
import type { Clock, RequestContext } from '@gatehouse/service-kit';
import { type GuessCounts, networkOf } from '@gatehouse/service-kit/guess-limit';

/** Milliseconds during which a wrong code counts, and how many may count for a user and for a network. */
const windowLength = 5 * 60_000;
const limits = { subject: 10, network: 100 } as const;

/** A user code that is counted. `takeBack`: because it was right, or was not looked up. */
export interface CountedCode {
  takeBack(): Promise<void>;
}

/**
 * Counts the user codes that users type, before they are looked up: of several at the same moment no more are looked up than
 * the limit allows. RFC 8628 5.1: without a limit a short code can be guessed.
 */
export interface CodeGuesses {
  /** Gives the seconds to wait where the code is one too many. */
  count(userId: string, context: RequestContext): Promise<CountedCode | { retryAfter: number }>;
}

export function createCodeGuesses({ guessCounts, clock }: { guessCounts: GuessCounts; clock: Clock }): CodeGuesses {
  const findWait = async (by: 'subject' | 'network', hash: Buffer): Promise<number> => {
    const end = (await guessCounts.findEnd(by, hash, limits[by])) ?? 0;
    return Math.max(1, Math.ceil((end - clock()) / 1000));
  };
  const findBroken = async (hashes: { subject: Buffer; network: Buffer }) => {
    const [ofUser, ofNetwork] = await Promise.all([
      guessCounts.count('subject', hashes.subject),
      guessCounts.count('network', hashes.network),
    ]);
    if (ofUser > limits.subject) return 'subject';
    return ofNetwork > limits.network ? 'network' : undefined;
  };
  return {
    async count(userId, { address }) {
      const hashes = { subject: hash('user', userId), network: hash('network', networkOf(address)) };
      const counted = await guessCounts.add([{ lifetime: windowLength, ...hashes }]);
      const broken = await findBroken(hashes).catch(async (error: unknown) => {
        // The limits could not be read, so the code is not looked up.
        await counted.takeBack();
        throw error;
      });
      if (broken === undefined) return counted;
      await counted.takeBack();
      return { retryAfter: await findWait(broken, hashes[broken]) };
    },
  };
}

/** The words tell these counts from those of the secrets of clients, which stand in the same table. */
function hash(kind: 'user' | 'network', name: string): Buffer {
  return createHash('sha256').update(`user code of ${kind}\0${name}`).digest();
}
