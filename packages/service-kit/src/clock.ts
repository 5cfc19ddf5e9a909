/** Milliseconds since the epoch. An argument wherever time decides, so that tests can move it. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** Whole seconds since the epoch: a NumericDate (RFC 7519 2). */
export function toSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
