import type { Logger } from '@gatehouse/service-kit';

/** A line of a log, as it was parsed. */
export type LogLine = Record<string, unknown>;

/** Takes the lines of a log in the place of standard output; gives a function that gives those that were written since. */
export function readLog(log: Logger): () => LogLine[] {
  const stream = Object.getOwnPropertySymbols(log).find(({ description }) => description === 'pino.stream');
  if (stream === undefined) throw new Error('the log has no stream');
  const lines: string[] = [];
  Object.assign(Reflect.get(log, stream) as object, { write: (line: string) => lines.push(line) });
  return () => lines.map((line) => JSON.parse(line) as LogLine);
}
