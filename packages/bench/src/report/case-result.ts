import type { GoalResult } from './goal.ts';

/** What a case found out. */
export interface CaseResult {
  /** Markdown. */
  table: string;
  goals: GoalResult[];
  bars: { unit: string; values: Bar[] };
  /** Everything that was measured, for who wants to reckon with it. */
  measured: unknown;
  /** Whether every row counts. */
  valid: boolean;
}

export interface Bar {
  label: string;
  /** Undefined where the row is void. */
  value: number | undefined;
}
