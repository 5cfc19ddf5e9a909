import { cheapHashCost } from '@gatehouse/test-kit';
import { describe, expect, it } from '@jest/globals';
import { createAuditEventCounter } from '../src/metrics/audit-events.ts';
import { createRefusalCounter } from '../src/metrics/authentication-refusals.ts';
import { readBuildInfo, reportBuild } from '../src/metrics/build-info.ts';
import { createMetrics } from '../src/metrics/create-metrics.ts';
import { createMeteredSlowHash } from '../src/metrics/metered-slow-hash.ts';
import { createPurgeObserver } from '../src/metrics/purge-metrics.ts';

const linesOf = async (metrics: ReturnType<typeof createMetrics>, name: string) =>
  (await metrics.print()).split('\n').filter((line) => line.startsWith(name));

describe('the instruments', () => {
  it('count by label values, also those that need an escape', async () => {
    const metrics = createMetrics();
    const counter = metrics.counter({ name: 'x_total', help: 'x', labelNames: ['a', 'b'] });
    counter.add(['1', 'q"\\\n']);
    counter.add(['1', 'q"\\\n'], 2);
    counter.add(['q', 1]);
    expect(await linesOf(metrics, 'x_total')).toEqual(['x_total{a="1",b="q\\"\\\\\\n"} 3', 'x_total{a="q",b="1"} 1']);
  });

  it('print a label that was given no value as an empty one', async () => {
    const metrics = createMetrics();
    metrics.counter({ name: 'x_total', help: 'x', labelNames: ['a', 'b'] }).add(['1']);
    expect(await linesOf(metrics, 'x_total')).toEqual(['x_total{a="1",b=""} 1']);
  });

  it('are there from the start where they have no labels', async () => {
    const metrics = createMetrics();
    metrics.counter({ name: 'x_total', help: 'x' });
    metrics.counter({ name: 'y_total', help: 'y', labelNames: ['a'] });
    metrics.histogram({ name: 'x_seconds', help: 'x', buckets: [1] });
    metrics.histogram({ name: 'y_seconds', help: 'y', labelNames: ['a'], buckets: [1] });
    expect(await linesOf(metrics, 'x_')).toEqual([
      'x_total 0',
      'x_seconds_bucket{le="1"} 0',
      'x_seconds_bucket{le="+Inf"} 0',
      'x_seconds_sum 0',
      'x_seconds_count 0',
    ]);
    expect(await linesOf(metrics, 'y_')).toEqual([]);
  });

  it('are printed beside the figures of the process', async () => {
    expect(await linesOf(createMetrics(), 'process_start_time_seconds')).toHaveLength(1);
  });

  it('put values into buckets up to and with their bound', async () => {
    const metrics = createMetrics();
    const histogram = metrics.histogram({ name: 'x_seconds', help: 'x', labelNames: ['a'], buckets: [1, 2] });
    for (const value of [0.5, 1, 1.5, 2, 3]) histogram.observe(['k'], value);
    expect(await linesOf(metrics, 'x_seconds')).toEqual([
      'x_seconds_bucket{a="k",le="1"} 2',
      'x_seconds_bucket{a="k",le="2"} 4',
      'x_seconds_bucket{a="k",le="+Inf"} 5',
      'x_seconds_sum{a="k"} 8',
      'x_seconds_count{a="k"} 5',
    ]);
  });

  it('have each a name of their own', () => {
    const metrics = createMetrics();
    metrics.gauge({ name: 'x', help: 'x' }, () => []);
    expect(() => metrics.counter({ name: 'x', help: 'x' })).toThrow('two metrics');
  });
});

