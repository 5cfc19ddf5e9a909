/** A value of a label. Every label takes its values from a small closed set, never from a request. */
export type LabelValue = string | number;

/** A metric, named by the conventions of Prometheus: base units, `_total` for a value that only grows. */
export interface MetricDefinition {
  name: string;
  help: string;
  labelNames?: readonly string[];
}

/** Counts what happened. */
export interface Counter {
  /** Label values in the order of the definition; `amount` is 1 by default. */
  add(labels: readonly LabelValue[], amount?: number): void;
}

/** Counts values by size. Most are seconds. */
export interface Histogram {
  observe(labels: readonly LabelValue[], value: number): void;
}

/** Label values in the order of the definition, and the value now. */
export type Reading = readonly [labels: readonly LabelValue[], value: number];

export type ReadGauge = () => readonly Reading[] | Promise<readonly Reading[]>;

/**
 * The port to the metrics of a service. Counting is cheap enough for the hottest path (well below a microsecond).
 * Gauges are read at each scrape.
 */
export interface Metrics {
  counter(definition: MetricDefinition): Counter;
  /** `buckets`: upper bounds, in ascending order. */
  histogram(definition: MetricDefinition & { buckets: readonly number[] }): Histogram;
  gauge(definition: MetricDefinition, read: ReadGauge): void;
  readonly contentType: string;
  /** Gives all metrics in the Prometheus text format. */
  print(): Promise<string>;
}
