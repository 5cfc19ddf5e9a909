import { describe, expect, it } from '@jest/globals';
import { othersKey, topSeries } from '../src/parts/top-series.ts';

const series = (key: string, ...values: number[]) => ({ key, values });

describe('the series of a measure', () => {
  it('are the greatest ones, and the sum of all others', () => {
    const shown = topSeries([series('a', 9, 9), series('b', 5, 4), series('c', 1, 2)], [3, 0], 1);
    expect(shown).toEqual([series('a', 9, 9), series(othersKey, 9, 6)]);
  });

  it('have no others where there are none', () => {
    expect(topSeries([series('a', 1)], [0])).toEqual([series('a', 1)]);
    expect(topSeries([], [])).toEqual([]);
  });
});
