import type { Findings } from './findings.ts';
import type { Target } from './target.ts';

/** Milliseconds that the clock of the server may differ. */
const tolerance = 5_000;

/** How far a time of an answer lies ahead of this machine, which sent the request at `sentAt`; 0 within the time that it took. */
export function compareTimes(time: number, sentAt: number, receivedAt = Date.now()): number {
  if (time > receivedAt) return time - receivedAt;
  return time < sentAt ? time - sentAt : 0;
}

export const isApart = (difference: number) => Math.abs(difference) > tolerance;
export const showDifference = (difference: number) =>
  `${(Math.abs(difference) / 1000).toFixed(1)} s ${difference < 0 ? 'behind' : 'ahead'}`;

/** The clock of the issuer. A Date has no fractions of a second. */
export async function checkClock({ issuer, send }: Target, { find, measure }: Findings): Promise<void> {
  const sentAt = Date.now();
  const { headers } = await send('clock', issuer);
  const time = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(time)) return find('clock.date', 'there is no Date');
  const difference = compareTimes(time, sentAt - 1_000);
  if (isApart(difference)) find('clock.date', showDifference(difference));
  else measure('clock', `Date is ${showDifference(difference)}`);
}
