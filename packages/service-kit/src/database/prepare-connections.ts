import type { Pool } from 'mysql2';

/**
 * Seconds that a statement waits for a row that another transaction holds. MySQL's own 50 are more than the time in
 * which a statement has to be answered (`resending.ts`): a server that is alive would count as lost.
 */
const lockWaitTimeout = 5;

/**
 * Sees to what every connection that the pool dials from now on needs before its first statement: the settings of its
 * session, one for all, and `causalSetting` (`database-server.ts`) where there is one.
 */
export function prepareConnections(pool: Pool, causalSetting?: string): void {
  const settings = [`innodb_lock_wait_timeout = ${lockWaitTimeout}`, ...(causalSetting ? [causalSetting] : [])];
  pool.on('connection', (connection) => {
    // The driver itself listens for one error alone. A broken connection can tell of a second, when something is
    // written to it or its socket closes, and an error that nobody listens for ends the process.
    connection.on('error', () => {});
    // Goes out before any other statement. A server that does not know it refuses, and waits for as long as it does.
    connection.query(`SET SESSION ${settings.join(', ')}`, () => {});
  });
}
