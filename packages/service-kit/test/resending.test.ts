import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { PoolConnection } from 'mysql2';
import {
  createResendingSend,
  type ResendingOptions,
  type ResendingSend,
  type Sender,
  type Statement,
} from '../src/database/resending.ts';
import { createLogger } from '../src/logging.ts';

const faultOf = (code: string) => Object.assign(new Error('hush'), { code });
const read: Statement = ['SELECT 1', []];
const write: Statement = ['UPDATE t SET a = ?', [1]];
const givenUp = faultOf('ER_LOCK_DEADLOCK');
const refused = faultOf('ER_OPTION_PREVENTS_STATEMENT');
const lost = faultOf('ECONNRESET');

/** A server that answers what a test says, one statement after the other. */
let answers: unknown[];
/** What was done: over which connection, in order. */
let done: string[];
let warnings: unknown[];
let told: unknown[];
/** Whether a connection that is told of is the first one of its server. */
let isFirst: boolean;
let send: ResendingSend;

/** Its connections are told apart by numbers. */
const createSender = (number = 1): Sender => ({
  connect: async () => number as unknown as PoolConnection,
  async query(sql) {
    done.push(`${number}: ${sql.trim().split(' ')[0]}`);
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  },
  release: () => void done.push(`${number}: released`),
  createAnother: () => createSender(number + 1),
});
const create = (options: Partial<ResendingOptions> = {}) => {
  const log = Object.assign(createLogger('test', 'silent'), {
    warn: (...warning: unknown[]) => warnings.push(warning),
  });
  const renew = (connection: unknown) => {
    done.push(`${connection}: renewed`);
    return isFirst;
  };
  return createResendingSend({
    connections: { renew, take: () => Promise.reject(new Error('nobody takes one')) },
    ...{ log, onStatementError: (error) => void told.push(error) },
    ...options,
  });
};

beforeEach(() => {
  [answers, done, warnings, told, isFirst] = [[], [], [], [], true];
  send = create();
});
const warning = (code: string) => [[{ code }, 'the database server is lost or has become a replica; connecting again']];

describe('a statement', () => {
  it('is sent once where it is answered, or fails by its own fault', async () => {
    const fault = faultOf('ER_PARSE_ERROR');
    answers = ['answer', fault];
    expect(await send(createSender(), write)).toBe('answer');
    await expect(send(createSender(), read)).rejects.toBe(fault);
    expect([done, warnings]).toEqual([['1: UPDATE', '1: SELECT'], []]);
  });

  it('is not sent where there is no connection', async () => {
    const away = faultOf('ECONNREFUSED');
    await expect(send({ ...createSender(), connect: () => Promise.reject(away) }, read)).rejects.toBe(away);
    expect(done).toEqual([]);
  });

  it('that was given up for another is sent again over the same connection, three times at most', async () => {
    answers = [givenUp, givenUp, givenUp, 'answer', givenUp, givenUp, givenUp, givenUp, 'too late'];
    const startedAt = performance.now();
    expect(await send(createSender(), write)).toBe('answer');
    expect(performance.now() - startedAt).toBeGreaterThan(500);
    expect(done).toEqual(Array(4).fill('1: UPDATE'));
    await expect(send(createSender(), write)).rejects.toBe(givenUp);
    expect([done.length, warnings]).toEqual([8, []]);
  });

  it('that was given up is handed back at once where the caller wants it; nothing else is', async () => {
    answers = [givenUp, refused, 'answer'];
    await expect(create({ handsBackDeadlocks: true })(createSender(), write)).rejects.toBe(givenUp);
    expect(await create({ handsBackDeadlocks: true })(createSender(), write)).toBe('answer');
    expect(done).toEqual(['1: UPDATE', '1: UPDATE', '1: renewed', '2: UPDATE', '2: released']);
  });

  it('that a replica refused is sent over another connection, each of a pool that was renewed', async () => {
    answers = [refused, refused, refused, 'answer'];
    expect(await send(createSender(), write)).toBe('answer');
    expect(done).toEqual([
      ...['1: UPDATE', '1: renewed', '2: UPDATE', '2: renewed', '3: UPDATE', '3: renewed', '4: UPDATE'],
      ...['4: released', '3: released', '2: released'],
    ]);
    expect(warnings).toEqual(Array(3).fill(warning('ER_OPTION_PREVENTS_STATEMENT')[0]));
  });

  it('that a replica refused each time fails, and every further connection is released', async () => {
    answers = [refused, refused, refused, refused];
    await expect(send(createSender(), write)).rejects.toBe(refused);
    expect(done.filter((step) => step.endsWith('released'))).toEqual(['4: released', '3: released', '2: released']);
    expect(answers).toEqual([]);
  });

  it.each(['SELECT a', ' \n select a', 'Select(1)'])(
    'that reads is sent once more where it was lost: %j',
    async (sql) => {
      answers = [lost, 'answer', lost, lost];
      expect(await send(createSender(), [sql, []])).toBe('answer');
      await expect(send(createSender(), [sql, []])).rejects.toBe(lost);
      expect(answers).toEqual([]);
      expect(warnings).toEqual(Array(3).fill(warning('ECONNRESET')[0]));
    },
  );

  it.each(['UPDATE t', 'INSERT INTO t SELECT 1', 'SELECTED', '/* SELECT */ DELETE'])(
    'that may have written is not sent again where it was lost, and the pool is renewed all the same: %j',
    async (sql) => {
      answers = [lost, 'too late'];
      await expect(send(createSender(), [sql, []])).rejects.toBe(lost);
      expect([answers, done[1], warnings]).toEqual([['too late'], '1: renewed', warning('ECONNRESET')]);
    },
  );

  it('says nothing of a server that others told of', async () => {
    isFirst = false;
    answers = [lost, 'answer'];
    expect(await send(createSender(), read)).toBe('answer');
    expect([done[1], warnings]).toEqual(['1: renewed', []]);
  });
});

describe('a statement without an answer', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'performance'] }));
  afterEach(() => void jest.useRealTimers());

  it('counts as lost after ten seconds, which the observer is told', async () => {
    const sender: Sender = { ...createSender(), query: () => new Promise(() => {}) };
    const sent = send(sender, write).catch((error: unknown) => error);
    let isOver = false;
    void sent.then(() => {
      isOver = true;
    });
    await jest.advanceTimersByTimeAsync(9_999);
    expect([isOver, told]).toEqual([false, []]);
    await jest.advanceTimersByTimeAsync(1);
    const error = await sent;
    expect(error).toMatchObject({ name: 'StatementError', code: 'ETIMEDOUT' });
    expect([told, done, warnings]).toEqual([[error], ['1: renewed'], warning('ETIMEDOUT')]);
  });

  it('counts as lost without an observer too', async () => {
    const sender: Sender = { ...createSender(), query: () => new Promise(() => {}) };
    const failed = expect(create({ onStatementError: undefined })(sender, write)).rejects.toThrow(
      /did not answer in time/,
    );
    await jest.advanceTimersByTimeAsync(10_000);
    await failed;
  });

  it('has ten seconds of its own: one that was answered leaves no timer', async () => {
    answers = ['answer'];
    expect(await send(createSender(), read)).toBe('answer');
    expect(jest.getTimerCount()).toBe(0);
  });
});
