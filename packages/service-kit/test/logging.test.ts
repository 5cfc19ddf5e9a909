import { readLog } from '@gatehouse/test-kit';
import { describe, expect, it } from '@jest/globals';
import { createLogger } from '../src/logging.ts';

/** Fails as TypeORM does in a migration: the error has the statement, its parameters and the error of the driver. */
function buildQueryError(): Error {
  const driverError = Object.assign(new Error('Duplicate entry'), { sql: "INSERT … 'hush'", errno: 1062 });
  const details = { query: 'INSERT …', parameters: ['hush'], driverError, code: 'ER_DUP_ENTRY', errno: 1062 };
  return Object.assign(new Error('Duplicate entry', { cause: driverError }), details);
}

describe('a log line about an error', () => {
  it('has type, message, code, reason, stack and cause of the error, and none of its other members', () => {
    const log = createLogger('test', 'info');
    const read = readLog(log);
    log.error({ err: Object.assign(buildQueryError(), { reason: 'taken' }) }, 'failed');
    const [line] = read();
    expect(line).toEqual({
      level: 'error',
      time: expect.any(String),
      service: 'test',
      msg: 'failed',
      err: {
        type: 'Error',
        message: 'Duplicate entry',
        code: 'ER_DUP_ENTRY',
        reason: 'taken',
        stack: expect.stringContaining('logging.test.ts'),
        cause: { type: 'Error', message: 'Duplicate entry', stack: expect.stringContaining('logging.test.ts') },
      },
    });
    expect(JSON.stringify(line)).not.toContain('hush');
  });

  it('has a code that is a number, and no code or reason that is neither a number nor a text', () => {
    const log = createLogger('test', 'info');
    const read = readLog(log);
    log.error({ err: Object.assign(new Error('one'), { code: 1062 }) }, 'failed');
    log.error({ err: Object.assign(new Error('other'), { code: { of: 'hush' }, reason: ['hush'] }) }, 'failed');
    const stack = expect.any(String);
    expect(read().map(({ err }) => err)).toEqual([
      { type: 'Error', message: 'one', code: 1062, stack },
      { type: 'Error', message: 'other', stack },
    ]);
  });

  it('tells of a thrown value that is no error its type alone', () => {
    const log = createLogger('test', 'info');
    const read = readLog(log);
    for (const err of ['hush', { message: 'hush', parameters: ['hush'] }]) log.error({ err }, 'failed');
    expect(read().map(({ err }) => err)).toEqual([
      { type: 'string', message: 'not an Error' },
      { type: 'object', message: 'not an Error' },
    ]);
  });
});

describe('the lines of the last turn', () => {
  it.each([
    ['are written when the process ends', 'info', 1],
    ['are none where nothing is logged', 'silent', 0],
  ] as const)('%s', (_what, level, listeners) => {
    const before = process.listenerCount('exit');
    createLogger('test', level);
    expect(process.listenerCount('exit') - before).toBe(listeners);
  });
});
