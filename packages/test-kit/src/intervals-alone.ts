/** For `jest.useFakeTimers`, before the service starts: intervals pass when the test says so, everything else goes on. */
export const intervalsAlone = {
  doNotFake: [
    ...(['Date', 'performance', 'hrtime', 'nextTick', 'queueMicrotask'] as const),
    ...(['setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout'] as const),
  ],
};
