import type { Metrics } from '@gatehouse/service-kit/metrics';

/** Seconds. */
const buckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

/** Lists are built when a caller asks for them, at most twice a second each; the time grows with the tokens in one. */
export function observeStatusListBuilds(metrics: Metrics): (seconds: number) => void {
  const builds = metrics.histogram({
    name: 'gatehouse_status_list_build_seconds',
    help: 'Time to build a status list from the database',
    buckets,
  });
  return (seconds) => builds.observe([], seconds);
}
