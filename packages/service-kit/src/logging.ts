import { type Logger, pino } from 'pino';
import type { LogLevel } from './common-config.ts';

export type { Logger };

/**
 * JSON lines on standard output. A request is logged by its path alone, never its query (which may carry a code or a
 * token), headers or body; an error by its type, message and stack, never by what a library hung onto it.
 */
export function createLogger(service: string, level: LogLevel): Logger {
  return pino({
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: serializeError },
  });
}

interface SerializedError {
  type: string;
  message: string;
  code?: string | number;
  reason?: string;
  stack?: string;
  cause?: SerializedError;
}

function serializeError(error: unknown): SerializedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'not an Error' };
  const { code, reason } = error as { code?: unknown; reason?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(error.cause === undefined ? {} : { cause: serializeError(error.cause) }),
  };
}
