import { describe, expect, it } from '@jest/globals';
import { isInSample } from '../src/sample.ts';

describe('a sample of mutants', () => {
  const names = Array.from({ length: 10_000 }, (_, index) => `apps/auth-server/src/a.ts ${index}`);
  const choose = (percent: number) => names.filter((name) => isInSample(name, percent));

  it('has about as many of them as it says, and with 100 percent all', () => {
    expect(choose(25).length).toBeGreaterThan(2_300);
    expect(choose(25).length).toBeLessThan(2_700);
    expect([choose(0).length, choose(100).length]).toEqual([0, names.length]);
  });

  it('has those of each smaller sample, in each run the same', () => {
    const larger = new Set(choose(40));
    expect(choose(10).filter((name) => !larger.has(name))).toEqual([]);
    expect(choose(40)).toEqual([...larger]);
  });
});
