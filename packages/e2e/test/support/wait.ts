import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks again until the answer is as wished; gives the last one either way. It is asked for the last time when the time is
 * over, so an answer that takes long on a busy machine is not taken for what holds then.
 */
export async function waitFor<T>(ask: () => Promise<T>, isWished: (answer: T) => boolean, within = 15_000): Promise<T> {
  const deadline = performance.now() + within;
  for (;;) {
    const isLast = performance.now() > deadline;
    const answer = await ask();
    if (isLast || isWished(answer)) return answer;
    await sleep(50);
  }
}

/** The same promise, several times at once. */
export function atOnce<T>(times: number, start: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: times }, (_, index) => start(index)));
}
