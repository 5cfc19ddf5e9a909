import { LRUCache } from 'lru-cache';
import type { Statements } from './open-statements.ts';
import type { SqliteConnection, SqliteStatement } from './sqlite-connection.ts';
import { StatementError } from './statement-error.ts';

/** Statements kept prepared: more than a service has, whose lists of values differ in length. */
const preparedLimit = 200;

/** SQLite has one connection; closing ends it. */
export function createSqliteStatements(
  connection: SqliteConnection,
  onStatementError?: (error: unknown) => void,
): Statements {
  const prepared = new LRUCache<string, SqliteStatement>({ max: preparedLimit });
  const prepare = (sql: string): SqliteStatement => {
    const statement = prepared.get(sql) ?? connection.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };
  const send = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      onStatementError?.(error);
      throw new StatementError(error);
    }
  };
  return {
    query: async <Row>(sql: string, parameters: readonly unknown[]) =>
      send(() => prepare(sql).all(...parameters.map(toBound)) as Row[]),
    execute: async (sql, parameters) => send(() => prepare(sql).run(...parameters.map(toBound)).changes),
    pool: () => undefined,
    async close() {
      connection.close();
    },
  };
}

/** SQLite knows no boolean. */
function toBound(value: unknown): unknown {
  return typeof value === 'boolean' ? Number(value) : value;
}
