import { createHmac, randomBytes } from 'node:crypto';
import type { OverloadedError } from '../slow-hash.ts';
import type { Turn } from '../turn.ts';
import type { createDrawnTurns } from './drawn-turns.ts';
import { hashName } from './guess-hashes.ts';
import type { Attempt, CountedAttempt, GuessLimit } from './guess-limit.ts';
import type { KnownNetworks } from './known-networks.ts';
import { networkOf, wideNetworkOf } from './network.ts';

/** An attempt, and the secret that is to prove it. */
export interface Guess extends Attempt {
  /** Guesses of one attempt with the same `secret` share one answer. So it must hold everything that the answer depends on. */
  secret: string;
}

/**
 * `disabled` means that the secret is right but the user is disabled. It counts as a wrong guess. `unfinished` means that it is
 * right and another proof must follow: it is no wrong guess, and its network does not become known by it.
 */
export type GuessOutcome = 'right' | 'wrong' | 'disabled' | 'unfinished';

export type CheckedGuess =
  | { outcome: 'right' }
  | { outcome: 'wrong' }
  | { outcome: 'disabled' }
  | { outcome: 'unfinished' }
  /** `retryAfter` in seconds. */
  | { outcome: 'limited'; retryAfter: number };

/**
 * Counts a guess, checks whether it is one too many, and only then lets `verify` hash it, in the turn of its caller. The
 * same guess at the same moment is one guess with one answer. Throws an {@link OverloadedError} where the queue is full.
 */
export type CheckGuess = (guess: Guess, verify: (turn: Turn) => Promise<GuessOutcome>) => Promise<CheckedGuess>;

interface Dependencies {
  guessLimit: GuessLimit;
  knownNetworks: Pick<KnownNetworks, 'isKnown' | 'remember'>;
  /** Lets one guess in five seconds be checked for a name that is guessed from many networks. If absent, there is no such limit. */
  drawnTurns?: ReturnType<typeof createDrawnTurns>;
}

export function createCheckGuess({ guessLimit, knownNetworks, drawnTurns }: Dependencies): CheckGuess {
  const processKey = randomBytes(32);
  const underWay = new Map<string, Promise<CheckedGuess>>();
  const fingerprint = ({ subject, address, browser = '', secret }: Guess) =>
    createHmac('sha256', processKey)
      .update(JSON.stringify([subject, networkOf(address), browser, secret]))
      .digest('base64');

  const check = async (guess: Guess, counted: CountedAttempt, verify: (turn: Turn) => Promise<GuessOutcome>) => {
    try {
      if (counted.isSpread) await drawnTurns?.take(guess.subject, wideNetworkOf(networkOf(guess.address)));
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
      return { outcome };
    }
    if (outcome === 'unfinished') {
      await counted.takeBack();
      return { outcome };
    }
    // A network over its limit gets the same answer for every wrong guess, so it does not learn who succeeded there before.
    const retryAfter = counted.isKnown ? await guessLimit.findWaitOfNetwork(guess) : undefined;
    return retryAfter === undefined ? { outcome } : { outcome: 'limited', retryAfter };
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

function buildTurn({ subject, address }: Guess, isKnown: boolean): Turn {
  const network = networkOf(address);
  const known = isKnown ? hashName(subject).toString('base64') : undefined;
  return { kind: 'check', known, network, wideNetwork: wideNetworkOf(network) };
}
