import type { Pool } from 'mysql2';
import type { Logger } from '../logging.ts';
import { type ClusterStatements, createClusterStatements } from './cluster-statements.ts';
import type { ConnectedDatabase } from './data-source.ts';
import type { DatabaseServer } from './database-server.ts';
import { createPlainStatements } from './plain-statements.ts';
import { findPoolState, type PoolState } from './pool-state.ts';
import { createResendingSend, resendWhereSafe } from './resending.ts';

/** Statements that do not go through TypeORM, and the connections that they need beside TypeORM's. */
export interface Statements extends ClusterStatements {
  pool(): PoolState | undefined;
  close(): Promise<void>;
}

interface StatementOptions {
  log: Logger;
  onStatementError?(error: unknown): void;
}

/**
 * TypeORM's connections get the causal setting when they are dialled, so it costs no statement. With a single primary
 * there is no other pool. With several primaries, where waiting takes time, a second pool serves the statements that need
 * not wait.
 */
export function openStatements(
  { dataSource, hosts, openPool }: ConnectedDatabase,
  { isMultiPrimary, causalSetting }: DatabaseServer,
  { log, onStatementError }: StatementOptions,
): Statements {
  const { pool } = dataSource.driver as typeof dataSource.driver & { pool: Pool };
  const options = { log, hosts, onStatementError };
  const causal = createPlainStatements({
    pool,
    send: resendWhereSafe(dataSource, { ...options, causalSetting }),
    onStatementError,
  });
  if (!isMultiPrimary) return { ...causal, pool: () => findPoolState([pool]), close: async () => {} };

  const plainPool = openPool();
  const send = createResendingSend(plainPool, { ...options, causalSetting: undefined, handsBackDeadlocks: true });
  const plain = createPlainStatements({ pool: plainPool, send, onStatementError });
  return {
    ...createClusterStatements(plain, causal),
    pool: () => findPoolState([pool, plainPool]),
    close: () => plainPool.promise().end(),
  };
}
