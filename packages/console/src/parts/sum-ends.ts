import type { DryRun } from '../api/auth-server.ts';

type End = DryRun['ends'][number];

/** The sum of what ends by several acts. Where one of them cannot be counted, the sum cannot. */
export function sumEnds(lists: readonly DryRun['ends'][]): DryRun['ends'] {
  const sums = new Map<End['what'], End>();
  for (const { what, count, count_is_exact = true } of lists.flat()) {
    const before = sums.get(what) ?? { what, count: 0 };
    const sum = before.count === undefined || count === undefined ? undefined : before.count + count;
    sums.set(what, {
      what,
      ...(sum !== undefined && { count: sum }),
      count_is_exact: count_is_exact && (before.count_is_exact ?? true),
    });
  }
  return [...sums.values()];
}
