import { hash } from 'node:crypto';
import type { Clock } from '@gatehouse/service-kit';
import type { GuessCounts } from '@gatehouse/service-kit/guess-limit';
import type { CodeKind } from '@gatehouse/shared';

/** Milliseconds for which a wrong code counts, and how many may: in a browser where the user signed in before, and elsewhere. */
const spans = [
  { name: 'five minutes', lifetime: 5 * 60_000, most: { known: 10, unknown: 5 } },
  { name: 'day', lifetime: 86_400_000, most: { known: 50, unknown: 20 } },
];

/** A code that is about to be checked. */
export interface CodeGuess {
  userId: string;
  /** A change of the password sets the counts to zero. */
  passwordChangedAt: number;
  /** The id of a browser in which the user signed in before: it has counts of its own. */
  browser: string | undefined;
  /** Recovery codes have counts of their own. */
  kind: CodeKind;
}

/** A code that is counted. `ofDay`: how many of its kind were wrong in a day, with this one. */
interface CountedCode {
  ofDay: number;
  takeBack(): Promise<void>;
}

export type CodeGuesses = ReturnType<typeof createCodeGuesses>;

/** Counts the codes of a user before they are checked: of several at the same moment no more are checked than the limit allows. */
export function createCodeGuesses({ guessCounts, clock }: { guessCounts: GuessCounts; clock: Clock }) {
  return {
    /** Gives the seconds to wait where the code is one too many. `takeBack`: the code was right, or was not checked. */
    async count(guess: CodeGuess): Promise<CountedCode | { retryAfter: number }> {
      const limits = listLimits(guess);
      // Nothing is counted by network: the place of the network holds the hash of the user too.
      const counted = await guessCounts.add(limits.map(({ by, lifetime }) => ({ subject: by, network: by, lifetime })));
      try {
        const numbers = await Promise.all(limits.map(({ by }) => guessCounts.count('subject', by)));
        const broken = limits.findLast(({ most }, index) => (numbers[index] ?? 0) > most);
        if (broken === undefined) return { ...counted, ofDay: numbers.at(-1) ?? 0 };
        await counted.takeBack();
        const end = (await guessCounts.findEnd('subject', broken.by, broken.most)) ?? 0;
        return { retryAfter: Math.max(1, Math.ceil((end - clock()) / 1000)) };
      } catch (error) {
        await counted.takeBack();
        throw error;
      }
    },
  };
}

function listLimits({ userId, passwordChangedAt, browser, kind }: CodeGuess) {
  return spans.map(({ name, lifetime, most }) => ({
    by: hash('sha256', ['second step', kind, name, userId, passwordChangedAt, browser ?? ''].join('\0'), 'buffer'),
    lifetime,
    most: browser === undefined ? most.unknown : most.known,
  }));
}
