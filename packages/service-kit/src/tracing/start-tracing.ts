import type { CommonConfig } from '../common-config.ts';
import type { Logger } from '../logging.ts';
import type { BuildInfo } from '../metrics/build-info.ts';
import type { Tracing } from './tracing.ts';

/** The means by which operators watch a process. Most tests need none of them. */
export interface Observation {
  build?: BuildInfo;
  tracing?: Tracing | undefined;
}

/** Starts tracing where it is configured. Only then is OpenTelemetry's SDK loaded. */
export async function startTracing(
  { tracesUrl }: Pick<CommonConfig, 'tracesUrl'>,
  build: BuildInfo,
  log: Logger,
): Promise<Tracing | undefined> {
  if (tracesUrl === undefined) return undefined;
  const { createOpenTelemetry } = await import('./open-telemetry.ts');
  return createOpenTelemetry({ tracesUrl, build, log });
}
