import type { LoadResult } from '../measurement/sample.ts';
import { percentile } from '../measurement/statistics.ts';
import type { LoadSize, WindowObserver } from './load.ts';

/** Goes through several requests in turn. Gives whether the last had the right answer. `index`: how many began before. */
export type Journey = (index: number) => Promise<boolean>;

/** Goes on journeys, `connections` at a time, in this process. A journey counts where it ends in the window. */
export async function runJourneys(journey: Journey, size: LoadSize, observer: WindowObserver): Promise<LoadResult> {
  let latencies: number[] = [];
  let failures = 0;
  let begun = 0;
  let windowStart = 0;
  const begin = performance.now() + size.warmupSeconds * 1000;
  const end = begin + size.seconds * 1000;
  const beginOnce = () => {
    if (windowStart > 0 || performance.now() < begin) return;
    windowStart = performance.now();
    latencies = [];
    observer.begin();
  };
  const travel = async () => {
    while (performance.now() < end) {
      const start = performance.now();
      const isRight = await journey(begun++);
      beginOnce();
      if (!isRight) failures += 1;
      if (performance.now() < end) latencies.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: size.connections }, travel));
  observer.end();
  const seconds = (end - windowStart) / 1000;
  return {
    requests: latencies.length,
    seconds,
    failures,
    p50: percentile(latencies, 50),
    p99: percentile(latencies, 99),
  };
}
