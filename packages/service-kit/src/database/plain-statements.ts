import type { PoolConnection, ResultSetHeader, RowDataPacket } from 'mysql2';
import type { Connections } from './connections.ts';
import { createResendingSend, type ResendingOptions, type Sender } from './resending.ts';
import { StatementError } from './statement-error.ts';

type Result = RowDataPacket[] | ResultSetHeader;

/** Statements sent by the driver. */
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

/** One connection, taken at the first statement. */
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
          reject(new StatementError(error));
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
