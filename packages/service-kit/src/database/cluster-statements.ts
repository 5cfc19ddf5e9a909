import { isDeadlock } from './database-errors.ts';
import type { PlainStatements } from './plain-statements.ts';

/**
 * How a statement is to be answered where several servers take writes; with a single primary there is no difference.
 * A query is causal unless it says otherwise; a write is decided by all servers together, so it is not unless it asks.
 */
export interface StatementReading {
  /**
   * By everything that was acknowledged anywhere before the statement was sent: its server waits until it has that.
   * Otherwise at once, by what the server has seen so far.
   */
  causal: boolean;
}

/** For a read whose answer nobody is refused or let in by. */
export const plainly: StatementReading = { causal: false };
/** For a write that has to find all of its rows. */
export const causally: StatementReading = { causal: true };

/** Statements on a cluster, each sent over the connections of its kind. */
export interface ClusterStatements {
  query<Row>(sql: string, parameters: readonly unknown[], reading?: StatementReading): Promise<Row[]>;
  execute(sql: string, parameters: readonly unknown[], reading?: StatementReading): Promise<number>;
}

/**
 * `plain` answers by what its server has seen so far, `causal` by everything. What a late server cannot decide goes to
 * `causal`: a write in conflict with one that it has not seen yet, and a write that matched no row, since the row may
 * be on its way.
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
    query: (sql, parameters, reading) => (reading?.causal === false ? plain : causal).query(sql, parameters),
    async execute(sql, parameters, reading) {
      const matched = reading?.causal ? undefined : await writePlainly(sql, parameters);
      return matched ?? causal.execute(sql, parameters);
    },
  };
}
