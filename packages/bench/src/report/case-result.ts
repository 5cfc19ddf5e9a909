import type { GoalResult } from './goal.ts';

/** The result of a case. */
export interface CaseResult {
  /** Markdown. */
  table: string;
  goals: GoalResult[];
  bars: { unit: string; values: Bar[] };
  /** All measured values, for further calculation. */
  measured: unknown;
  /** Whether every row counts. */
  valid: boolean;
}

export interface Bar {
  label: string;
  /** Undefined where the row is void. */
  value: number | undefined;
}
