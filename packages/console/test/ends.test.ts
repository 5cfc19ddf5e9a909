import { describe, expect, it } from '@jest/globals';
import { sumEnds } from '../src/parts/sum-ends.ts';

describe('what ends by several acts', () => {
  it('is the sum of each, exact where all are', () => {
    const sum = sumEnds([
      [
        { what: 'access_tokens', count: 2, count_is_exact: true },
        { what: 'consents', count: 1 },
      ],
      [],
      [{ what: 'access_tokens', count: 3, count_is_exact: false }],
      [{ what: 'access_tokens', count: 1, count_is_exact: true }],
    ]);
    expect(sum).toEqual([
      { what: 'access_tokens', count: 6, count_is_exact: false },
      { what: 'consents', count: 1, count_is_exact: true },
    ]);
  });

  it('is all where one is not counted', () => {
    const [sum] = sumEnds([[{ what: 'sessions' }], [{ what: 'sessions', count: 3 }]]);
    expect(sum).toEqual({ what: 'sessions', count_is_exact: true });
  });
});
