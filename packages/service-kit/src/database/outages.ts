import type { Clock } from '../clock.ts';
import { isDatabaseAway } from './database-errors.ts';

/** When the database could not be used, as the statements of this process saw it. Instants are milliseconds. */
export interface Outages {
  /** Settles as the statement does. */
  watch<T>(send: () => Promise<T>): Promise<T>;
  /** Milliseconds between the two instants in which the database answered no statement. */
  timeOutOfReach(from: number, to: number): number;
}

interface Outage {
  from: number;
  to: number;
}

/** The newest outages that are kept. */
const most = 8;
/** Milliseconds: an outage that begins this soon after another is part of it, whatever was answered between them. */
const respite = 1_000;

/** An outage begins when the first statement was sent that had no answer, and ends with the next answer. */
export function createOutages(clock: Clock): Outages {
  const past: Outage[] = [];
  let failingSince: number | undefined;

  const end = (from: number) => {
    failingSince = undefined;
    const last = past.at(-1);
    if (last !== undefined && from <= last.to + respite) {
      past[past.length - 1] = { from: Math.min(from, last.from), to: clock() };
      return;
    }
    past.push({ from, to: clock() });
    if (past.length > most) past.shift();
  };
  const noteFailure = (error: unknown, sentAt: number) => {
    if (isDatabaseAway(error)) failingSince = Math.min(failingSince ?? sentAt, sentAt);
    else if (failingSince !== undefined) end(failingSince);
  };

  return {
    async watch(send) {
      const sentAt = clock();
      try {
        const result = await send();
        if (failingSince !== undefined) end(failingSince);
        return result;
      } catch (error) {
        noteFailure(error, sentAt);
        throw error;
      }
    },
    timeOutOfReach(from, to) {
      const all = failingSince === undefined ? past : [...past, { from: failingSince, to }];
      const shares = all.map((outage) => Math.min(outage.to, to) - Math.max(outage.from, from));
      return shares.reduce((total, share) => total + Math.max(share, 0), 0);
    },
  };
}
