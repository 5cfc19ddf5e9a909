import type { Series } from './bars.tsx';

/** The key of all that have no series of their own. */
export const othersKey = '';

/** The first series, which are the greatest, and the sum of all others where there are any. */
export function topSeries(series: readonly Series[], others: readonly number[], most = 10): Series[] {
  const rest = [...series.slice(most).map(({ values }) => values), others];
  const length = Math.max(...rest.map((values) => values.length));
  const values = Array.from({ length }, (_, index) => rest.reduce((sum, each) => sum + (each[index] ?? 0), 0));
  const shown = series.slice(0, most);
  return values.some((count) => count > 0) ? [...shown, { key: othersKey, values }] : shown;
}
