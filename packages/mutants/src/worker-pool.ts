import { createWorkerProcess, type WorkerProcess } from './worker-process.ts';

export interface WorkerPool {
  /** Each worker takes the next item when it is done with one. */
  forEach<T>(items: readonly T[], action: (item: T, worker: WorkerProcess) => Promise<void>): Promise<void>;
  close(): void;
}

export function createWorkerPool(count: number): WorkerPool {
  const workers = Array.from({ length: count }, createWorkerProcess);
  return {
    async forEach(items, action) {
      const rest = items.values();
      await Promise.all(
        workers.map(async (worker) => {
          for (const item of rest) await action(item, worker);
        }),
      );
    },
    close() {
      for (const worker of workers) worker.close();
    },
  };
}
