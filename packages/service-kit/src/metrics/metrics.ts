/** A value of a label. Every label takes its values from a small closed set: never a name that somebody chose. */
export type LabelValue = string | number;

/** What is measured, named by the conventions of Prometheus: base units, `_total` for what only grows. */
export interface MetricDefinition {
  name: string;
  help: string;
  labelNames?: readonly string[];
}

/** Counts what happened. */
export interface Counter {
  /** Label values in the order of the definition; 1 unless told otherwise. */
  add(labels: readonly LabelValue[], amount?: number): void;
}

/** Counts values, mostly seconds, by size. */
export interface Histogram {
  observe(labels: readonly LabelValue[], value: number): void;
}

/** Label values in the order of the definition, and how things stand. */
export type Reading = readonly [labels: readonly LabelValue[], value: number];

export type ReadGauge = () => readonly Reading[] | Promise<readonly Reading[]>;

/**
 * The port to the figures of a service. Counting is cheap enough for the hottest path (well below a microsecond);
 * gauges are read when somebody asks for the figures.
 */
export interface Metrics {
  counter(definition: MetricDefinition): Counter;
  /** `buckets`: upper bounds, in ascending order. */
  histogram(definition: MetricDefinition & { buckets: readonly number[] }): Histogram;
  gauge(definition: MetricDefinition, read: ReadGauge): void;
  readonly contentType: string;
  /** All figures in the Prometheus text format. */
  print(): Promise<string>;
}
