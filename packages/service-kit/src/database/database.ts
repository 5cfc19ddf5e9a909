import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, EntityManager } from 'typeorm';
import type { Logger } from '../logging.ts';
import { connectDataSource, type DatabaseSchema } from './data-source.ts';
import { DatabaseUnavailableError, isDatabaseOutOfReach, isDeadlock } from './database-errors.ts';
import type { DatabaseUrl, Dialect } from './database-url.ts';
import { migrate } from './migrate.ts';

export interface DatabaseOptions extends DatabaseSchema {
  url: DatabaseUrl;
  migrateOnStart: boolean;
  log: Logger;
  /** Runs once the schema is there, before the database counts as ready: first rows. Repeated until it succeeds. */
  prepare?(database: Database): Promise<void>;
}

/** A service's own database, which may not be there yet, or not any more. */
export interface Database {
  readonly dialect: Dialect;
  /** Throws {@link DatabaseUnavailableError} until connected and the schema is up to date. */
  manager(): EntityManager;
  /** Rows of one statement with `?` placeholders. */
  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /** Sends one writing statement and says how many rows it matched; once more where it was given up as a deadlock. */
  execute(sql: string, parameters?: readonly unknown[]): Promise<number>;
  /** Rejects, with a text for the operator, where the database cannot be used now. */
  check(): Promise<void>;
  close(): Promise<void>;
}

const connectRetryInterval = 1_000;
const checkTimeout = 2_000;

/**
 * Opens the database in the background and keeps trying: a service that starts before its database, or before its
 * schema, is not ready and says so, and becomes ready without a restart.
 */
export function openDatabase(options: DatabaseOptions): Database {
  let dataSource: DataSource | undefined;
  let schemaReady = false;
  let ready = false;
  let fault = 'not connected yet';
  const closing = new AbortController();

  const connect = async () => {
    dataSource ??= await connectDataSource(options);
    if (options.migrateOnStart) await migrate(dataSource);
    else if (await dataSource.showMigrations())
      throw new DatabaseUnavailableError('the schema is older than the code; run migrate.js');
    schemaReady = true;
    await options.prepare?.(database);
    ready = true;
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
    manager() {
      if (!schemaReady) throw new DatabaseUnavailableError(fault);
      return managerOf(dataSource);
    },
    query: async (sql, parameters = []) => database.manager().query(sql, [...parameters]),
    async execute(sql, parameters = []) {
      try {
        return await countMatched(database.manager(), sql, parameters);
      } catch (error) {
        if (!isDeadlock(error)) throw error;
        return await countMatched(database.manager(), sql, parameters);
      }
    },
    async check() {
      if (!ready) throw new DatabaseUnavailableError(fault);
      const manager = database.manager();
      const timeout = sleep(checkTimeout, 'late', { ref: false });
      const answer = await Promise.race([manager.query('SELECT 1').catch(() => 'failed'), timeout]);
      if (typeof answer === 'string') throw new DatabaseUnavailableError('out of reach');
    },
    async close() {
      closing.abort();
      await connecting;
      if (dataSource?.isInitialized) await dataSource.destroy();
    },
  };
  const connecting = keepConnecting();
  return database;
}

async function countMatched(manager: EntityManager, sql: string, parameters: readonly unknown[]): Promise<number> {
  const runner = manager.dataSource.createQueryRunner();
  try {
    const result = await runner.query(sql, [...parameters], true);
    return result.affected ?? 0;
  } finally {
    await runner.release();
  }
}

function managerOf(dataSource: DataSource | undefined): EntityManager {
  if (dataSource === undefined) throw new DatabaseUnavailableError('not connected yet');
  return dataSource.manager;
}

/** What keeps the database from being used, without anything of the inside. */
function describeFault(error: unknown): string {
  if (error instanceof DatabaseUnavailableError) return error.message;
  return isDatabaseOutOfReach(error) ? 'out of reach' : 'could not be made ready; the log says why';
}

/** Resolves once the database can be used; rejects with why it cannot after `timeout` milliseconds. */
export async function untilReady(database: Database, timeout: number): Promise<void> {
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
