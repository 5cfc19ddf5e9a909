import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { buildEntryLimit } from '../entry-limit.ts';
import { createGuessCounts } from './guess-counts.ts';
import { hashName, hashNetwork, hashPair, placeOf } from './guess-hashes.ts';
import type { KnownNetworks } from './known-networks.ts';
import { networkOf } from './network.ts';

/** Milliseconds during which a wrong guess counts against its network, and against its name wherever it comes from. */
const windowLength = 5 * 60_000;
const hour = 60 * 60_000;
/** Wrong guesses for one name from one network or browser; from one network; for one name from unknown networks. */
const limits = { name: 10, network: 100, everywhere: 100 } as const;

/** Milliseconds for which a limit that is not reached is not read again; and the most limits remembered so. */
const clearFor = 750;
/** Milliseconds for which a refusal is repeated without a read. */
const refusedFor = 1_000;
const rememberedLimits = 10_000;
/** Characters. A longer text is no name of a user or a client; it is not remembered and read each time. */
const longestName = 600;

/** An attempt to prove to be `subject` (a username, a client_id), made from `address`. */
export interface Attempt {
  subject: string;
  address: string;
  /** The id of a browser in which this subject signed in before. The browser has a limit of its own. */
  browser?: string | undefined;
  /** Secrets that are compared for this attempt, each of which is a guess; 1 if absent. */
  tries?: number;
}

/** A guess that is counted. */
export interface CountedAttempt {
  /** Whether the subject succeeded from this network, or in this browser, before. */
  isKnown: boolean;
  /** Whether so many guesses for this name come from unknown networks that they are slowed. */
  isSpread: boolean;
  /** Takes the count back, because the guess was right or was not checked. */
  takeBack(): Promise<void>;
}

/**
 * Slows guessing. After 10 wrong guesses at one subject from one network, or 100 from one network, within 5 minutes,
 * further attempts from that network are refused without a check. The limit of 100 leaves out subjects that succeeded from that
 * network before. A guess is counted before it is checked, so that guesses at the same moment are no more than the limit.
 * Guesses from elsewhere never count against a network.
 */
export interface GuessLimit {
  /** Seconds to wait where attempts like this one are refused now, else undefined. Counts nothing. */
  findRetryAfter(attempt: Attempt): Promise<number | undefined>;
  /** Counts a guess that is about to be checked; gives the seconds to wait where it is one too many. */
  count(attempt: Attempt): Promise<CountedAttempt | { retryAfter: number }>;
  /** Seconds to wait where a counted guess is one too many for its network, whatever succeeded there before; else undefined. */
  findWaitOfNetwork(attempt: Attempt): Promise<number | undefined>;
}

interface Dependencies {
  database: Database;
  clock: Clock;
  knownNetworks: Pick<KnownNetworks, 'isKnown'>;
  /**
   * Whether guesses for a name from unknown networks count together; true if absent. It must be false where nothing limits
   * them, as with client secrets: their number has no bound, and each guess would count all of them.
   */
  countsEverywhere?: boolean;
}

interface Limit {
  by: 'subject' | 'network';
  /** The name at its place, or the network. */
  name: string;
  hash: Buffer;
  most: number;
}

