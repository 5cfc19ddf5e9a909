import { describe, expect, it } from '@jest/globals';
import { createMemoryBudget } from '../src/memory-budget.ts';

describe('memory budget', () => {
  const createLab = (total: number) => {
    const inMemory = createMemoryBudget(total);
    const running = new Map<string, (error?: Error) => void>();
    const ask = (name: string, taken: number) =>
      inMemory(
        taken,
        () =>
          new Promise<void>((resolve, reject) => {
            running.set(name, (error) => {
              running.delete(name);
              return error === undefined ? resolve() : reject(error);
            });
          }),
      );
    const settle = () => new Promise((resolve) => setImmediate(resolve));
    return { ask, running, names: () => settle().then(() => [...running.keys()]) };
  };

  it('runs what finds room; the rest in the order in which it came', async () => {
    const { ask, running, names } = createLab(10);
    const all = [ask('a', 6), ask('b', 4), ask('c', 8), ask('d', 1)];
    expect(await names()).toEqual(['a', 'b']);
    running.get('b')?.();
    expect(await names()).toEqual(['a']);
    running.get('a')?.();
    expect(await names()).toEqual(['c', 'd']);
    for (const end of [...running.values()]) end();
    await Promise.all(all);
  });

  it('gives back what failed work took', async () => {
    const { ask, running, names } = createLab(10);
    const failing = expect(ask('a', 10)).rejects.toThrow('of the work');
    const next = ask('b', 10);
    await names();
    running.get('a')?.(new Error('of the work'));
    await failing;
    expect(await names()).toEqual(['b']);
    running.get('b')?.();
    await next;
  });

  it('runs alone what takes more than there is', async () => {
    const { ask, running, names } = createLab(10);
    const both = [ask('large', 99), ask('small', 1)];
    expect(await names()).toEqual(['large']);
    running.get('large')?.();
    expect(await names()).toEqual(['small']);
    running.get('small')?.();
    await Promise.all(both);
  });
});
