import type { PoolConnection } from 'mysql2';
import type { GetConnection } from './get-connection.ts';

/** Milliseconds that a statement waits for a connection before it fails. */
const connectionTimeout = 5_000;

/** The driver's errors about its pool have a text but no code. This gives each text a code. */
const codes = new Map([
  ['Queue limit reached.', 'POOL_QUEUE_FULL'],
  ['Pool is closed.', 'POOL_CLOSED'],
]);

/**
 * Limits how long a statement waits for a connection: a client that gets a 503 can try again, one without an answer
 * cannot. Errors have a code: `POOL_TIMEOUT`, or the one of `codes`, or the driver's.
 */
export function limitWaiting(getConnection: GetConnection): GetConnection {
  return (callback) => {
    let givenUp = false;
    const timer = setTimeout(() => {
      givenUp = true;
      callback(createTimeoutError(), undefined as never);
    }, connectionTimeout);
    getConnection((error, connection) => {
      clearTimeout(timer);
      if (givenUp) return giveBack(connection);
      callback(error === null ? null : nameError(error), connection);
    });
  };
}

function giveBack(connection: PoolConnection | undefined): void {
  connection?.release();
}

function createTimeoutError(): NodeJS.ErrnoException {
  return Object.assign(new Error('no connection to the database became free in time'), { code: 'POOL_TIMEOUT' });
}

function nameError(error: NodeJS.ErrnoException): NodeJS.ErrnoException {
  const code = error.code ?? codes.get(error.message);
  return code === undefined ? error : Object.assign(error, { code });
}
