import type { Pool } from 'mysql2';

/**
 * Seconds that a statement waits for a row that another transaction holds. MySQL's default of 50 is longer than the time
 * in which a statement must be answered (`resending.ts`), so a working server would count as lost.
 */
const lockWaitTimeout = 5;

/**
 * Prepares every connection that the pool dials from now on, before its first statement. Sets the lock wait of its
 * session, and `causalSetting` (`database-server.ts`) where there is one.
 */
export function prepareConnections(pool: Pool, causalSetting?: string): void {
  const settings = [`innodb_lock_wait_timeout = ${lockWaitTimeout}`, ...(causalSetting ? [causalSetting] : [])];
  pool.on('connection', (connection) => {
    // The driver listens for one error only. A broken connection can emit a second one, when the driver writes to it or
    // its socket closes. An error event without a listener ends the process.
    connection.on('error', () => {});
    // Sent before any other statement. A server that does not know a setting refuses it and keeps its default.
    connection.query(`SET SESSION ${settings.join(', ')}`, () => {});
  });
}