export function createGuessLimit(deps: Dependencies): GuessLimit {
  const { database, clock, knownNetworks, countsEverywhere = true } = deps;
  const counts = createGuessCounts({ database, clock });
  /** Limits that are not reached, by name. */
  const clear = new LRUCache<string, true>({ ttl: clearFor, ...buildEntryLimit(rememberedLimits) });
  /** Networks from which fewer guesses count than any limit allows, so that no name can have reached its limit there. */
  const quiet = new LRUCache<string, true>({ ttl: clearFor, ...buildEntryLimit(rememberedLimits) });
  /** The milliseconds until which a limit refuses, by name. */
  const refused = new LRUCache<string, number>({ ttl: refusedFor, ...buildEntryLimit(rememberedLimits) });
  let guessesSeen = 0;

  const isKnown = async ({ subject, address, browser }: Attempt) =>
    browser !== undefined || (await knownNetworks.isKnown(subject, networkOf(address)));
  /** Finds the limit that an attempt breaks. `counted` says whether the rows include this attempt. */
  const findBroken = async (limits: readonly Limit[], counted: boolean): Promise<Limit | undefined> => {
    const numbers = await Promise.all(limits.map(({ by, hash }) => counts.count(by, hash)));
    return limits.find(({ most }, index) => (numbers[index] as number) > most - (counted ? 0 : 1));
  };
  /** Finds the limit that a counted guess breaks, and how many guesses count for its name everywhere. */
  const look = (attempt: Attempt, known: boolean, countsName: boolean) =>
    Promise.all([
      findBroken(listLimits(attempt, known), true),
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
  const refuse = async (limit: Limit): Promise<number> => {
    const retryAfter = await findWait(limit);
    if (limit.name.length <= longestName) refused.set(limit.name, clock() + retryAfter * 1000);
    return retryAfter;
  };
  const rememberClear = (limits: readonly Limit[], broken: Limit | undefined) => {
    for (const { name } of limits) {
      if (name !== broken?.name && name.length <= longestName) clear.set(name, true);
    }
  };

  /** Reads one count for all names of a network, where that can answer for the attempt. */
  const isQuiet = async ({ address, browser }: Attempt): Promise<boolean> => {
    const network = networkOf(address);
    if (browser !== undefined || clear.has(network)) return false;
    const seenBefore = guessesSeen;
    if ((await counts.count('network', hashNetwork(network))) >= limits.name) return false;
    if (seenBefore === guessesSeen && network.length <= longestName) quiet.set(network, true);
    return true;
  };
  // Guesses in a browser count for it from every network.
  const isKnownClear = (attempt: Attempt): boolean => {
    const network = networkOf(attempt.address);
    if (attempt.browser === undefined && quiet.has(network)) return true;
    return clear.has(network) && clear.has(nameAt(attempt, network));
  };

  return {
    async findRetryAfter(attempt) {
      if (isKnownClear(attempt) || (await isQuiet(attempt))) return undefined;
      const unclear = listLimits(attempt, false).filter(({ name }) => !clear.has(name));
      const seenBefore = guessesSeen;
      const broken = await findBroken(unclear, false);
      // A result from before another guess was counted must not be remembered.
      if (seenBefore === guessesSeen) rememberClear(unclear, broken);
      // Read only where it matters, which is rare: few subjects share a network with a guesser.
      const isExcused = broken?.by === 'network' && (await isKnown(attempt));
      return broken === undefined || isExcused ? undefined : findWait(broken);
    },
    async count(attempt) {
      const known = await isKnown(attempt);
      const network = networkOf(attempt.address);
      const repeated = repeatRefusal(nameAt(attempt, network)) ?? (known ? undefined : repeatRefusal(network));
      if (repeated !== undefined) return { retryAfter: repeated };
      const countsName = countsEverywhere && !known;
      const guesses = listCounted(attempt, countsName);
      const counted = await counts.add(Array.from({ length: attempt.tries ?? 1 }, () => guesses).flat());
      guessesSeen += 1;
      clear.clear();
      quiet.clear();
      const [broken, everywhere] = await look(attempt, known, countsName).catch(async (error: unknown) => {
        // The limits could not be read, so the guess is not checked.
        await counted.takeBack();
        throw error;
      });
      if (broken === undefined) return { isKnown: known, isSpread: everywhere > limits.everywhere, ...counted };
      await counted.takeBack();
      return { retryAfter: await refuse(broken) };
    },
    async findWaitOfNetwork(attempt) {
      const broken = await findBroken([limitOfNetwork(attempt)], true);
      return broken && findWait(broken);
    },
  };
}

function listLimits(attempt: Attempt, known: boolean): Limit[] {
  const { subject, address, browser } = attempt;
  const network = networkOf(address);
  const hash = hashPair(subject, placeOf(network, browser));
  const ofName: Limit = { by: 'subject', name: nameAt(attempt, network), hash, most: limits.name };
  return known ? [ofName] : [ofName, limitOfNetwork(attempt)];
}

function limitOfNetwork({ address }: Attempt): Limit {
  const network = networkOf(address);
  return { by: 'network', name: network, hash: hashNetwork(network), most: limits.network };
}

/** Lists the counts of a guess: the name here and the network for five minutes, the name everywhere for an hour. */
function listCounted({ subject, address, browser }: Attempt, everywhere: boolean) {
  const network = networkOf(address);
  const name = hashName(subject);
  const here = { subject: hashPair(subject, placeOf(network, browser)), network: hashNetwork(network) };
  return [
    { ...here, lifetime: windowLength },
    ...(everywhere ? [{ subject: name, network: name, lifetime: hour }] : []),
  ];
}

/** The NUL makes it differ from every network. */
function nameAt({ subject, browser }: Attempt, network: string): string {
  return `${subject}\0${placeOf(network, browser)}`;
}