describe('the figure of what runs', () => {
  it('names the service, without the scope of its package, and its version, and is always 1', async () => {
    const metrics = createMetrics();
    reportBuild(metrics, readBuildInfo(new URL('../package.json', import.meta.url)));
    expect(await linesOf(metrics, 'gatehouse_build_info')).toEqual([
      expect.stringMatching(/^gatehouse_build_info\{service="service-kit",version="\d+\.\d+\.\d+[^"]*"\} 1$/),
    ]);
  });
});

describe('the figures of audit events', () => {
  it('have each outcome from the start, and count one event or many', async () => {
    const metrics = createMetrics();
    const count = createAuditEventCounter(metrics);
    const read = () => linesOf(metrics, 'gatehouse_audit_events_total');
    const lineOf = (outcome: string, events: number) => `gatehouse_audit_events_total{outcome="${outcome}"} ${events}`;
    expect(await read()).toEqual([lineOf('stored', 0), lineOf('dropped', 0), lineOf('failed', 0)]);
    count('stored', 7);
    count('failed');
    expect(await read()).toEqual([lineOf('stored', 7), lineOf('dropped', 0), lineOf('failed', 1)]);
  });
});

describe('the figures of refused authentications', () => {
  it('have each reason that is expected from the start, and count by kind and reason', async () => {
    const metrics = createMetrics();
    const count = createRefusalCounter(metrics, { client: ['secret', 'assertion'] });
    const read = () => linesOf(metrics, 'gatehouse_authentication_refusals_total');
    const lineOf = (kind: string, reason: string, times: number) =>
      `gatehouse_authentication_refusals_total{kind="${kind}",reason="${reason}"} ${times}`;
    expect(await read()).toEqual([lineOf('client', 'secret', 0), lineOf('client', 'assertion', 0)]);
    count('client', 'assertion');
    count('password', 'wrong');
    expect(await read()).toEqual([
      ...[lineOf('client', 'secret', 0), lineOf('client', 'assertion', 1)],
      lineOf('password', 'wrong', 1),
    ]);
  });
});

describe('the figures of password hashes', () => {
  it('show who waits, who is served and who waited for too long', async () => {
    const metrics = createMetrics();
    let now = 0;
    const slowHash = createMeteredSlowHash(metrics, { concurrency: 1, maxWait: 1_000, now: () => now });
    const first = slowHash.hash('secret');
    const late = slowHash.hash('secret');
    await Promise.resolve();
    expect(await linesOf(metrics, 'gatehouse_password_hash_queue_length')).toEqual([
      'gatehouse_password_hash_queue_length 1',
    ]);
    now = 1_001;
    await first;
    await expect(late).rejects.toMatchObject({ status: 503 });
    expect(await linesOf(metrics, 'gatehouse_password_hash_given_up')).toEqual([
      'gatehouse_password_hash_given_up_total 1',
    ]);
    expect(await linesOf(metrics, 'gatehouse_password_hash_wait_seconds_count')).toEqual([
      'gatehouse_password_hash_wait_seconds_count 1',
    ]);
  });

  it('show how many are computed at a time, and who found no place', async () => {
    const metrics = createMetrics();
    const slowHash = createMeteredSlowHash(metrics, { concurrency: 2, cost: cheapHashCost });
    const stranger = { kind: 'check', known: undefined, network: '192.0.2.1', wideNetwork: '192.0.2.1' } as const;
    const turns = [...Array(2).fill({ ...stranger, known: 'ada' }), ...Array(129).fill(stranger)];
    const checks = turns.map((turn) => slowHash.verify(undefined, 'secret', turn));
    const settled = Promise.allSettled(checks);
    expect(await linesOf(metrics, 'gatehouse_password_hash_running')).toEqual(['gatehouse_password_hash_running 2']);
    expect((await settled).map(({ status }) => status)).toEqual([...Array(130).fill('fulfilled'), 'rejected']);
    expect(await linesOf(metrics, 'gatehouse_password_hash_concurrency')).toEqual([
      'gatehouse_password_hash_concurrency 2',
    ]);
    expect(await linesOf(metrics, 'gatehouse_password_hash_refused')).toEqual([
      'gatehouse_password_hash_refused_total 1',
    ]);
  });
});

describe('the figures of purges', () => {
  it('say what was deleted, what failed and when a round last went through', async () => {
    const metrics = createMetrics();
    let now = 5_000;
    const observer = createPurgeObserver(metrics, ['codes'], () => now);
    const succeededAt = () => linesOf(metrics, 'gatehouse_purge_last_success_timestamp_seconds');
    expect(await succeededAt()).toEqual(['gatehouse_purge_last_success_timestamp_seconds 5']);
    const rows = () => linesOf(metrics, 'gatehouse_purged_rows_total');
    const failures = () => linesOf(metrics, 'gatehouse_purge_failures_total');
    expect(await rows()).toEqual(['gatehouse_purged_rows_total{table="codes"} 0']);
    expect(await failures()).toEqual(['gatehouse_purge_failures_total{table="codes"} 0']);
    observer.deleted('codes', 7);
    observer.failed('codes');
    now = 9_000;
    observer.finished();
    expect(await succeededAt()).toEqual(['gatehouse_purge_last_success_timestamp_seconds 9']);
    expect(await rows()).toEqual(['gatehouse_purged_rows_total{table="codes"} 7']);
    expect(await failures()).toEqual(['gatehouse_purge_failures_total{table="codes"} 1']);
  });
});
