import { median } from './statistics.ts';

/** The observations of a load generator in one window. */
export interface LoadResult {
  /** Answers within the window. */
  requests: number;
  /** Length of the window. */
  seconds: number;
  /** Answers that were not 2xx, and errors of the connection. */
  failures: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

/** One window of one variant. */
export interface Sample extends LoadResult {
  /** Microseconds of CPU the measured process spent for each request; undefined where the system does not tell. */
  cpuMicros: number | undefined;
  /** Megabytes it held at the end of the window; undefined where the system does not tell. */
  residentMb: number | undefined;
}

/** All windows of one variant. */
export interface Row {
  variant: string;
  samples: readonly Sample[];
}

/** The medians of a row. A row is void where a single answer was not a good one. */
export interface Summary {
  perSecond: number;
  rates: number[];
  cpuMicros: number | undefined;
  p50: number;
  p99: number;
  residentMb: number | undefined;
  failures: number;
  void: boolean;
}

export function summarize({ samples }: Row): Summary {
  const rates = samples.map(({ requests, seconds }) => requests / seconds);
  const failures = samples.reduce((sum, sample) => sum + sample.failures, 0);
  const of = (choose: (sample: Sample) => number | undefined) => {
    const values = samples.map(choose).filter((value) => value !== undefined);
    return values.length === 0 ? undefined : median(values);
  };
  return {
    perSecond: median(rates),
    rates,
    cpuMicros: of((sample) => sample.cpuMicros),
    p50: median(samples.map(({ p50 }) => p50)),
    p99: median(samples.map(({ p99 }) => p99)),
    residentMb: of((sample) => sample.residentMb),
    failures,
    void: failures > 0 || samples.length === 0 || samples.some(({ requests }) => requests === 0),
  };
}
