import { hash } from 'node:crypto';
import type { Clock } from '@gatehouse/service-kit';
import type { GuessCounts } from '@gatehouse/service-kit/guess-limit';
import type { UsedIdentifiers } from '@gatehouse/service-kit/used-identifiers';

const minute = 60_000;
const hour = 3_600_000;
const day = 24 * hour;

/** Something that may happen so often. */
export interface Limit {
  /** Names what is counted: with it, whose it is. */
  by: readonly string[];
  most: number;
  lifetime: number;
}

export type MailBudget = ReturnType<typeof createMailBudget>;

interface Dependencies {
  guessCounts: GuessCounts;
  usedIdentifiers: UsedIdentifiers;
  mailsPerHour: number;
  clock: Clock;
}

/** Counts mails that nobody signed in asked for, and what asks for them, for all replicas together. */
export function createMailBudget({ guessCounts, usedIdentifiers, mailsPerHour, clock }: Dependencies) {
  /** Says whether once more is within all limits, and counts it then. */
  const take = async (limits: readonly Limit[]): Promise<boolean> => {
    const counted = limits.map(({ by, most, lifetime }) => {
      const subject = hash('sha256', ['mail', ...by].join('\0'), 'buffer');
      // Nothing is counted by network: the place of the network holds the same hash.
      return { subject, network: subject, most, lifetime };
    });
    const taken = await guessCounts.add(counted);
    const numbers = await Promise.all(counted.map(({ subject }) => guessCounts.count('subject', subject)));
    const isWithin = counted.every(({ most }, index) => (numbers[index] ?? 0) <= most);
    // A refused one counts nowhere: a network that asks too often takes nothing from others.
    if (!isWithin) await taken.takeBack();
    return isWithin;
  };
  return {
    /** Whether a network may ask once more. */
    mayAsk: (what: 'recover' | 'verify' | 'register', network: string): Promise<boolean> =>
      take([{ by: [what, network], most: what === 'register' ? 10 : 20, lifetime: hour }]),
    /** Whether a user may be told of one more sign-in. Of several at the same moment one is told: none keeps another one quiet. */
    async mayTellSignIn(userId: string): Promise<boolean> {
      const by = ['mail', 'new sign-in', userId];
      const subject = hash('sha256', by.join('\0'), 'buffer');
      if ((await guessCounts.count('subject', subject)) > 0) return false;
      const now = clock();
      const moment = hash('sha256', [...by, Math.floor(now / minute)].join('\0'), 'buffer');
      if (!(await usedIdentifiers.use(moment, now + minute))) return false;
      await guessCounts.add([{ subject, network: subject, lifetime: hour }]);
      return true;
    },
    /** Whether a network may try one more link that is none. */
    countUnknown: (network: string): Promise<boolean> =>
      take([{ by: ['unknown', network], most: 100, lifetime: 5 * 60_000 }]),
    /**
     * Whether one more mail may go to an address. `browser`: a browser in which its user signed in before, which has counts of its own,
     * so that nobody else uses them up.
     */
    mayMail(address: string, network: string, browser: string | undefined): Promise<boolean> {
      const own = browser ?? '';
      const ofAddress = [
        { by: ['address', 'hour', address, own], most: 3, lifetime: hour },
        { by: ['address', 'day', address, own], most: 10, lifetime: day },
      ];
      if (browser !== undefined) return take(ofAddress);
      const ofNetwork = Math.max(1, Math.floor(mailsPerHour / 50));
      return take([
        ...ofAddress,
        { by: ['all'], most: mailsPerHour, lifetime: hour },
        { by: ['network', network], most: ofNetwork, lifetime: hour },
      ]);
    },
  };
}
