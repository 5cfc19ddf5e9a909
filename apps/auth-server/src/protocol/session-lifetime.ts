/** Milliseconds that a session lives. No use makes it longer. */
export const sessionLifetime = 12 * 3_600_000;
