import { expect, it } from '@jest/globals';
import { createTestTimes } from '../src/test-times.ts';

it('the first test that was slow is told from those that it made slow, and from a quick one that runs', () => {
  let now = 0;
  const times = createTestTimes(1_000, () => now);
  const run = (test: string, milliseconds: number) => {
    times.note(test);
    now += milliseconds;
    times.note(null);
    now += 5_000;
  };
  expect([times.running(), times.slow()]).toEqual([{}, {}]);
  run('quick', 1_000);
  times.note('runs');
  expect([times.running(), times.slow()]).toEqual([{ test: 'runs' }, { test: 'runs' }]);
  run('first', 1_001);
  run('second', 8_000);
  times.note('runs');
  expect([times.running(), times.slow()]).toEqual([{ test: 'runs' }, { test: 'first' }]);
});
