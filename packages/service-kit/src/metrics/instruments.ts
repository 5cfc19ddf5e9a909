import type { Counter, Histogram, LabelValue, MetricDefinition, ReadGauge } from './metrics.ts';
import { createSeries } from './series.ts';

/** An instrument that prints its lines in the Prometheus text format, without HELP and TYPE. */
export interface Instrument {
  definition: MetricDefinition;
  type: 'counter' | 'gauge' | 'histogram';
  print(): readonly string[] | Promise<readonly string[]>;
}

/**
 * These instruments count in plain numbers and keep the text of their labels. prom-client builds and hashes an object for
 * every observation, which costs microseconds, and builds every line again for every scrape.
 */
export function createCounterInstrument(definition: MetricDefinition): Instrument & Counter {
  const series = createSeries((labels) => ({
    line: `${definition.name}${formatLabels(definition, labels)} `,
    count: 0,
  }));
  // A counter without labels exists from the start, so that its first increase shows.
  if (definition.labelNames === undefined) series.get([]);
  return {
    definition,
    type: 'counter',
    add(labels, amount = 1) {
      series.get(labels).count += amount;
    },
    print: () => series.list().map(({ line, count }) => line + count),
  };
}

export function createHistogramInstrument(
  definition: MetricDefinition & { buckets: readonly number[] },
): Instrument & Histogram {
  const { buckets } = definition;
  const series = createSeries((labels) => ({
    lines: histogramLines(definition, labels),
    counts: new Float64Array(buckets.length + 1),
    sum: 0,
  }));
  if (definition.labelNames === undefined) series.get([]);
  return {
    definition,
    type: 'histogram',
    observe(labels, value) {
      const one = series.get(labels);
      let bucket = 0;
      while (bucket < buckets.length && value > (buckets[bucket] ?? 0)) bucket += 1;
      one.counts[bucket] = (one.counts[bucket] ?? 0) + 1;
      one.sum += value;
    },
    print: () => series.list().flatMap(printHistogram),
  };
}

export function createGaugeInstrument(definition: MetricDefinition, read: ReadGauge): Instrument {
  return {
    definition,
    type: 'gauge',
    async print() {
      const readings = await read();
      return readings.map(([labels, value]) => `${definition.name}${formatLabels(definition, labels)} ${value}`);
    },
  };
}

interface HistogramLines {
  buckets: string[];
  sum: string;
  count: string;
}

function histogramLines(definition: MetricDefinition & { buckets: readonly number[] }, labels: readonly LabelValue[]) {
  const { name, buckets, labelNames = [] } = definition;
  const withBound = { ...definition, labelNames: [...labelNames, 'le'] };
  const own = formatLabels(definition, labels);
  return {
    buckets: [...buckets, '+Inf'].map((bound) => `${name}_bucket${formatLabels(withBound, [...labels, bound])} `),
    sum: `${name}_sum${own} `,
    count: `${name}_count${own} `,
  };
}

function printHistogram({ lines, counts, sum }: { lines: HistogramLines; counts: Float64Array; sum: number }) {
  let count = 0;
  const buckets = lines.buckets.map((line, bucket) => {
    count += counts[bucket] ?? 0;
    return line + count;
  });
  return [...buckets, lines.sum + sum, lines.count + count];
}

function formatLabels({ labelNames = [] }: MetricDefinition, labels: readonly LabelValue[]): string {
  if (labelNames.length === 0) return '';
  return `{${labelNames.map((name, index) => `${name}="${escapeLabel(labels[index] ?? '')}"`).join(',')}}`;
}

function escapeLabel(value: LabelValue): string {
  return String(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
