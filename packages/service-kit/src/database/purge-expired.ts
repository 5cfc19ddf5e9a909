import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logging.ts';
import type { Database } from './database.ts';
import { DatabaseUnavailableError } from './database-errors.ts';

/** Few enough rows that no write waits for long. */
const batchSize = 250;
const usualInterval = 30_000;

/**
 * Deletes up to one batch of rows of `table` whose `expires_at` has passed, and says how many.
 * One statement in key order, so that replicas that purge at the same time share the work and never wait in a circle.
 */
export async function purgeExpiredBatch(database: Database, table: string, now: number): Promise<number> {
  if (database.dialect === 'mysql') {
    return database.execute(`DELETE FROM ${table} WHERE expires_at <= ? ORDER BY expires_at LIMIT ${batchSize}`, [now]);
  }
  const due = `SELECT rowid FROM ${table} WHERE expires_at <= ? ORDER BY expires_at LIMIT ${batchSize}`;
  return database.execute(`DELETE FROM ${table} WHERE rowid IN (${due})`, [now]);
}

/** Callbacks for what a purge does: rows deleted from a table, a table that failed, a round without failure. */
export interface PurgeObserver {
  deleted(table: string, rows: number): void;
  failed(table: string): void;
  finished(): void;
}

/** Purges the tables from time to time, batch by batch, until stopped. It works for at most half of the time. */
export function startPurging(options: {
  database: Database;
  tables: readonly string[];
  clock: Clock;
  log: Logger;
  observer?: PurgeObserver;
  /** Milliseconds between two rounds, give or take a quarter. */
  interval?: number;
}) {
  const { database, tables, clock, log, observer, interval = usualInterval } = options;
  let running = false;
  const purge = async (table: string) => {
    for (let rows = batchSize; running && rows === batchSize; ) {
      const startedAt = performance.now();
      rows = await purgeExpiredBatch(database, table, clock());
      observer?.deleted(table, rows);
      // The other half of the time is for requests.
      if (rows === batchSize) await sleep(performance.now() - startedAt, undefined, { ref: false });
    }
  };
  /** Gives whether the table was purged without a failure. */
  const tryToPurge = async (table: string): Promise<boolean> => {
    try {
      await purge(table);
      return true;
    } catch (error) {
      observer?.failed(table);
      // While the database is away, it logs that itself.
      if (!(error instanceof DatabaseUnavailableError)) {
        log.warn({ err: error, table }, 'purge of expired rows failed; it will be tried again');
      }
      return false;
    }
  };
  const tick = async () => {
    if (running) return;
    running = true;
    let succeeded = true;
    for (const table of tables) succeeded = (await tryToPurge(table)) && succeeded;
    if (succeeded && running) observer?.finished();
    running = false;
  };
  // Replicas started together should not purge together.
  const timer = setInterval(() => void tick(), interval * (0.75 + Math.random() / 2));
  timer.unref();
  return {
    stop() {
      running = false;
      clearInterval(timer);
    },
  };
}
