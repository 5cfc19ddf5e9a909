import { readFile } from 'node:fs/promises';

/** Megabytes that a process has in memory. */
export interface MemoryUse {
  start: number;
  peak: number;
  end: number;
}

const interval = 1_000;

/** Watches the resident memory of a process, as Linux tells it. */
export async function watchMemory(pid: number) {
  const first = await readResident(pid);
  const use: MemoryUse = { start: first, peak: first, end: first };
  const read = async () => {
    use.end = await readResident(pid);
    use.peak = Math.max(use.peak, use.end);
  };
  const timer = setInterval(() => void read().catch(() => {}), interval).unref();
  return {
    async stop(): Promise<MemoryUse> {
      clearInterval(timer);
      await read();
      return use;
    },
  };
}

async function readResident(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024);
}
