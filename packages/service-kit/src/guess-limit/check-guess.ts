import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { OverloadedError } from '../slow-hash.ts';
import type { Turn } from '../turn.ts';
import type { UsedIdentifiers } from '../used-identifiers/used-identifiers.ts';
import { hashPair, placeOf } from './guess-hashes.ts';
import type { Attempt, CountedAttempt, GuessLimit } from './guess-limit.ts';
import type { KnownNetworks } from './known-networks.ts';
import { networkOf, wideNetworkOf } from './network.ts';

/** An attempt, and the secret that is to prove it. */
export interface Guess extends Attempt {
  /** Guesses of one attempt with the same `secret` share one answer. So it must hold everything that the answer depends on. */
  secret: string;
}

/** `disabled` means that the secret is right but the user is disabled. It counts as a wrong guess. */
export type GuessOutcome = 'right' | 'wrong' | 'disabled';

export type CheckedGuess =
  | { outcome: 'right' }
  | { outcome: 'wrong' }
  | { outcome: 'disabled' }
  /** `retryAfter` in seconds. */
  | { outcome: 'limited'; retryAfter: number };

/**
 * Counts a guess, checks whether it is one too many, and only then lets `verify` hash it, in the turn of its caller. The
 * same guess at the same moment is one guess with one answer. Throws an {@link OverloadedError} where the queue is full.
 */
export type CheckGuess = (guess: Guess, verify: (turn: Turn) => Promise<GuessOutcome>) => Promise<CheckedGuess>;

interface Dependencies {
  guessLimit: GuessLimit;
  knownNetworks: KnownNetworks;
  /** Lets one guess in five seconds be checked for a name that is guessed from many networks. If absent, there is no such limit. */
  turns?: UsedIdentifiers;
  clock: Clock;
}

/** Milliseconds. For a name that is guessed too often, one guess from unknown networks is checked in each such span. */
const slowTurn = 5_000;

export function createCheckGuess({ guessLimit, knownNetworks, turns, clock }: Dependencies): CheckGuess {
  const processKey = randomBytes(32);
  const underWay = new Map<string, Promise<CheckedGuess>>();
  const fingerprint = ({ subject, address, browser = '', secret }: Guess) =>
    createHmac('sha256', processKey)
      .update(JSON.stringify([subject, networkOf(address), browser, secret]))
      .digest('base64');

  /** Takes the turn of this span; throws where another guess has it. */
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
      // A guess that was not checked does not count.
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
