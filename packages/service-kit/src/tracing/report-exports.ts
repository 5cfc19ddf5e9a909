import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Logger } from '../logging.ts';

/** Takes the outcome of each delivery: undefined where it reached the receiver. */
export type ReportDelivery = (error: Error | undefined) => void;

/** Logs once when deliveries begin to fail, and once when they succeed again, not for every batch. */
export function createReportDelivery(log: Logger): ReportDelivery {
  let failing = false;
  return (error) => {
    if (failing === (error !== undefined)) return;
    failing = error !== undefined;
    if (failing) log.warn({ reason: error?.name }, 'spans cannot be delivered');
    else log.info('spans are delivered again');
  };
}

export function reportExports(exporter: SpanExporter, report: ReportDelivery): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        // ExportResultCode.FAILED
        report(result.code === 1 ? (result.error ?? new Error('failed')) : undefined);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
