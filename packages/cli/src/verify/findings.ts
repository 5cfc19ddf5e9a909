import { type Check, type CheckId, checks, type Group } from './checks.ts';

/** A check that failed. `seen` holds no secret and no token. */
export interface Finding extends Check {
  id: CheckId;
  seen: string;
}

/** Said about a group without a judgement. */
export interface Remark {
  group: Group;
  text: string;
}

/** All that a run has to say. */
export interface Findings {
  readonly found: readonly Finding[];
  /** The groups that began. */
  readonly begun: readonly Group[];
  /** Measured, or told for the reader alone. */
  readonly measured: readonly Remark[];
  /** Checks that nothing could be said about, and why. */
  readonly left: readonly Remark[];
  begin(group: Group): void;
  find(id: CheckId, seen: string): void;
  measure(group: Group, text: string): void;
  leave(group: Group, text: string): void;
}

export function createFindings(): Findings {
  const found: Finding[] = [];
  const begun: Group[] = [];
  const measured: Remark[] = [];
  const left: Remark[] = [];
  return {
    ...{ found, begun, measured, left },
    begin: (group) => void (begun.includes(group) || begun.push(group)),
    find: (id, seen) => void found.push({ id, ...checks[id], seen }),
    measure: (group, text) => void measured.push({ group, text }),
    leave: (group, text) => void left.push({ group, text }),
  };
}
