/** `HASH_MEMORY`: MiB that all hashes take at the same time. */
export const hashMemory = { least: 96, usual: 128 };

/** Lets work run while the memory that it takes is free. Others wait in the order in which they came. */
export type MemoryBudget = <T>(taken: number, work: () => Promise<T>) => Promise<T>;

/** `total`, in the unit of what is taken. Work that takes more than all of it waits until it is alone. */
export function createMemoryBudget(total: number): MemoryBudget {
  const waiting: { taken: number; start: () => void }[] = [];
  let free = total;
  const startNext = () => {
    while (waiting[0] !== undefined && waiting[0].taken <= free) {
      free -= waiting[0].taken;
      waiting.shift()?.start();
    }
  };
  return async (wanted, work) => {
    const taken = Math.min(wanted, total);
    await new Promise<void>((start) => {
      waiting.push({ taken, start });
      startNext();
    });
    try {
      return await work();
    } finally {
      free += taken;
      startNext();
    }
  };
}
