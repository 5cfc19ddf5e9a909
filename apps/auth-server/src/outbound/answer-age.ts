/** Milliseconds: how long an answer counts that does not say it, and at most. */
const usualAge = 3_600_000;
const longestAge = 86_400_000;

/** The milliseconds for which an answer counts: its `max-age` in seconds within these and the least age. */
export function chooseAge(maxAge: number | undefined, leastAge: number): number {
  return maxAge === undefined ? usualAge : Math.min(Math.max(maxAge * 1000, leastAge), longestAge);
}
