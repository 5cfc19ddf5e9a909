import { jest } from '@jest/globals';

const minute = 60_000;
const timers = [
  ...(['performance', 'hrtime', 'nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const),
];

/**
 * Stops the clock at the beginning of a minute: time passes when the realm's `advance` says so, and everything else goes on. Gives
 * a function that lets the clock go.
 */
export function stopClock(): () => void {
  jest.useFakeTimers({ now: Math.ceil(Date.now() / minute) * minute, doNotFake: timers });
  return () => void jest.useRealTimers();
}
