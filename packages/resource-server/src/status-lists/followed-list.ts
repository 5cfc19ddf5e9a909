import type { FetchedList, Waiting } from './fetch-status-list.ts';
import { holdsFor, isRevokedIn, type StatusList, unpackStatusList } from './status-list.ts';
import type { StatusListsOptions } from './status-lists.ts';
import type { TokenStatus } from './token-status.ts';

/** One list, and what keeps it up to date. */
export interface FollowedList {
  findInHand(idx: number): TokenStatus | undefined;
  find(idx: number): Promise<TokenStatus>;
  /** Asks again, or waits, where that is due. */
  keepUp(): void;
  stop(): void;
}

/** Milliseconds between looks whether a list is to be asked for again. No list is asked for more often without a wait. */
export const tickEvery = 1_000;
/** Milliseconds after which an unused list rests. */
const followedFor = 60_000;
/** Milliseconds by which a timer may come early, by another clock. A second of the timer must not become two. */
const timerTolerance = 5;
/** Seconds of a wait, and milliseconds between two of them: a list that changes all the time must not be fetched all the time. */
const longestWait = 25;
const betweenWaits = 100;

type Needs = Omit<StatusListsOptions, 'repeat' | 'isTrusted'>;

/** Keeps a list up to date while tokens name it. */
export function createFollowedList(uri: string, needs: Needs): FollowedList {
  const { clock, unavailable, onFailure } = needs;
  const maxAge = needs.maxAge * 1000;
  /** Half of the age at which a list cannot be had any more: one answer may get lost. */
  const longestInterval = Math.max(tickEvery, maxAge / 2);
  const secondsOfWait = Math.max(1, Math.min(longestWait, Math.floor(maxAge / 2000)));
  let list: StatusList | undefined;
  let isFailing = false;
  let asking: Promise<void> | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  let wantedAt = clock();
  /** There while a request is open that the server answers when the list changes. */
  let wait: AbortController | undefined;
  /** The server did not wait: it is not asked to before this time. */
  let waitsFrom = Number.NEGATIVE_INFINITY;
  let isStopped = false;

  const intervalOf = ({ ttl }: StatusList) => Math.max(tickEvery, Math.min((ttl ?? 1) * 1000, longestInterval));
  const isWanted = () => !isStopped && clock() - wantedAt < followedFor;
  const load = async (waiting?: Waiting): Promise<boolean> => {
    const fetched = await needs.fetchStatusList(uri, list?.etag, waiting);
    list = await readAnswer(fetched);
    isFailing = false;
    return fetched.waited === true;
  };
  const readAnswer = async ({ text, etag }: FetchedList): Promise<StatusList | undefined> => {
    if (text === undefined) return list && { ...list, confirmedAt: clock() };
    const published = await needs.verifyStatusList(text);
    if (published?.uri !== uri) throw new Error('not a status list of this issuer at its own address');
    const { bits, exp, ttl } = published;
    return { bytes: unpackStatusList(published), bits, etag, exp, ttl, confirmedAt: clock() };
  };
  const fail = (error: unknown) => {
    if (isStopped) return;
    isFailing = true;
    onFailure(error, uri);
  };

  /** Asks now, one request at a time and at most one a second. */
  const ask = (): Promise<void> => {
    if (asking !== undefined) return asking;
    if (clock() - triedAt < tickEvery - timerTolerance) return Promise.resolve();
    triedAt = clock();
    asking = load()
      .then(() => void waitOn(), fail)
      .finally(() => {
        asking = undefined;
      });
    return asking;
  };
  /** Lets the server answer when the list changes, time after time, as long as it does so and tokens name the list. */
  const waitOn = async (): Promise<void> => {
    if (!needs.waits || wait !== undefined || list?.etag === undefined || clock() < waitsFrom - timerTolerance) return;
    wait = new AbortController();
    const { signal } = wait;
    try {
      while (isWanted()) {
        if (!(await load({ seconds: secondsOfWait, signal }))) {
          waitsFrom = triedAt + intervalOf(list);
          return;
        }
        await needs.pause(betweenWaits);
        if (isWanted()) triedAt = clock();
      }
    } catch (error) {
      fail(error);
    } finally {
      wait = undefined;
    }
  };

  const isTooOld = (known: StatusList, now: number) => unavailable === 'reject' && now - known.confirmedAt > maxAge;
  const statusOf = (known: StatusList, idx: number): TokenStatus => (isRevokedIn(known, idx) ? 'revoked' : 'valid');

  return {
    findInHand(idx) {
      const now = clock();
      wantedAt = now;
      if (list === undefined || !holdsFor(list, now, idx) || isTooOld(list, now)) return undefined;
      // The list was not asked for while it was not used. The token waits for it, unless the last request failed: then it runs
      // in the background.
      const isDue = wait === undefined && !isFailing && now - list.confirmedAt > intervalOf(list) + tickEvery;
      return isDue ? undefined : statusOf(list, idx);
    },
    async find(idx) {
      await ask();
      const now = clock();
      if (unavailable === 'accept') return list === undefined ? 'valid' : statusOf(list, idx);
      const isThere = list !== undefined && list.exp * 1000 > now && !isTooOld(list, now);
      return isThere ? statusOf(list as StatusList, idx) : 'unknown';
    },
    keepUp() {
      if (wait !== undefined || !isWanted()) return;
      const interval = list === undefined || isFailing ? tickEvery : intervalOf(list);
      if (clock() - triedAt < interval - timerTolerance) return;
      if (!needs.waits || isFailing || list?.etag === undefined) return void ask();
      triedAt = clock();
      void waitOn();
    },
    stop() {
      isStopped = true;
      wait?.abort();
    },
  };
}
