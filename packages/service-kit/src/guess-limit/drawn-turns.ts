import { createHash, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import { OverloadedError } from '../slow-hash.ts';
import type { UsedIdentifiers } from '../used-identifiers/used-identifiers.ts';

/** Milliseconds. One guess of a name is checked in each span. */
const span = 5_000;
/** Milliseconds for which a network that had a turn for a name comes last. */
const lastFor = 60 * 60_000;
/** Guesses that wait for the end of a span, of one name and in all. */
const mostOfName = 64;
const mostWaiting = 1_000;

export interface DrawnTurnsOptions {
  turns: UsedIdentifiers;
  clock: Clock;
  /** Resolves after so many milliseconds. */
  wait?: (milliseconds: number) => Promise<unknown>;
  /** Gives a number from 0 to below `count`. */
  draw?: (count: number) => number;
}

interface Gathered {
  wideNetwork: string;
  resolve(): void;
  reject(error: Error): void;
}

/**
 * Decides which guess of a name is checked, where many networks guess at that name. The guesses of a span are gathered, one of
 * each wide network, and one is drawn by chance at its end. A network that had a turn for this name within the hour is drawn
 * where no other waits. Each replica draws among its own; the database decides which replica has the span.
 */
export function createDrawnTurns(options: DrawnTurnsOptions) {
  const { turns, clock, draw = randomInt } = options;
  const wait = options.wait ?? ((milliseconds: number) => sleep(milliseconds, undefined, { ref: false }));
  const gatherings = new Map<string, Gathered[]>();
  let waiting = 0;

  const identify = (...parts: readonly (string | number)[]) =>
    createHash('sha256')
      .update(['guess', ...parts].join('\0'))
      .digest();
  /** Draws those first who had no turn for the name within the hour; each is asked once, and is noted by that. */
  const choose = async (subject: string, all: readonly Gathered[]): Promise<Gathered> => {
    const rest = [...all];
    while (rest.length > 0) {
      const [one] = rest.splice(draw(rest.length), 1) as [Gathered];
      if (await turns.use(identify('network', subject, one.wideNetwork), clock() + lastFor)) return one;
    }
    return all[draw(all.length)] as Gathered;
  };
  const end = async (subject: string, slot: number, gathered: readonly Gathered[]): Promise<void> => {
    try {
      const isOurs = await turns.use(identify(slot, subject), (slot + 2) * span);
      const chosen = isOurs ? await choose(subject, gathered) : undefined;
      for (const one of gathered) if (one !== chosen) one.reject(new OverloadedError());
      chosen?.resolve();
    } catch (error) {
      for (const one of gathered) one.reject(error as Error);
    }
  };
  const gather = (subject: string, slot: number): Gathered[] => {
    const gathered: Gathered[] = [];
    gatherings.set(subject, gathered);
    void wait((slot + 1) * span - clock()).then(() => {
      gatherings.delete(subject);
      waiting -= gathered.length;
      return end(subject, slot, gathered);
    });
    return gathered;
  };

  return {
    /** Resolves when this guess may be checked; throws an {@link OverloadedError} where another one is. */
    async take(subject: string, wideNetwork: string): Promise<void> {
      const slot = Math.floor(clock() / span);
      const others = gatherings.get(subject) ?? [];
      const isThere = others.some((one) => one.wideNetwork === wideNetwork);
      if (isThere || others.length >= mostOfName || waiting >= mostWaiting) {
        throw new OverloadedError(Math.ceil(((slot + 1) * span - clock()) / 1000));
      }
      const gathered = gatherings.get(subject) ?? gather(subject, slot);
      waiting += 1;
      await new Promise<void>((resolve, reject) => gathered.push({ wideNetwork, resolve, reject }));
    },
  };
}
