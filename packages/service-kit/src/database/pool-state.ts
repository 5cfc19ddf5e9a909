import type { DataSource } from 'typeorm';

/** Connections of a pool, and statements that wait for one. */
export interface PoolState {
  inUse: number;
  idle: number;
  waiting: number;
}

/** What mysql2 knows of its pool, which it has no public word for. */
interface Mysql2Pool {
  _allConnections: { length: number };
  _freeConnections: { length: number };
  _connectionQueue: { length: number };
}

/** Undefined where there is no pool. */
export function findPoolState({ driver }: DataSource): PoolState | undefined {
  const { pool } = driver as { pool?: Partial<Mysql2Pool> };
  if (pool?._allConnections === undefined) return undefined;
  const idle = pool._freeConnections?.length ?? 0;
  return { inUse: pool._allConnections.length - idle, idle, waiting: pool._connectionQueue?.length ?? 0 };
}
