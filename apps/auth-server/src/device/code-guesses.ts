import { createHash } from 'node:crypto';
import type { Clock, RequestContext } from '@gatehouse/service-kit';
import { findNetworkAround, type GuessCounts, networkOf } from '@gatehouse/service-kit/guess-limit';

/** Milliseconds during which a wrong code counts, and how many may count for a user, for a network and for the /48 around it. */
const windowLength = 5 * 60_000;
const limits = { user: 10, network: 100, wide: 1_000 } as const;

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
  const findWait = async ({ by, hash, limit }: Limit): Promise<number> => {
    const end = (await guessCounts.findEnd(by, hash, limit)) ?? 0;
    return Math.max(1, Math.ceil((end - clock()) / 1000));
  };
  const findBroken = async (all: readonly Limit[]): Promise<Limit | undefined> => {
    const counts = await Promise.all(all.map(({ by, hash }) => guessCounts.count(by, hash)));
    return all.find(({ limit }, index) => (counts[index] ?? 0) > limit);
  };
  return {
    async count(userId, { address }) {
      const all = listLimits(userId, networkOf(address));
      const [ofUser, ...ofNetworks] = all;
      // The /48 stands in the place of a user too, and counts for nobody there.
      const guesses = ofNetworks.map(({ hash: network }, index) => ({
        lifetime: windowLength,
        subject: index === 0 ? ofUser.hash : network,
        network,
      }));
      const counted = await guessCounts.add(guesses);
      const broken = await findBroken(all).catch(async (error: unknown) => {
        // The limits could not be read, so the code is not looked up.
        await counted.takeBack();
        throw error;
      });
      if (broken === undefined) return counted;
      await counted.takeBack();
      return { retryAfter: await findWait(broken) };
    },
  };
}

/** How many guesses may count by a hash. */
interface Limit {
  by: 'subject' | 'network';
  hash: Buffer;
  limit: number;
}

function listLimits(userId: string, network: string): readonly [Limit, ...Limit[]] {
  const ofUser: Limit = { by: 'subject', hash: hash('user', userId), limit: limits.user };
  const ofNetwork: Limit = { by: 'network', hash: hash('network', network), limit: limits.network };
  const around = findNetworkAround(network);
  if (around === undefined) return [ofUser, ofNetwork];
  return [ofUser, ofNetwork, { by: 'network', hash: hash('network', around), limit: limits.wide }];
}

/** The words tell these counts from those of the secrets of clients, which stand in the same table. */
function hash(kind: 'user' | 'network', name: string): Buffer {
  return createHash('sha256').update(`user code of ${kind}\0${name}`).digest();
}
