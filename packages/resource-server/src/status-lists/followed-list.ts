import { createListRequests, tickEvery } from './list-requests.ts';
import { createLoadedList } from './loaded-list.ts';
import { holdsFor, isRevokedIn, type StatusList } from './status-list.ts';
import type { StatusListsOptions } from './status-lists-options.ts';
import type { TokenStatus } from './token-status.ts';

/** One list, and what keeps it up to date. */
export interface FollowedList {
  findInHand(idx: number): TokenStatus | undefined;
  find(idx: number): Promise<TokenStatus>;
  /** Asks again, or waits, where that is due. */
  keepUp(): void;
  stop(): void;
}

/** Milliseconds after which an unused list rests. */
const followedFor = 60_000;
/** Seconds. */
const longestWait = 25;

type Needs = Omit<StatusListsOptions, 'repeat' | 'isTrusted'>;

/** Keeps a list up to date while tokens name it. */
export function createFollowedList(uri: string, needs: Needs): FollowedList {
  const { clock, unavailable } = needs;
  const maxAge = needs.maxAge * 1000;
  /** Half of the age at which a list cannot be had any more: one answer may get lost. */
  const longestInterval = Math.max(tickEvery, maxAge / 2);
  let wantedAt = clock();

  const loaded = createLoadedList(uri, needs);
  const intervalOf = (list: StatusList | undefined) =>
    Math.max(tickEvery, Math.min((list?.ttl ?? 1) * 1000, longestInterval));
  const requests = createListRequests({
    ...needs,
    loaded,
    secondsOfWait: Math.max(1, Math.min(longestWait, Math.floor(maxAge / 2000))),
    interval: () => intervalOf(loaded.current()),
    isWanted: () => clock() - wantedAt < followedFor,
  });

  const isTooOld = (list: StatusList, now: number) => unavailable === 'reject' && now - list.confirmedAt > maxAge;
  const statusOf = (list: StatusList, idx: number): TokenStatus => (isRevokedIn(list, idx) ? 'revoked' : 'valid');
  /** The list was not asked for while it was not used, and the last request did not fail. */
  const isDue = (list: StatusList, now: number) =>
    now - list.confirmedAt > intervalOf(list) + tickEvery && !requests.isWaiting() && !loaded.isFailing();

  return {
    findInHand(idx) {
      const now = clock();
      wantedAt = now;
      const list = loaded.current();
      if (list === undefined || !holdsFor(list, now, idx) || isTooOld(list, now)) return undefined;
      // A token waits for a list that is due. After a failure the list is asked for in the background alone.
      return isDue(list, now) ? undefined : statusOf(list, idx);
    },
    async find(idx) {
      await requests.ask();
      const [now, list] = [clock(), loaded.current()];
      if (unavailable === 'accept') return list === undefined ? 'valid' : statusOf(list, idx);
      const isUnknown = list === undefined || list.exp * 1000 <= now || isTooOld(list, now);
      return isUnknown ? 'unknown' : statusOf(list, idx);
    },
    keepUp: requests.keepUp,
    stop: requests.stop,
  };
}
