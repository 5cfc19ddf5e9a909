import type { Clock } from '@gatehouse/service-kit';
import type { LapsingClient, LapsingClientStore } from './lapsing-client-store.ts';

/*
 * A client that registered itself is deleted when nobody uses it. A use is written where a block of statuses is reserved,
 * not for each token. A block serves for at most an hour, and so does what was written of an earlier block.
 */

const hour = 3_600_000;
const day = 24 * hour;
const neverUsedFor = day;
/** Days. No session lives longer (`SESSION_HOURS`). */
const shortestUnused = 30;
/** The most of `REFRESH_TOKEN_IDLE_DAYS`, and a day. */
const longestUnused = 181;

/** The lapse of a client that registers now. */
export function chooseFirstLapse(now: number): number {
  return now + neverUsedFor;
}

/** The lapse of a client of a document that is enabled again: later than every refresh token that it may hold. */
export function chooseLapseOnceEnabled(now: number): number {
  return now + longestUnused * day;
}

/** A client that was used lapses later than this, whichever release noted the use and whichever clock is late. */
export function chooseLastUnusedLapse(now: number): number {
  return now + 2 * neverUsedFor;
}

/** Notes that a client is used; false where it is gone. */
export type NoteUse = (client: LapsingClient & { lapsesAt: number }) => Promise<boolean>;

interface Dependencies {
  lapsing: LapsingClientStore;
  /** Days for which a refresh token lives without a use. */
  refreshTokenIdleDays: number;
  clock: Clock;
}

export function createNoteUse({ lapsing, refreshTokenIdleDays, clock }: Dependencies): NoteUse {
  // No refresh token lives longer without a use. So a client that lapsed holds none.
  const unusedFor = Math.max(shortestUnused, refreshTokenIdleDays) * day;
  return async (client) => {
    const now = clock();
    // Another block of the last hour wrote it.
    if (client.lapsesAt > now + unusedFor + hour) return true;
    return lapsing.putOff(client, now + unusedFor + 2 * hour);
  };
}
