import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again until the answer is as wished; gives the last one either way. */
export async function waitFor<T>(ask: () => Promise<T>, isWished: (answer: T) => boolean, within = 15_000): Promise<T> {
  const deadline = performance.now() + within;
  for (;;) {
    const answer = await ask();
    if (isWished(answer) || performance.now() > deadline) return answer;
    await sleep(50);
  }
}

/** The same promise, several times at once. */
export function atOnce<T>(times: number, start: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: times }, (_, index) => start(index)));
}
