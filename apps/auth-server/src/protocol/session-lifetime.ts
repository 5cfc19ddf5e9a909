/** Milliseconds a session lives, whatever is done with it. */
export const sessionLifetime = 12 * 3_600_000;
