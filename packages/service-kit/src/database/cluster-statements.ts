import { isDeadlock } from './database-errors.ts';
import type { PlainStatements } from './plain-statements.ts';

/**
 * How a server answers a statement where several servers take writes. With a single primary there is no difference.
 * A query is causal by default. A write is plain by default, because all servers decide it together.
 */
export interface StatementReading {
  /**
   * If true, the server first waits until it has every write that any server acknowledged before the statement.
   * If false, it answers at once, by the writes it has.
   */
  causal: boolean;
}

/** For a read whose answer refuses no request and allows none. */
export const plainly: StatementReading = { causal: false };
/** For a write that has to find all of its rows. */
export const causally: StatementReading = { causal: true };

/** Sends each statement over the connections of its kind, plain or causal. */
export interface ClusterStatements {
  query<Row>(sql: string, parameters: readonly unknown[], reading?: StatementReading): Promise<Row[]>;
  execute(sql: string, parameters: readonly unknown[], reading?: StatementReading): Promise<number>;
}

/**
 * `plain` answers by the writes its server has, `causal` by all acknowledged writes. Two kinds of writes that a late
 * server cannot decide are sent again by `causal`: a write that conflicts with one the server does not have yet, and a
 * write that matched no row, because the row may be on its way.
 */
export function createClusterStatements(plain: PlainStatements, causal: PlainStatements): ClusterStatements {
  /** Undefined where the write must be sent again causally. */
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
