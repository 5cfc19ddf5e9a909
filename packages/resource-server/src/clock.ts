/** Milliseconds since the epoch. Code that depends on time takes it as an argument, so that tests can move it. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** Whole seconds since the epoch: a NumericDate (RFC 7519 2). */
export function toSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
