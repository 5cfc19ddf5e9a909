import { readFileSync } from 'node:fs';

/** Linux counts CPU in hundredths of a second, whatever the kernel's own clock does (`USER_HZ`). */
const microsecondsPerTick = 10_000;

/** Microseconds of CPU, of user and kernel, that a process has spent so far; undefined where `/proc` is not there. */
export function readCpuMicros(pid: number): number | undefined {
  const stat = readProcFile(pid, 'stat');
  // The second field, the command in parentheses, may hold spaces, so fields are counted from its end.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [userTicks, systemTicks] = [Number(fields?.[11]), Number(fields?.[12])];
  return Number.isNaN(userTicks + systemTicks) ? undefined : (userTicks + systemTicks) * microsecondsPerTick;
}

/** Megabytes of memory that a process holds; undefined where `/proc` is not there. */
export function readResidentMb(pid: number): number | undefined {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readProcFile(pid, 'status') ?? '') ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}

function readProcFile(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return undefined;
  }
}
