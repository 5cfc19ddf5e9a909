import { jest } from '@jest/globals';

/** Intervals pass when the test says so (`jest.advanceTimersByTime`); everything else goes on. Begin it before the realm. */
export function holdIntervals(): void {
  const clocks = ['Date', 'performance', 'hrtime', 'nextTick', 'queueMicrotask'] as const;
  const timers = ['setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout'] as const;
  jest.useFakeTimers({ doNotFake: [...clocks, ...timers] });
}
