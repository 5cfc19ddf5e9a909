import type { Pool } from 'mysql2';

/** Connections of a pool, and statements that wait for one. */
export interface PoolState {
  inUse: number;
  idle: number;
  waiting: number;
}

/** Members of mysql2's pool that are not public. */
interface Mysql2Pool {
  _allConnections: { length: number };
  _freeConnections: { length: number };
  _connectionQueue: { length: number };
}

/** The state of all pools together; undefined where there is no pool. */
export function findPoolState(pools: readonly (Pool | undefined)[]): PoolState | undefined {
  const states = pools.map(readPool).filter((state) => state !== undefined);
  if (states.length === 0) return undefined;
  const sum = (name: keyof PoolState) => states.reduce((total, state) => total + state[name], 0);
  return { inUse: sum('inUse'), idle: sum('idle'), waiting: sum('waiting') };
}

function readPool(pool: (Pool & Partial<Mysql2Pool>) | undefined): PoolState | undefined {
  if (pool?._allConnections === undefined) return undefined;
  const idle = pool._freeConnections?.length ?? 0;
  return { inUse: pool._allConnections.length - idle, idle, waiting: pool._connectionQueue?.length ?? 0 };
}
