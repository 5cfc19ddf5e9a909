import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { runInOrder } from '../src/import/run-in-order.ts';

async function* numbers(many: number): AsyncGenerator<number> {
  for (let number = 1; number <= many; number += 1) yield number;
}

describe('work in order', () => {
  it.each([1, 2, 3])('runs %s at once, and is finished in the order in which it began', async (atOnce) => {
    const finished: [number, string][] = [];
    let [running, most] = [0, 0];
    const work = async (number: number) => {
      running += 1;
      most = Math.max(most, running);
      await sleep(number % 2 === 0 ? 1 : 10);
      running -= 1;
      return `done ${number}`;
    };
    await runInOrder(numbers(7), atOnce, work, (given, done) => finished.push([given, done]));
    expect(most).toBe(atOnce);
    expect(finished).toEqual([1, 2, 3, 4, 5, 6, 7].map((number) => [number, `done ${number}`]));
  });

  it.each([1, 2, 3])('finishes nothing behind a failure at %s, and ends once nothing runs', async (failing) => {
    const finished: number[] = [];
    let running = 0;
    const work = async (number: number) => {
      running += 1;
      await sleep(number === failing ? 1 : 10);
      running -= 1;
      if (number === failing) throw new Error('out of reach');
    };
    const run = runInOrder(numbers(7), 2, work, (given) => finished.push(given));
    await expect(run).rejects.toThrow('out of reach');
    expect([finished, running]).toEqual([[1, 2].filter((number) => number < failing), 0]);
  });
});
