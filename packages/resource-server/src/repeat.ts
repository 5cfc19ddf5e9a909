/**
 * Calls `work` every `interval` milliseconds; the function that it gives ends that. Code that repeats work takes it as an
 * argument, so that tests decide when.
 */
export type Repeat = (work: () => void, interval: number) => () => void;

/** Repeats by a timer, which keeps no process alive. */
export const repeatByTimer: Repeat = (work, interval) => {
  const timer = setInterval(work, interval).unref();
  return () => clearInterval(timer);
};

/** Waits so long, and keeps no process alive. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}
