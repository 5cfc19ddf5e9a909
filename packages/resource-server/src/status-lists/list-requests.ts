import type { LoadedList } from './loaded-list.ts';
import type { StatusListsOptions } from './status-lists-options.ts';

/** When a list is asked for. */
export interface ListRequests {
  /** Asks now, one request at a time and at most one a second. Never rejects. */
  ask(): Promise<void>;
  /** Asks again, or waits, where that is due. */
  keepUp(): void;
  /** Whether a request is open that the server answers when the list changes. */
  isWaiting(): boolean;
  stop(): void;
}

/** Milliseconds between looks whether a list is to be asked for again. No list is asked for more often without a wait. */
export const tickEvery = 1_000;
/** Milliseconds by which a timer may come early, by another clock. A second of the timer must not become two. */
const timerTolerance = 5;
/** Milliseconds between two waits: a list that changes all the time must not be fetched all the time. */
const betweenWaits = 100;

type Needs = Pick<StatusListsOptions, 'clock' | 'pause'> & {
  loaded: LoadedList;
  /** Seconds of a wait. */
  secondsOfWait: number;
  /** Milliseconds after which the list is asked for again without a wait. */
  interval: () => number;
  /** Whether tokens name the list. */
  isWanted: () => boolean;
};

export function createListRequests({ loaded, clock, pause, secondsOfWait, interval, isWanted }: Needs): ListRequests {
  let asking: Promise<void> | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  let wait: AbortController | undefined;
  /** The server did not wait: it is not asked to before this time. */
  let waitsFrom = Number.NEGATIVE_INFINITY;
  let isStopped = false;

  const hasPassed = (instant: number) => clock() >= instant - timerTolerance;
  const goesOn = () => !isStopped && isWanted();
  const fail = (error: unknown) => {
    if (!isStopped) loaded.fail(error);
  };
  const ask = (): Promise<void> => {
    if (asking !== undefined) return asking;
    if (!hasPassed(triedAt + tickEvery)) return Promise.resolve();
    triedAt = clock();
    asking = loaded
      .load()
      .then(() => void waitOn(), fail)
      .finally(() => {
        asking = undefined;
      });
    return asking;
  };
  /** Lets the server answer when the list changes, time after time, as long as it does so and tokens name the list. */
  const waitOn = async (): Promise<void> => {
    if (wait !== undefined || loaded.current()?.etag === undefined || !hasPassed(waitsFrom)) return;
    wait = new AbortController();
    const { signal } = wait;
    try {
      while (goesOn()) {
        if (!(await loaded.load({ seconds: secondsOfWait, signal }))) {
          waitsFrom = triedAt + interval();
          return;
        }
        await pause(betweenWaits);
        if (goesOn()) triedAt = clock();
      }
    } catch (error) {
      fail(error);
    } finally {
      wait = undefined;
    }
  };

  return {
    ask,
    isWaiting: () => wait !== undefined,
    keepUp() {
      if (wait !== undefined || !goesOn()) return;
      if (!hasPassed(triedAt + (loaded.isFailing() ? tickEvery : interval()))) return;
      if (loaded.isFailing() || loaded.current()?.etag === undefined) return void ask();
      triedAt = clock();
      void waitOn();
    },
    stop() {
      isStopped = true;
      wait?.abort();
    },
  };
}
