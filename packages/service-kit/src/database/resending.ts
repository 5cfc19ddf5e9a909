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

/** Sends a statement once, over a connection of its own. */
export interface Sender {
  connect(): Promise<PoolConnection>;
  query(...statement: Statement): Promise<unknown>;
  release(): Promise<void>;
  /** Creates a sender with another connection. Its answers have the same form. */
  createAnother(): Sender;
}

export interface ResendingOptions {
  log: Logger;
  /** The setting that each connection gets when it is dialled, so that it reads causally (`database-server.ts`). */
  causalSetting: string | undefined;
  /** Present where there are several. A host that failed is passed over. */
  hosts: Hosts | undefined;
  /** Called for a statement without an answer in time. The sender itself reports a statement that the server refused. */
  onStatementError: ((error: unknown) => void) | undefined;
  /** If true, a statement that was given up in favour of another is not sent again here: the caller sends it causally. */
  handsBackDeadlocks?: boolean;
}

/** Sends a statement, and once more where that is safe. */
export type ResendingSend = (sender: Sender, statement: Statement) => Promise<unknown>;

/**
 * Makes every statement of TypeORM survive a deadlock and a failover:
 * - If the server gave it up in favour of another, or a replica refused it, nothing was done. It is sent again, three
 *   times at most.
 * - If the connection was lost, a read is sent once more. A write may have been done, so the caller gets the error.
 * - If it was refused or lost, the pool is renewed, so that it finds the new primary without a restart.
 * A statement within a transaction is never sent again, because the statements before it are lost.
 * Every wait has a limit: for a connection (`connection-deadline.ts`), for a row, and for an answer.
 *
 * Gives a function that sends statements by these rules without TypeORM.
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

/** The same for statements that go over the connections of `pool` alone. */
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
    // If no server can be reached, nothing was sent. The client gets a 503 and tries again later.
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

/** The address of the server that the connection was dialled to. */
function addressOf({ config: { host = '', port = 0 } }: PoolConnection): HostAddress {
  return { host, port };
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

/** The error that TypeORM would throw if the driver reported this. */
function createLateError([sql, parameters]: Statement): QueryFailedError {
  const error = Object.assign(new Error('the database did not answer in time'), { code: 'ETIMEDOUT' });
  return new QueryFailedError(sql, parameters, error);
}
