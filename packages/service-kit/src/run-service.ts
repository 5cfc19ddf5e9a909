import { accessDeniedText, isAccessDenied } from './database/database-errors.ts';
import { ConfigError } from './environment.ts';
import { keepTick } from './keep-tick.ts';
import type { Logger } from './logging.ts';

/** Milliseconds within which a service ends after SIGTERM, even if requests still run. */
const shutdownDeadline = 9_000;

/** Ends a step with one line of its own. 64: it was called in another way than it takes (`EX_USAGE` of sysexits.h). */
export class StepError extends Error {
  override readonly name = 'StepError';
  readonly exitCode: 1 | 64;

  constructor(message: string, exitCode: 1 | 64 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

export interface RunningService {
  log: Logger;
  /** Resolves with the error with which a service that has started cannot go on. */
  failed?: Promise<Error>;
  /** Accepts no new connections, finishes running requests, closes the database. */
  close(): Promise<void>;
}

/**
 * Runs a service as a process. If it cannot start, it writes one line for each fault and exits with 1. On SIGTERM and SIGINT it ends
 * gracefully and exits with 0.
 */
export async function runService(start: () => Promise<RunningService>): Promise<void> {
  keepTick();
  try {
    const service = await start();
    stopOnSignal(service);
    void service.failed?.then(exitWith);
  } catch (error) {
    exitWith(error);
  }
}

/** Runs a step such as a migration as a process. It exits with 0, or writes one line and exits with 1, or the code of a {@link StepError}. */
export async function runStep(step: () => Promise<void>): Promise<void> {
  try {
    await step();
    process.exit(0);
  } catch (error) {
    exitWith(error);
  }
}

function exitWith(error: unknown): void {
  process.stderr.write(`${describeStartFailure(error)}\n`);
  process.exit(error instanceof StepError ? error.exitCode : 1);
}

function stopOnSignal({ log, close }: RunningService): void {
  let stopping = false;
  const stop = async (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.warn('some requests did not finish in time');
      process.exit(0);
    }, shutdownDeadline).unref();
    await close().catch((error: unknown) => log.error({ err: error }, 'stopping failed'));
    log.info('stopped');
    process.exit(0);
  };
  process.on('SIGTERM', (signal) => void stop(signal));
  process.on('SIGINT', (signal) => void stop(signal));
}

function describeStartFailure(error: unknown): string {
  if (error instanceof StepError) return error.message;
  if (error instanceof ConfigError) return error.message.replace(/^/gm, 'configuration: ');
  const { code, port, address } = error as { code?: string; port?: number; address?: string };
  if (isAccessDenied(error)) return `cannot start: ${accessDeniedText}`;
  if (code === 'EADDRINUSE') return `cannot listen: ${address}:${port} is in use`;
  return `cannot start: ${error instanceof Error ? error.message : String(error)}`;
}
