import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { createGuessCounts } from './guess-counts.ts';
import { hashName, hashNetwork, hashPair, placeOf } from './guess-hashes.ts';
import type { KnownNetworks } from './known-networks.ts';
import { networkOf } from './network.ts';

/** Milliseconds during which a wrong guess counts against its network, and against its name wherever it comes from. */
const windowLength = 5 * 60_000;
const hour = 60 * 60_000;
/** Wrong guesses for one name from one network or browser; from one network; for one name from unknown networks. */
const limits = { name: 10, network: 100, everywhere: 100 } as const;

/** Milliseconds for which an attempt that nothing counted against is not asked about again, and how many of them. */
const clearFor = 750;
/** Milliseconds for which a refusal is repeated without a look. */
const refusedFor = 1_000;
const rememberedAttempts = 10_000;
/** Characters; what is longer is no name of a user or a client, and is asked about every time. */
const longestName = 600;

/** An attempt to prove to be `subject` (a username, a client_id), made from `address`. */
export interface Attempt {
  subject: string;
  address: string;
  /** The id of a browser in which this very subject signed in before: it has guesses of its own. */
  browser?: string | undefined;
}

/** A guess that is counted. */
export interface CountedAttempt {
  /** Whether the subject succeeded from this network, or in this browser, before. */
  isKnown: boolean;
  /** More wrong guesses for this name come from unknown networks than may be checked at once. */
  isSpread: boolean;
  /** The guess was right, or was not checked. */
  takeBack(): Promise<void>;
}

/**
 * Slows guessing. After 10 wrong guesses at one subject from one network, or 100 from one network, within 5 minutes,
 * further attempts from that network are refused unheard. The limit of 100 leaves out subjects that succeeded from that
 * network before. A guess is counted before it is checked, so that guesses at the same moment are no more than the limit.
 * Guesses from elsewhere never count against a network.
 */
export interface GuessLimit {
  /** Seconds to wait, where attempts like this one are refused at the moment. Counts nothing. */
  findRetryAfter(attempt: Attempt): Promise<number | undefined>;
  /** Counts a guess that is about to be checked; gives the seconds to wait where it is one too many. */
  count(attempt: Attempt): Promise<CountedAttempt | { retryAfter: number }>;
}

interface Dependencies {
  database: Database;
  clock: Clock;
  knownNetworks: Pick<KnownNetworks, 'isKnown'>;
  /**
   * Whether guesses for a name from unknown networks count together; true where left out. Where nothing limits them, as with
   * client secrets, they must not: their number has no bound, and each guess would count them all.
   */
  countsEverywhere?: boolean;
}

type Limit = { by: 'subject' | 'network'; hash: Buffer; most: number };

export function createGuessLimit(deps: Dependencies): GuessLimit {
  const { database, clock, knownNetworks, countsEverywhere = true } = deps;
  const counts = createGuessCounts({ database, clock });
  const clear = new LRUCache<string, true>({ max: rememberedAttempts, ttl: clearFor });
  /** Until when attempts are refused, in milliseconds. */
  const refused = new LRUCache<string, number>({ max: rememberedAttempts, ttl: refusedFor });
  let guessesSeen = 0;

  const isKnown = async ({ subject, address, browser }: Attempt) =>
    browser !== undefined || (await knownNetworks.isKnown(subject, networkOf(address)));
  /** The limit that an attempt breaks, if any; `counted`: whether it is counted itself. */
  const findBroken = async (attempt: Attempt, known: boolean, counted: boolean): Promise<Limit | undefined> => {
    const checked = await Promise.all(
      listLimits(attempt, known).map(async (limit) => ({
        limit,
        isBroken: (await counts.count(limit.by, limit.hash)) > limit.most - (counted ? 0 : 1),
      })),
    );
    return checked.find(({ isBroken }) => isBroken)?.limit;
  };
  /** What a guess that is counted breaks, and how many count for its name everywhere. */
  const look = (attempt: Attempt, known: boolean, countsName: boolean) =>
    Promise.all([
      findBroken(attempt, known, true),
      countsName ? counts.count('subject', hashName(attempt.subject)) : 0,
    ] as const);
  const findWait = async ({ by, hash, most }: Limit): Promise<number> => {
    const end = (await counts.findEnd(by, hash, most)) ?? 0;
    return Math.max(1, Math.ceil((end - clock()) / 1000));
  };
  const repeatRefusal = (name: string): number | undefined => {
    const wait = Math.ceil(((refused.get(name) ?? 0) - clock()) / 1000);
    return wait > 0 ? wait : undefined;
  };
  const refuse = async (attempt: Attempt, limit: Limit): Promise<number> => {
    const retryAfter = await findWait(limit);
    const name = limit.by === 'network' ? networkOf(attempt.address) : nameOf(attempt);
    if (name.length <= longestName) refused.set(name, clock() + retryAfter * 1000);
    return retryAfter;
  };

  return {
    async findRetryAfter(attempt) {
      const name = nameOf(attempt);
      if (clear.has(name)) return undefined;
      const seenBefore = guessesSeen;
      const broken = await findBroken(attempt, false, false);
      // Asked only where it matters: nearly nobody shares a network with somebody who guesses.
      const isExcused = broken?.by === 'network' && (await isKnown(attempt));
      if (broken !== undefined && !isExcused) return findWait(broken);
      // An answer from before a guess was counted must not be remembered after it.
      if (seenBefore === guessesSeen && name.length <= longestName) clear.set(name, true);
      return undefined;
    },
    async count(attempt) {
      const known = await isKnown(attempt);
      const repeated =
        repeatRefusal(nameOf(attempt)) ?? (known ? undefined : repeatRefusal(networkOf(attempt.address)));
      if (repeated !== undefined) return { retryAfter: repeated };
      const countsName = countsEverywhere && !known;
      const counted = await counts.add(listCounted(attempt, countsName));
      guessesSeen += 1;
      clear.clear();
      const [broken, everywhere] = await look(attempt, known, countsName).catch(async (error: unknown) => {
        // A guess that nobody looked at is not checked.
        await counted.takeBack();
        throw error;
      });
      if (broken === undefined) return { isKnown: known, isSpread: everywhere > limits.everywhere, ...counted };
      await counted.takeBack();
      return { retryAfter: await refuse(attempt, broken) };
    },
  };
}

function listLimits({ subject, address, browser }: Attempt, known: boolean): Limit[] {
  const network = networkOf(address);
  const ofName: Limit = { by: 'subject', hash: hashPair(subject, placeOf(network, browser)), most: limits.name };
  return known ? [ofName] : [ofName, { by: 'network', hash: hashNetwork(network), most: limits.network }];
}

/** What a guess counts against: the name here and the network for five minutes, and the name everywhere for an hour. */
function listCounted({ subject, address, browser }: Attempt, everywhere: boolean) {
  const network = networkOf(address);
  const name = hashName(subject);
  const here = { subject: hashPair(subject, placeOf(network, browser)), network: hashNetwork(network) };
  return [
    { ...here, lifetime: windowLength },
    ...(everywhere ? [{ subject: name, network: name, lifetime: hour }] : []),
  ];
}

function nameOf({ subject, address, browser }: Attempt): string {
  return `${subject}\0${placeOf(networkOf(address), browser)}`;
}
