import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLog } from '@gatehouse/test-kit';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
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

describe('a log whose reader stops reading', () => {
  let folder: string;
  let pipe: number;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    jest.useFakeTimers();
    jest.replaceProperty(process.stdout, 'fd', pipe as 1);
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
    closeSync(pipe);
    rmSync(folder, { recursive: true });
  });

  /** Reads what the pipe holds, lets it be filled again, and so on until nothing comes. */
  const readAll = () => {
    const bytes = Buffer.alloc(1024 * 1024);
    const read: Buffer[] = [];
    try {
      for (;;) {
        read.push(Buffer.from(bytes.subarray(0, readSync(pipe, bytes))));
        jest.advanceTimersByTime(50);
      }
    } catch (error) {
      expect(error).toMatchObject({ code: 'EAGAIN' });
    }
    return Buffer.concat(read).toString().trimEnd().split('\n');
  };

  it('says by a line like any other how many lines were lost', () => {
    const log = createLogger('test', 'info');
    const line = 'x'.repeat(1023);
    for (let i = 0; i < 1_100; i += 1) log.info(line);
    jest.advanceTimersByTime(50);
    const lines = readAll().map((text) => JSON.parse(text));
    const kept = lines.filter(({ msg }) => msg === line).length;
    const [time, msg] = [expect.any(String), 'log lines were dropped: nobody read them'];
    expect(kept).toBeLessThan(1_100);
    expect(lines.filter((read) => read.msg !== line)).toEqual([
      { level: 'warn', time, service: 'test', lines: 1_100 - kept, msg },
    ]);
  });
});
