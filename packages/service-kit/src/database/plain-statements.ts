import type { PoolConnection, ResultSetHeader, RowDataPacket } from 'mysql2';
import { QueryFailedError } from 'typeorm';
import type { Connections } from './connections.ts';
import { createResendingSend, type ResendingOptions, type Sender } from './resending.ts';

type Result = RowDataPacket[] | ResultSetHeader;

/** Statements sent by the driver, past TypeORM: on a path where every microsecond counts, it costs more than they do. */
export interface PlainStatements {
  query<Row>(sql: string, parameters: readonly unknown[]): Promise<Row[]>;
  /** Says how many rows were matched. */
  execute(sql: string, parameters: readonly unknown[]): Promise<number>;
}

/** Sends each statement by the rules for what is sent again. */
export function createPlainStatements(options: ResendingOptions): PlainStatements {
  const send = createResendingSend(options);
  const run = async (sql: string, parameters: readonly unknown[]): Promise<Result> => {
    const sender = createSender(options.connections, options.onStatementError);
    try {
      return (await send(sender, [sql, [...parameters]])) as Result;
    } finally {
      sender.release();
    }
  };
  return {
    query: async <Row>(sql: string, parameters: readonly unknown[]) => (await run(sql, parameters)) as Row[],
    execute: async (sql, parameters) => ((await run(sql, parameters)) as ResultSetHeader).affectedRows,
  };
}

/** One connection, taken at the first statement. Errors are TypeORM's, as with SQLite: nobody has to tell two kinds apart. */
function createSender(connections: Connections, onStatementError?: (error: unknown) => void): Sender {
  let connection: PoolConnection | undefined;
  const connect = async () => {
    connection ??= await connections.take();
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
    release() {
      connection?.release();
      connection = undefined;
    },
    createAnother: () => createSender(connections, onStatementError),
  };
}
