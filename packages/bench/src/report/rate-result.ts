import { type Row, summarize } from '../measurement/sample.ts';
import type { CaseResult } from './case-result.ts';
import { type Goal, judge } from './goal.ts';
import { buildTable } from './table.ts';

/** The result of a case that measures requests a second; `reference`: the variant that ratios refer to. */
export function buildRateResult(
  rows: readonly Row[],
  { reference, goals = [] }: { reference: string; goals?: readonly Goal[] },
): CaseResult {
  const summaries = rows.map((row) => ({ variant: row.variant, ...summarize(row) }));
  const summaryOf = (variant: string) => summaries.find((summary) => summary.variant === variant);
  return {
    table: `${buildTable(rows, reference)}\n\nRatio: to ${reference}.`,
    goals: goals.map((goal) => judge(goal, summaryOf)),
    bars: {
      unit: 'requests/s',
      values: summaries.map((summary) => ({
        label: summary.variant,
        value: summary.void ? undefined : summary.perSecond,
      })),
    },
    measured: { reference, medians: summaries, rows },
    valid: summaries.length > 0 && summaries.every((summary) => !summary.void),
  };
}
