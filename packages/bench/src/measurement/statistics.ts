/** The middle value, or the mean of the two middle values of an even number. NaN where there are no values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)];
  if (upper === undefined) return Number.NaN;
  const lower = Number.isInteger(middle) ? (sorted[middle - 1] ?? upper) : upper;
  return (lower + upper) / 2;
}

/** The smallest value that at least `percent` of all values do not exceed (nearest rank). NaN where there are no values. */
export function percentile(values: ArrayLike<number>, percent: number): number {
  const sorted = Float64Array.from(values).sort();
  const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}

/** The smallest and the largest value, in percent of the median: how far rounds lay apart. */
export function spread(values: readonly number[]): { below: number; above: number } {
  const middle = median(values);
  const inPercent = (value: number) => Math.round((value / middle - 1) * 100);
  return { below: inPercent(Math.min(...values)), above: inPercent(Math.max(...values)) };
}
