import type { FetchedList } from '@gatehouse/resource-server/parts';
import { createMetrics } from '@gatehouse/service-kit/metrics';
import type { Tracing } from '@gatehouse/service-kit/tracing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { followKeySet, followStatusLists } from '../src/callers/follow-fetches.ts';

describe('what org-api fetches from the auth server', () => {
  let metrics: ReturnType<typeof createMetrics>;
  let spans: unknown[];
  let now: number;
  let observers: Parameters<typeof followKeySet>[1];
  beforeEach(() => {
    metrics = createMetrics();
    spans = [];
    now = 1_000_000;
    const inSpan = <T>(span: unknown, work: () => Promise<T>) => {
      spans.push(span);
      return work();
    };
    observers = { metrics, clock: () => now, tracing: { inSpan } as unknown as Tracing };
  });
  const figures = async () => {
    const lines = (await metrics.print()).split('\n').filter((line) => line.startsWith('gatehouse_'));
    return Object.fromEntries(lines.map((line) => line.split(' ')));
  };
  const spanOf = (path: string) => ({
    name: `GET ${path}`,
    kind: 'client',
    attributes: { 'http.request.method': 'GET', 'url.template': path },
  });

  it('of status lists is counted by outcome: fetched, unchanged, failed; with the age of the last good answer', async () => {
    const answers: (FetchedList | Error)[] = [{ text: 'list' }, {}, {}, new Error('away')];
    const fetch = followStatusLists(async () => {
      const answer = answers.shift();
      if (answer === undefined || answer instanceof Error) throw answer;
      return answer;
    }, observers);
    const name = 'gatehouse_status_list_fetches_total';
    const counts = (fetched: string, unchanged: string, failed: string) => ({
      [`${name}{outcome="fetched"}`]: fetched,
      [`${name}{outcome="unchanged"}`]: unchanged,
      [`${name}{outcome="failed"}`]: failed,
    });
    expect(await figures()).toEqual(counts('0', '0', '0'));
    for (let turn = 0; turn < 3; turn += 1) await fetch('uri', undefined);
    now += 7_500;
    await expect(fetch('uri', undefined)).rejects.toThrow('away');
    expect(await figures()).toEqual({ ...counts('1', '2', '1'), gatehouse_status_list_age_seconds: '7.5' });
    expect(spans).toEqual(Array(4).fill(spanOf('/oauth/status-lists/{id}')));
  });

  it('of keys is counted in the same way, and needs no tracing', async () => {
    const keys = { keys: [] };
    expect(await followKeySet(async () => keys, { ...observers, tracing: undefined })()).toBe(keys);
    expect(spans).toEqual([]);
    expect(await figures()).toEqual({
      'gatehouse_key_set_fetches_total{outcome="fetched"}': '1',
      'gatehouse_key_set_fetches_total{outcome="failed"}': '0',
      gatehouse_key_set_age_seconds: '0',
    });
  });
});
