import type { FetchKeySet, FetchStatusList } from '@gatehouse/resource-server/parts';
import type { Clock } from '@gatehouse/service-kit';
import type { Metrics } from '@gatehouse/service-kit/metrics';
import type { SpanDescription, Tracing } from '@gatehouse/service-kit/tracing';

interface Observers {
  metrics: Metrics;
  tracing: Tracing | undefined;
  clock: Clock;
}

/** Measures the fetches and the age of the key set. Adds a span for each fetch where tracing is on. */
export function followKeySet(fetchKeySet: FetchKeySet, observers: Observers): FetchKeySet {
  const follow = createFollower(observers, {
    name: 'key_set',
    what: 'the auth server’s key set',
    outcomes: ['fetched', 'failed'],
    span: describeFetch('/oauth/jwks'),
  });
  return () => follow(fetchKeySet, () => 'fetched');
}

/** The same for status lists. `unchanged` counts answers 304: the list is in memory already. */
export function followStatusLists(fetchStatusList: FetchStatusList, observers: Observers): FetchStatusList {
  const follow = createFollower(observers, {
    name: 'status_list',
    what: 'status lists',
    outcomes: ['fetched', 'unchanged', 'failed'],
    span: describeFetch('/oauth/status-lists/{id}'),
  });
  return (uri, etag, waiting) =>
    follow(
      () => fetchStatusList(uri, etag, waiting),
      ({ text }) => (text === undefined ? 'unchanged' : 'fetched'),
    );
}

function describeFetch(path: string): SpanDescription {
  return { name: `GET ${path}`, kind: 'client', attributes: { 'http.request.method': 'GET', 'url.template': path } };
}

function createFollower(
  { metrics, tracing, clock }: Observers,
  { name, what, outcomes, span }: { name: string; what: string; outcomes: readonly string[]; span: SpanDescription },
) {
  const fetches = metrics.counter({
    name: `gatehouse_${name}_fetches_total`,
    help: `Fetches of ${what}, by outcome`,
    labelNames: ['outcome'],
  });
  for (const outcome of outcomes) fetches.add([outcome], 0);
  let confirmedAt: number | undefined;
  metrics.gauge({ name: `gatehouse_${name}_age_seconds`, help: `Time since the last good fetch of ${what}` }, () =>
    confirmedAt === undefined ? [] : [[[], (clock() - confirmedAt) / 1000]],
  );
  return async <T>(fetch: () => Promise<T>, outcomeOf: (result: T) => string): Promise<T> => {
    try {
      const result = await (tracing === undefined ? fetch() : tracing.inSpan(span, fetch));
      fetches.add([outcomeOf(result)]);
      confirmedAt = clock();
      return result;
    } catch (error) {
      fetches.add(['failed']);
      throw error;
    }
  };
}
