import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolConnection } from 'mysql2';
import { type DataSource, QueryFailedError, type QueryRunner } from 'typeorm';
import type { Logger } from '../logging.ts';
import { checkParameters } from './check-parameters.ts';
import { limitWaiting } from './connection-deadline.ts';
import { codeOf, isConnectionLost, isDeadlock, isRefusedByReplica } from './database-errors.ts';
import { type FreshConnections, keepConnectionsFresh } from './fresh-connections.ts';
import type { HostAddress, Hosts } from './hosts.ts';
import { prepareConnections } from './prepare-connections.ts';

/** Milliseconds before a statement is sent for the second, third and fourth time. */
const pauses = [20, 100, 400];

/** Milliseconds after which a server that does not answer a statement counts as lost. */
const answerTimeout = 10_000;

export type Statement = [sql: string, parameters: unknown[] | undefined, structured: true];

/** Somebody with a connection, who sends a statement once. */
export interface Sender {
  connect(): Promise<PoolConnection>;
  query(...statement: Statement): Promise<unknown>;
  release(): Promise<void>;
  /** One with a connection of its own, whose answers have the same form. */
  createAnother(): Sender;
}

export interface ResendingOptions {
  log: Logger;
  /** What each connection is told when it is dialled, so that it reads what holds (`database-server.ts`). */
  causalSetting: string | undefined;
  /** Where there are several: the one that failed is passed over. */
  hosts: Hosts | undefined;
  /** Is told of a statement that had no answer in time; of what the server refused, whoever sent it tells. */
  onStatementError: ((error: unknown) => void) | undefined;
  /** Whether a statement that was given up for another's sake is left to whoever asks, who sends it elsewhere. */
  handsBackDeadlocks?: boolean;
}

/** Sends a statement, and once more where that is safe. */
export type ResendingSend = (sender: Sender, statement: Statement) => Promise<unknown>;

/**
 * Makes every statement outlive a deadlock and a failover, wherever in TypeORM it comes from:
 * - given up for another's sake, or refused by a replica: nothing was done, so it is sent again, three times at most;
 * - the connection was lost: a read is sent once more; a write may have been done, so the caller is told;
 * - refused or lost: the pool is renewed, so that whoever is the primary now is found without a restart.
 * A statement within a transaction is never sent again: what came before it is gone.
 * Nobody waits without end: for a connection (`connection-deadline.ts`), for a row, or for an answer.
 *
 * Gives the way to send by these rules past TypeORM.
 */
export function resendWhereSafe(dataSource: DataSource, options: ResendingOptions): ResendingSend {
  const driver = dataSource.driver as typeof dataSource.driver & { pool: Pool };
  const send = createResendingSend(driver.pool, options);
  const createRunner = driver.createQueryRunner.bind(driver);
  const createAnother = (): Sender => senderOf(createRunner('master'), createAnother);
  driver.createQueryRunner = (mode) => {
    const runner = createRunner(mode);
    const sender = senderOf(runner, createAnother);
    const query = async (...statement: Statement) => {
      checkParameters(statement[1] ?? []);
      return runner.isTransactionActive ? sender.query(...statement) : send(sender, statement);
    };
    return Object.assign(runner, { query });
  };
  return send;
}

/** The same for whoever sends over the connections of `pool` alone. */
export function createResendingSend(pool: Pool, { causalSetting, ...options }: ResendingOptions): ResendingSend {
  prepareConnections(pool, causalSetting);
  const connections = keepConnectionsFresh(pool);
  limitWaiting(pool);
  return createSend({ connections, ...options });
}

function senderOf(runner: QueryRunner, createAnother: () => Sender): Sender {
  return {
    connect: () => runner.connect(),
    query: runner.query.bind(runner),
    release: () => runner.release(),
    createAnother,
  };
}

function createSend({
  connections,
  hosts,
  log,
  onStatementError,
  handsBackDeadlocks = false,
}: SendOptions): ResendingSend {
  const maySendAgain: typeof mayBeSentAgain = (error, statement, attempt) =>
    handsBackDeadlocks && isDeadlock(error) ? false : mayBeSentAgain(error, statement, attempt);
  const send = async (sender: Sender, statement: Statement, attempt = 0): Promise<unknown> => {
    // Where nobody can be reached nothing was sent, and waiting is for the client: it is told to come again.
    const connection = await sender.connect();
    try {
      return await answerInTime(sender, statement, onStatementError);
    } catch (error) {
      const isFaulty = isRefusedByReplica(error) || isConnectionLost(error);
      if (isFaulty && connections.renew(connection)) {
        hosts?.passOver(addressOf(connection));
        log.warn({ code: codeOf(error) }, 'the database server is lost or has become a replica; connecting anew');
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
      await another.release();
    }
  };
  return send;
}

interface SendOptions extends Omit<ResendingOptions, 'causalSetting'> {
  connections: FreshConnections;
}

/** Of the server that it was dialled to. */
function addressOf({ config: { host = '', port = 0 } }: PoolConnection): HostAddress {
  return { host, port };
}

function mayBeSentAgain(error: unknown, [sql]: Statement, attempt: number): boolean {
  if (isDeadlock(error) || isRefusedByReplica(error)) return attempt < pauses.length;
  return isConnectionLost(error) && attempt === 0 && /^\s*SELECT\b/i.test(sql);
}

/** A host that vanished says nothing at all, and the kernel waits for it for a quarter of an hour. */
async function answerInTime(
  sender: Sender,
  statement: Statement,
  onStatementError: ResendingOptions['onStatementError'],
): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = createLateError(statement);
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

/** What the mapper would throw, had the driver told of it. */
function createLateError([sql, parameters]: Statement): QueryFailedError {
  const error = Object.assign(new Error('the database did not answer in time'), { code: 'ETIMEDOUT' });
  return new QueryFailedError(sql, parameters, error);
}
