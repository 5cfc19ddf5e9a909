import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { OverloadedError } from '../slow-hash.ts';
import type { Turn } from '../turn.ts';
import type { UsedIdentifiers } from '../used-identifiers/used-identifiers.ts';
import { hashPair, placeOf } from './guess-hashes.ts';
import type { Attempt, CountedAttempt, GuessLimit } from './guess-limit.ts';
import type { KnownNetworks } from './known-networks.ts';
import { networkOf, wideNetworkOf } from './network.ts';

/** An attempt with what is to prove it. */
export interface Guess extends Attempt {
  /** Guesses that have this in common as well get one answer: it has to name everything that the answer depends on. */
  secret: string;
}

/** `disabled`: the secret is right, and counts as a wrong one: most callers answer it as one. */
export type GuessOutcome = 'right' | 'wrong' | 'disabled';

export type CheckedGuess =
  | { outcome: 'right' }
  | { outcome: 'wrong' }
  | { outcome: 'disabled' }
  /** `retryAfter` in seconds. */
  | { outcome: 'limited'; retryAfter: number };

/**
 * Counts a guess, looks whether it is one too many, and only then lets `verify` hash it, in the turn of who guesses. The
 * same guess at the same moment is one guess with one answer. Throws an {@link OverloadedError} where there is no room for a hash.
 */
export type CheckGuess = (guess: Guess, verify: (turn: Turn) => Promise<GuessOutcome>) => Promise<CheckedGuess>;

interface Dependencies {
  guessLimit: GuessLimit;
  knownNetworks: KnownNetworks;
  /** Lets one guess in every five seconds be checked, for a name that is guessed from many networks; left out: no such limit. */
  turns?: UsedIdentifiers;
  clock: Clock;
}

/** Milliseconds: of the guesses from unknown networks for a name that is guessed too often, one in each is checked. */
const slowTurn = 5_000;

export function createCheckGuess({ guessLimit, knownNetworks, turns, clock }: Dependencies): CheckGuess {
  const processKey = randomBytes(32);
  const underWay = new Map<string, Promise<CheckedGuess>>();
  const fingerprint = ({ subject, address, browser = '', secret }: Guess) =>
    createHmac('sha256', processKey)
      .update(JSON.stringify([subject, networkOf(address), browser, secret]))
      .digest('base64');

  /** Throws where another guess has this turn. */
  const takeSlowTurn = async (subject: string): Promise<void> => {
    const slot = Math.floor(clock() / slowTurn);
    const end = (slot + 1) * slowTurn;
    const identifier = createHash('sha256').update(`guess\0${slot}\0${subject}`).digest();
    if (turns === undefined || (await turns.use(identifier, end + slowTurn))) return;
    throw new OverloadedError(Math.ceil((end - clock()) / 1000));
  };
  const check = async (guess: Guess, counted: CountedAttempt, verify: (turn: Turn) => Promise<GuessOutcome>) => {
    try {
      if (counted.isSpread) await takeSlowTurn(guess.subject);
      return await verify(buildTurn(guess, counted.isKnown));
    } catch (error) {
      // What was not checked is no guess.
      await counted.takeBack();
      throw error;
    }
  };
  const countAndCheck: CheckGuess = async (guess, verify) => {
    const counted = await guessLimit.count(guess);
    if ('retryAfter' in counted) return { outcome: 'limited', retryAfter: counted.retryAfter };
    const outcome = await check(guess, counted, verify);
    if (outcome === 'right') {
      await Promise.all([counted.takeBack(), knownNetworks.remember(guess.subject, networkOf(guess.address))]);
    }
    return { outcome };
  };

  return (guess, verify) => {
    const key = fingerprint(guess);
    const running = underWay.get(key);
    if (running !== undefined) return running;
    const started = countAndCheck(guess, verify).finally(() => underWay.delete(key));
    underWay.set(key, started);
    return started;
  };
}

function buildTurn({ subject, address, browser }: Guess, isKnown: boolean): Turn {
  const network = networkOf(address);
  const pair = hashPair(subject, placeOf(network, browser)).toString('base64');
  return { known: isKnown ? pair : undefined, network, wideNetwork: wideNetworkOf(network) };
}
