import type { CommonConfig } from '../common-config.ts';
import type { Logger } from '../logging.ts';
import type { BuildInfo } from '../metrics/build-info.ts';
import type { Tracing } from './tracing.ts';

/** What a process tells of itself to those who watch it; a test needs neither. */
export interface Observation {
  build?: BuildInfo;
  tracing?: Tracing | undefined;
}

/** Starts tracing where it is configured. OpenTelemetry's SDK is loaded then and only then: off, it costs nothing. */
export async function startTracing(
  { tracesUrl }: Pick<CommonConfig, 'tracesUrl'>,
  build: BuildInfo,
  log: Logger,
): Promise<Tracing | undefined> {
  if (tracesUrl === undefined) return undefined;
  const { createOpenTelemetry } = await import('./open-telemetry.ts');
  return createOpenTelemetry({ tracesUrl, build, log });
}
