import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolConnection } from 'mysql2';
import type { Logger } from '../logging.ts';
import type { Connections } from './connections.ts';
import { codeOf, isConnectionLost, isDeadlock, isRefusedByReplica } from './database-errors.ts';
import { StatementError } from './statement-error.ts';

/** Milliseconds before a statement is sent for the second, third and fourth time. */
const pauses = [20, 100, 400];

/** Milliseconds after which a server that does not answer a statement counts as lost. */
const answerTimeout = 10_000;

export type Statement = [sql: string, parameters: unknown[]];

/** Sends a statement once, over a connection of its own. */
export interface Sender {
  connect(): Promise<PoolConnection>;
  query(...statement: Statement): Promise<unknown>;
  release(): void;
  /** One with a connection of its own. */
  createAnother(): Sender;
}

export interface ResendingOptions {
  connections: Connections;
  log: Logger;
  /** Is told of a statement that had no answer in time; the sender itself tells of what the server refused. */
  onStatementError: ((error: unknown) => void) | undefined;
  /** If true, a statement that was given up in favour of another is not sent again here: the caller sends it causally. */
  handsBackDeadlocks?: boolean;
}

/** Sends a statement, and once more where that is safe. */
export type ResendingSend = (sender: Sender, statement: Statement) => Promise<unknown>;

/**
 * Makes every statement outlive a deadlock and a failover:
 * - given up for another's sake, or refused by a replica: nothing was done, so it is sent again, three times at most;
 * - the connection was lost: a read is sent once more; a write may have been done, so the caller is told;
 * - refused or lost: the pool is renewed, so that the new primary is found without a restart.
 * Each statement stands alone: none is part of a transaction, of which what came before it would be gone.
 * Nobody waits without end: for a connection (`connection-deadline.ts`), for a row, or for an answer.
 */
export function createResendingSend({
  connections,
  log,
  onStatementError,
  handsBackDeadlocks = false,
}: ResendingOptions): ResendingSend {
  const maySendAgain: typeof mayBeSentAgain = (error, statement, attempt) =>
    handsBackDeadlocks && isDeadlock(error) ? false : mayBeSentAgain(error, statement, attempt);
  const send = async (sender: Sender, statement: Statement, attempt = 0): Promise<unknown> => {
    // If no server can be reached, nothing was sent. The client gets a 503 and tries again later.
    const connection = await sender.connect();
    try {
      return await answerInTime(sender, statement, onStatementError);
    } catch (error) {
      const isFaulty = isRefusedByReplica(error) || isConnectionLost(error);
      if (isFaulty && connections.renew(connection)) {
        log.warn({ code: codeOf(error) }, 'the database server is lost or has become a replica; connecting again');
      }
      if (!maySendAgain(error, statement, attempt)) throw error;
      await sleep(pauses[attempt]);
      return isFaulty
        ? sendElsewhere(sender.createAnother(), statement, attempt + 1)
        : send(sender, statement, attempt + 1);
    }
  };
  const sendElsewhere = async (another: Sender, statement: Statement, attempt: number) => {
    try {
      return await send(another, statement, attempt);
    } finally {
      another.release();
    }
  };
  return send;
}

function mayBeSentAgain(error: unknown, [sql]: Statement, attempt: number): boolean {
  if (isDeadlock(error) || isRefusedByReplica(error)) return attempt < pauses.length;
  return isConnectionLost(error) && attempt === 0 && /^\s*SELECT\b/i.test(sql);
}

/** Limits the wait for an answer: for a host that vanished the kernel waits a quarter of an hour. */
async function answerInTime(
  sender: Sender,
  statement: Statement,
  onStatementError: ResendingOptions['onStatementError'],
): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = createLateError();
      onStatementError?.(error);
      reject(error);
    }, answerTimeout);
  });
  try {
    return await Promise.race([sender.query(...statement), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The error that is thrown where the driver tells of one (`plain-statements.ts`). */
function createLateError(): StatementError {
  return new StatementError(Object.assign(new Error('the database did not answer in time'), { code: 'ETIMEDOUT' }));
}
