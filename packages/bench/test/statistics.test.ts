import { describe, expect, it } from '@jest/globals';
import { type Row, type Sample, summarize } from '../src/measurement/sample.ts';
import { median, percentile, spread } from '../src/measurement/statistics.ts';

describe('median', () => {
  it('is the middle of an odd number of values, in whatever order', () => expect(median([9, 1, 5])).toBe(5));
  it('is the mean of the two in the middle of an even number', () => expect(median([4, 1, 2, 9])).toBe(3));
  it('of nothing is no number', () => expect(median([])).toBeNaN());
});

describe('percentile', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  it('is the value that so many percent do not exceed', () => {
    expect(percentile(hundred, 50)).toBe(50);
    expect(percentile(hundred, 99)).toBe(99);
    expect(percentile(hundred, 100)).toBe(100);
  });
  it('of one value is that value', () => expect(percentile([7], 1)).toBe(7));
});

it('spread says how far the slowest and the fastest round lay from the median, in percent', () => {
  expect(spread([90, 100, 120])).toEqual({ below: -10, above: 20 });
});

describe('a row', () => {
  const sample: Sample = { requests: 500, seconds: 5, failures: 0, p50: 1, p99: 3, cpuMicros: 80, residentMb: 90 };
  const row = (...samples: Sample[]): Row => ({ variant: 'Gatehouse', samples });

  it('has the medians of its windows', () => {
    const faster = { ...sample, requests: 1_000, p99: 1, cpuMicros: 40 };
    const fastest = { ...sample, requests: 2_000, p99: 2, cpuMicros: 20 };
    expect(summarize(row(faster, sample, fastest))).toMatchObject({
      perSecond: 200,
      p99: 2,
      cpuMicros: 40,
      void: false,
    });
  });
  it('is void by a single failure, in whichever window', () => {
    expect(summarize(row(sample, { ...sample, failures: 1 }, sample))).toMatchObject({ void: true, failures: 1 });
  });
  it('is void without an answer', () => {
    expect(summarize(row({ ...sample, requests: 0 })).void).toBe(true);
    expect(summarize(row()).void).toBe(true);
  });
  it('has no CPU where the system does not tell', () => {
    expect(summarize(row({ ...sample, cpuMicros: undefined })).cpuMicros).toBeUndefined();
  });
});
