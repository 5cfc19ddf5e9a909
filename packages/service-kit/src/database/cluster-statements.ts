import { isDeadlock } from './database-errors.ts';
import type { PlainStatements } from './plain-statements.ts';

/** How a statement is to be answered. */
export interface StatementReading {
  /**
   * By everything that was acknowledged anywhere before the statement was sent. That is what a single primary does in
   * any case; one of several waits until it has what the others acknowledged.
   */
  causal: boolean;
}

/** Statements on a cluster, each sent over the connections of its kind. */
export interface ClusterStatements {
  query<Row>(sql: string, parameters: readonly unknown[], reading?: StatementReading): Promise<Row[]>;
  execute(sql: string, parameters: readonly unknown[], reading?: StatementReading): Promise<number>;
}

/**
 * Where several servers take writes: `plain` answers by what its server has seen so far, `causal` by everything.
 * A write is decided by all servers together, so it is sent plainly; what a late server cannot decide goes to `causal`:
 * a conflict with a write that it has not seen yet, and a write that matched no row, which may be on its way.
 */
export function createClusterStatements(plain: PlainStatements, causal: PlainStatements): ClusterStatements {
  /** Undefined where a server that has seen everything must be asked. */
  const writePlainly = async (sql: string, parameters: readonly unknown[]): Promise<number | undefined> => {
    try {
      return (await plain.execute(sql, parameters)) || undefined;
    } catch (error) {
      if (isDeadlock(error)) return undefined;
      throw error;
    }
  };
  return {
    query: (sql, parameters, reading) => (reading?.causal ? causal : plain).query(sql, parameters),
    async execute(sql, parameters, reading) {
      const matched = reading?.causal ? undefined : await writePlainly(sql, parameters);
      return matched ?? causal.execute(sql, parameters);
    },
  };
}
