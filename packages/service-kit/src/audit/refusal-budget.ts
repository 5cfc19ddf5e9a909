import type { Clock } from '../clock.ts';
import type { AuditEventType } from './audit-event.ts';

/** Milliseconds. */
const windowLength = 5 * 60_000;
const limits = { network: 100, total: 1_000 };

/** Whether one more refusal of this type, of a caller in this network, is written down. */
export type RefusalBudget = (type: AuditEventType, network: string) => boolean;

interface Dependencies {
  clock: Clock;
  /** Called once in a window, for each type. */
  onSpent(type: AuditEventType): void;
}

interface Window {
  start: number;
  total: number;
  isSpent: boolean;
  byNetwork: Map<string, number>;
}

/**
 * Keeps a flood of refusals from becoming a flood of rows: in five minutes a process writes down at most 100 of one
 * type and network, and 1,000 of one type. A flood of one type leaves room for the others.
 */
export function createRefusalBudget({ clock, onSpent }: Dependencies): RefusalBudget {
  const windows = new Map<AuditEventType, Window>();
  const openWindow = (type: AuditEventType): Window => {
    const now = clock();
    const current = windows.get(type);
    if (current !== undefined && now - current.start < windowLength) return current;
    const opened = { start: now, total: 0, isSpent: false, byNetwork: new Map<string, number>() };
    windows.set(type, opened);
    return opened;
  };
  return (type, network) => {
    const window = openWindow(type);
    const count = window.byNetwork.get(network) ?? 0;
    if (count < limits.network && window.total < limits.total) {
      window.total += 1;
      window.byNetwork.set(network, count + 1);
      return true;
    }
    if (!window.isSpent) onSpent(type);
    window.isSpent = true;
    return false;
  };
}
