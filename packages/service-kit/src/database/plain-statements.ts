import type { Pool, PoolConnection, ResultSetHeader, RowDataPacket } from 'mysql2';
import { QueryFailedError } from 'typeorm';
import type { ResendingSend, Sender } from './resending.ts';

type Result = RowDataPacket[] | ResultSetHeader;

/** Sends statements by the driver alone: on a hot path TypeORM costs more than the statement. */
export interface PlainStatements {
  query<Row>(sql: string, parameters: readonly unknown[]): Promise<Row[]>;
  /** Says how many rows were matched. */
  execute(sql: string, parameters: readonly unknown[]): Promise<number>;
}

interface Dependencies {
  pool: Pool;
  send: ResendingSend;
  /** Called with the errors that TypeORM's own statements report to its logger. */
  onStatementError: ((error: unknown) => void) | undefined;
}

/** Uses TypeORM's connections, with the same rules for sending again. */
export function createPlainStatements({ pool, send, onStatementError }: Dependencies): PlainStatements {
  const run = async (sql: string, parameters: readonly unknown[]): Promise<Result> => {
    const sender = createSender(pool, onStatementError);
    try {
      return (await send(sender, [sql, [...parameters], true])) as Result;
    } finally {
      await sender.release();
    }
  };
  return {
    query: async <Row>(sql: string, parameters: readonly unknown[]) => (await run(sql, parameters)) as Row[],
    execute: async (sql, parameters) => ((await run(sql, parameters)) as ResultSetHeader).affectedRows,
  };
}

/** Takes one connection at the first statement. Throws TypeORM's errors, so that callers handle one kind of error. */
function createSender(pool: Pool, onStatementError?: (error: unknown) => void): Sender {
  let connection: PoolConnection | undefined;
  const take = () =>
    new Promise<PoolConnection>((resolve, reject) => {
      pool.getConnection((error, taken) => (error === null ? resolve(taken) : reject(error)));
    });
  const connect = async () => {
    connection ??= await take();
    return connection;
  };
  return {
    connect,
    async query(sql, parameters) {
      const taken = await connect();
      return new Promise((resolve, reject) => {
        taken.query(sql, parameters, (error, result) => {
          if (error === null) return resolve(result);
          onStatementError?.(error);
          reject(new QueryFailedError(sql, parameters, error));
        });
      });
    },
    async release() {
      connection?.release();
      connection = undefined;
    },
    createAnother: () => createSender(pool, onStatementError),
  };
}
