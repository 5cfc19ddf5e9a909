import { type Logger, pino } from 'pino';
import type { LogLevel } from './common-variables.ts';
import { createLineWriter } from './line-writer.ts';

export type { Logger };

/**
 * Writes JSON lines on standard output. A line about a request has its path, never its query (which may carry a code or a
 * token), headers or body. A line about an error has its type, message and stack, never other members that a library set.
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
  // The lines of the last turn are written when the process exits.
  if (level !== 'silent') process.on('exit', lines.flush);
  return pino(options, lines);
}

/** Makes the line that counts lost lines, in the form of every other line. */
function createLossLine(service: string): (lines: number) => string {
  return (lines) => {
    const time = new Date().toISOString();
    return `${JSON.stringify({ level: 'warn', time, service, lines, msg: 'log lines were dropped: nobody read them' })}\n`;
  };
}

/** RFC 3339 with milliseconds. The text is made once for all lines of a millisecond. */
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
