import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, systemClock } from '../clock.ts';
import { checkParameters } from './check-parameters.ts';
import type { StatementReading } from './cluster-statements.ts';
import {
  accessDeniedText,
  DatabaseUnavailableError,
  isAccessDenied,
  isDatabaseOutOfReach,
  isTlsFault,
} from './database-errors.ts';
import type { Dialect } from './database-url.ts';
import type { Statements } from './open-statements.ts';
import { openWithSchema } from './open-with-schema.ts';
import type { OpeningOptions } from './opened-database.ts';
import { createOutages, type Outages } from './outages.ts';
import type { PoolState } from './pool-state.ts';

export interface DatabaseOptions extends OpeningOptions {
  clock?: Clock;
  /** Inserts first rows. Runs once the schema exists, before the database counts as ready. Repeated until it succeeds. */
  prepare?(database: Database): Promise<void>;
}

/**
 * A service's own database. It may be out of reach at any time. On MySQL a statement that a deadlock or a failover undid
 * is sent again automatically (`resending.ts`).
 */
export interface Database extends Pick<Outages, 'timeOutOfReach'> {
  readonly dialect: Dialect;
  /**
   * Rows of one statement with `?` placeholders; rejects where a parameter is not one plain value, and with a
   * {@link DatabaseUnavailableError} until connected and the schema is up to date.
   */
  query<Row>(sql: string, parameters?: readonly unknown[], reading?: StatementReading): Promise<Row[]>;
  /** Sends one writing statement and says how many rows it matched. */
  execute(sql: string, parameters?: readonly unknown[], reading?: StatementReading): Promise<number>;
  /** Whether several servers take writes, so that a plain query may miss what was acknowledged. */
  isMultiPrimary(): boolean;
  /** Rejects, with a text for the operator, where the database cannot be used now. */
  check(): Promise<void>;
  /** The state of the connections; undefined before there are any, and with SQLite, which has one. */
  pool(): PoolState | undefined;
  close(): Promise<void>;
}

const connectRetryInterval = 1_000;
const checkTimeout = 2_000;

/**
 * Opens the database in the background and keeps trying. A service that starts before its database or its schema is not
 * ready and says so. It becomes ready without a restart.
 */
export function openDatabase(options: DatabaseOptions): Database {
  /** Once the schema is there, until the database is closed. */
  let statements: Statements | undefined;
  let isMultiPrimary = false;
  let ready = false;
  let fault = 'not connected yet';
  const closing = new AbortController();
  const outages = createOutages(options.clock ?? systemClock);

  const connect = async () => {
    if (statements === undefined) ({ statements, isMultiPrimary } = await openWithSchema(options));
    await options.prepare?.(database);
    ready = true;
  };
  const getStatements = (): Statements => {
    if (statements === undefined) throw new DatabaseUnavailableError(fault);
    return statements;
  };

  const tryToConnect = async () => {
    try {
      await connect();
      options.log.info('database is ready');
    } catch (error) {
      if (closing.signal.aborted) return;
      const message = describeFault(error);
      if (message !== fault) options.log.warn({ err: error }, `database is not ready: ${message}`);
      fault = message;
      await sleep(connectRetryInterval, undefined, { signal: closing.signal }).catch(() => {});
    }
  };
  const keepConnecting = async () => {
    while (!ready && !closing.signal.aborted) await tryToConnect();
  };

  const database: Database = {
    dialect: options.url.dialect,
    async query<Row>(sql: string, parameters: readonly unknown[] = [], reading?: StatementReading) {
      checkParameters(parameters);
      return outages.watch(() => getStatements().query<Row>(sql, parameters, reading));
    },
    async execute(sql, parameters = [], reading) {
      checkParameters(parameters);
      return outages.watch(() => getStatements().execute(sql, parameters, reading));
    },
    isMultiPrimary: () => isMultiPrimary,
    timeOutOfReach: outages.timeOutOfReach,
    async check() {
      if (!ready) throw new DatabaseUnavailableError(fault);
      const timeout = sleep(checkTimeout, 'late', { ref: false });
      const answer = await Promise.race([database.query('SELECT 1').catch(() => 'failed'), timeout]);
      if (typeof answer === 'string') throw new DatabaseUnavailableError('out of reach');
    },
    pool: () => statements?.pool(),
    async close() {
      closing.abort();
      await connecting;
      const closed = statements?.close();
      statements = undefined;
      await closed;
    },
  };
  const connecting = keepConnecting();
  return database;
}

/** The fault that keeps the database from being used, without anything of the inside. */
function describeFault(error: unknown): string {
  if (error instanceof DatabaseUnavailableError) return error.message;
  if (isAccessDenied(error)) return accessDeniedText;
  if (isTlsFault(error)) return 'no TLS connection to it; the log says why';
  return isDatabaseOutOfReach(error) ? 'out of reach' : 'could not be made ready; the log says why';
}

/** Resolves once the database can be used. After `timeout` milliseconds it rejects with the reason. */
export async function untilReady(database: Pick<Database, 'check'>, timeout: number): Promise<void> {
  const deadline = Date.now() + timeout;
  for (;;) {
    try {
      return await database.check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(50);
    }
  }
}
