import type { Pool } from 'mysql2';
import type { Logger } from '../logging.ts';
import { type ClusterStatements, createClusterStatements } from './cluster-statements.ts';
import { openConnections } from './connections.ts';
import type { DatabaseServer } from './database-server.ts';
import type { Hosts } from './hosts.ts';
import { createPlainStatements } from './plain-statements.ts';
import { findPoolState, type PoolState } from './pool-state.ts';

/** The statements of a service, with the connections that they need. */
export interface Statements extends ClusterStatements {
  /** Undefined where there is one connection. */
  pool(): PoolState | undefined;
  close(): Promise<void>;
}

/** Where statements go on MySQL. */
export interface MysqlServer {
  server: DatabaseServer;
  /** Undefined where there is one that needs no question (`server-question.ts`). */
  hosts: Hosts | undefined;
  openPool(): Pool;
}

interface StatementOptions {
  log: Logger;
  onStatementError?(error: unknown): void;
}

/**
 * Each connection is told at its beginning to read what holds: that costs no statement more. On a single primary these
 * connections are all there is. With several primaries, where waiting takes time, a second pool is for the statements
 * that need not wait.
 */
export function openStatements(
  { server: { isMultiPrimary, isOfGroup, causalSetting }, hosts, openPool }: MysqlServer,
  { log, onStatementError }: StatementOptions,
): Statements {
  const options = { log, onStatementError };
  // Of two pools both are renewed: a server that left its group refuses the writes of one, and answers reads of the other.
  const rules = { hosts, isOfGroup, generation: { number: 1 } };
  const pool = openPool();
  const causal = createPlainStatements({
    ...options,
    connections: openConnections(pool, { ...rules, causalSetting }),
  });
  if (!isMultiPrimary) return { ...causal, pool: () => findPoolState([pool]), close: () => pool.promise().end() };

  const plainPool = openPool();
  const connections = openConnections(plainPool, { ...rules, causalSetting: undefined });
  const plain = createPlainStatements({ ...options, connections, handsBackDeadlocks: true });
  return {
    ...createClusterStatements(plain, causal),
    pool: () => findPoolState([pool, plainPool]),
    async close() {
      await Promise.all([pool.promise().end(), plainPool.promise().end()]);
    },
  };
}
