import type { Clock } from '../clock.ts';
import { networkOf } from '../guess-limit/network.ts';
import { createRefusalCounts, type RefusalCounts } from '../refusal-counts.ts';
import { type AuditEntry, type AuditEventType, findRefusedSubject, type RefusedSubjectKind } from './audit-event.ts';

/** Milliseconds. */
const windowLength = 5 * 60_000;

export interface RefusalBudget {
  /** Whether the budget allows an event for this refusal. Counts the refusal. */
  isAffordable(refusal: AuditEntry): boolean;
  /** Gives one event for each window that left refusals out: of the windows that are over, or of all. Gives each event once. */
  takeLeftOut(windows: 'over' | 'all'): AuditEntry[];
}

interface Dependencies {
  /** The service, which is the actor of these events. */
  service: string;
  clock: Clock;
  /** Called once in a window, for each type and kind of subject. */
  onSpent(type: AuditEventType, about: RefusedSubjectKind): void;
}

interface Window {
  type: AuditEventType;
  about: RefusedSubjectKind;
  /** Milliseconds: the start of the window. */
  since: number;
  /** Refusals without an event. */
  leftOut: number;
  /** Refusals with an event. */
  counts: RefusalCounts;
}

/**
 * Keeps a flood of refusals from becoming a flood of rows, and from hiding other refusals. Each type and kind of subject
 * has its own budget: in five minutes a process writes at most 100 refusals of one network, and 1,000 in all. In addition
 * it writes the first three refusals of each existing subject and way of trying it, for at most 10,000 subjects.
 */
export function createRefusalBudget({ service, clock, onSpent }: Dependencies): RefusalBudget {
  const windows = new Map<string, Window>();
  /** Windows that are over and whose left-out refusals are not reported yet. */
  const closed: Window[] = [];
  const isOver = ({ since }: Window) => clock() - since >= windowLength;
  const openWindow = (type: AuditEventType, about: RefusedSubjectKind): Window => {
    const key = `${type} ${about}`;
    const current = windows.get(key);
    if (current !== undefined && !isOver(current)) return current;
    if (current !== undefined) closed.push(current);
    const opened = { type, about, since: clock(), leftOut: 0, counts: createRefusalCounts() };
    windows.set(key, opened);
    return opened;
  };

  return {
    isAffordable(refusal) {
      const { kind, key } = findRefusedSubject(refusal);
      const window = openWindow(refusal.type, kind);
      if (window.counts.take(networkOf(refusal.context?.address ?? ''), key)) return true;
      if (window.leftOut === 0) onSpent(window.type, window.about);
      window.leftOut += 1;
      return false;
    },
    takeLeftOut(which) {
      for (const [key, window] of windows) {
        if (which === 'over' && !isOver(window)) continue;
        windows.delete(key);
        closed.push(window);
      }
      const taken = closed.splice(0).filter(({ leftOut }) => leftOut > 0);
      return taken.map((window) => describeLeftOut(window, service));
    },
  };
}

function describeLeftOut({ type, about, leftOut, since }: Window, service: string): AuditEntry {
  const details = { left_out: leftOut, about, since: new Date(since).toISOString() };
  return { type, reason: 'left_out', actor: { kind: 'service', name: service }, details };
}
