import { type Logger, pino } from 'pino';
import type { LogLevel } from './common-variables.ts';
import { createLineWriter } from './line-writer.ts';

export type { Logger };

/**
 * JSON lines on standard output. A request is logged by its path alone, never its query (which may carry a code or a
 * token), headers or body; an error by its type, message and stack, never by what a library hung onto it.
 */
export function createLogger(service: string, level: LogLevel): Logger {
  const options = {
    level,
    base: { service },
    timestamp: createTimestamp(),
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: serializeError },
  };
  const lines = createLineWriter({ describeLoss: createLossLine(service) });
  // However the process ends, the lines of its last turn are written.
  if (level !== 'silent') process.on('exit', lines.flush);
  return pino(options, lines);
}

/** In the form of every other line. */
function createLossLine(service: string): (lines: number) => string {
  return (lines) => {
    const time = new Date().toISOString();
    return `${JSON.stringify({ level: 'warn', time, service, lines, msg: 'log lines were dropped: nobody read them' })}\n`;
  };
}

/** RFC 3339 with milliseconds; spelled once for all the lines of a millisecond. */
function createTimestamp(): () => string {
  let spelled = { at: 0, text: '' };
  return () => {
    const at = Date.now();
    if (at !== spelled.at) spelled = { at, text: `,"time":"${new Date(at).toISOString()}"` };
    return spelled.text;
  };
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
