import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Shares the cores out: the measured process has one for itself, everything else has the others. */
export interface Cores {
  /** Gives a process, with its threads, the measured core. The process that had it moves to the other cores. */
  measure(pid: number): void;
  /** Puts a process, and every process that it starts, on the other cores. */
  keepAside(pid: number): void;
  /** Lets a process that is not of this run use every core again. */
  release(pid: number): void;
  /** For the report. */
  description: string;
}

/** Pins by `taskset` where it is installed and this process may use two cores or more; else pins nothing. */
export function shareOutCores(): Cores {
  const allowed = readAllowedCores();
  const [measured, ...others] = allowed;
  if (measured === undefined || others.length === 0 || spawnSync('taskset', ['--version']).status !== 0) {
    const nothing = () => {};
    const description = 'not pinned: taskset and two cores are needed';
    return { measure: nothing, keepAside: nothing, release: nothing, description };
  }
  // taskset fails for a process that has ended. That does no harm.
  const pin = (pid: number, cores: readonly number[]) =>
    void spawnSync('taskset', ['-a', '-c', '-p', cores.join(','), String(pid)]);
  let last: number | undefined;
  return {
    measure(pid) {
      if (last === pid) return;
      if (last !== undefined) pin(last, others);
      pin(pid, [measured]);
      last = pid;
    },
    keepAside: (pid) => pin(pid, others),
    release: (pid) => pin(pid, allowed),
    description: `core ${measured}: the process that is measured; ${others.join(',')}: load generator, database, other service`,
  };
}

/** Such as `0-1` or `0,2-3`, as Linux writes it. */
function readAllowedCores(): number[] {
  try {
    const [, list = ''] = /^Cpus_allowed_list:\s+(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return list.split(',').flatMap(parseRange);
  } catch {
    return [];
  }
}

function parseRange(range: string): number[] {
  const [first = Number.NaN, last = first] = range.split('-').map(Number);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
