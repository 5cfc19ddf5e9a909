import type { Pool, PoolConnection } from 'mysql2';
import type { GetConnection } from './get-connection.ts';

/** The connections of a pool. A connection that was asked for before the last {@link renew} is not used again. */
export interface FreshConnections {
  getConnection: GetConnection;
  /**
   * Ends this connection, and every other of its age at its next use. The next statements dial new connections, and so
   * reach the server that the name stands for now. False where the pool was renewed already since this one was dialled.
   */
  renew(faulty: PoolConnection): boolean;
}

/** The oldest time that connections may be of, in all pools to the same servers. It grows where they must be new. */
export interface Generation {
  number: number;
}

/**
 * Lets a pool be renewed after a failover. A demoted primary keeps its connections open and answers reads from them,
 * so without this a pool would stay with it. Connections from before this call are stale from the start.
 */
export function keepConnectionsFresh(
  pool: Pool,
  dial: GetConnection,
  generation: Generation = { number: 1 },
): FreshConnections {
  const justDialled = new WeakSet<PoolConnection>();
  const madeIn = new WeakMap<PoolConnection, number>();
  const isStale = (connection: PoolConnection) => (madeIn.get(connection) ?? 0) < generation.number;
  pool.on('connection', (connection) => justDialled.add(connection));

  const getConnection: GetConnection = (callback) => {
    // A dial that began before a failover may have reached the old server, however late it ends.
    const askedIn = generation.number;
    dial((error, connection) => {
      if (error !== null) return callback(error, connection);
      if (justDialled.delete(connection)) madeIn.set(connection, askedIn);
      if (!isStale(connection)) return callback(null, connection);
      connection.destroy();
      getConnection(callback);
    });
  };

  return {
    getConnection,
    renew(faulty) {
      // Many statements fail at once in a failover; what was dialled since the first of them stays.
      const isFirst = !isStale(faulty);
      if (isFirst) generation.number += 1;
      faulty.destroy();
      return isFirst;
    },
  };
}
