import type { Summary } from '../measurement/sample.ts';

/** The goal that a case must reach. */
export type Goal =
  /** Requests a second, as a multiple of another variant's. */
  | { variant: string; atLeast: number; of: string }
  /** Milliseconds. */
  | { variant: string; p99Below: number };

export interface GoalResult {
  text: string;
  /** Undefined where a row that is needed is missing or void. */
  met: boolean | undefined;
}

export function judge(goal: Goal, summaryOf: (variant: string) => Summary | undefined): GoalResult {
  const summary = summaryOf(goal.variant);
  if ('p99Below' in goal) {
    const text = `${goal.variant}: p99 below ${goal.p99Below} ms`;
    if (summary === undefined || summary.void) return { text, met: undefined };
    return { text: `${text}: ${summary.p99.toFixed(1)} ms`, met: summary.p99 < goal.p99Below };
  }
  const reference = summaryOf(goal.of);
  const text = `${goal.variant}: at least ${goal.atLeast} × ${goal.of}`;
  if (summary === undefined || reference === undefined || summary.void || reference.void)
    return { text, met: undefined };
  const ratio = summary.perSecond / reference.perSecond;
  return { text: `${text}: ${ratio.toFixed(2)}`, met: ratio >= goal.atLeast };
}
