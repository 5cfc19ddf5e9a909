import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { ConfigError } from '../src/config-error.ts';
import { runService, runStep, StepError } from '../src/run-service.ts';

const signals = ['SIGTERM', 'SIGINT'] as const;

let exits: unknown[];
let lines: string[];
let logged: Record<string, unknown>[];
const log = pino({ base: undefined, timestamp: false }, { write: (line) => void logged.push(JSON.parse(line)) });
const [info, warning, error] = [30, 40, 50];
beforeEach(() => {
  exits = [];
  lines = [];
  logged = [];
  jest.useFakeTimers();
  jest.spyOn(process, 'exit').mockImplementation(((code: unknown) => void exits.push(code)) as never);
  jest.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
});
afterEach(() => {
  for (const name of signals) process.removeAllListeners(name);
  jest.restoreAllMocks();
  jest.useRealTimers();
});

const inUse = { code: 'EADDRINUSE', address: '127.0.0.1', port: 9000 };
const faults: [what: string, fault: unknown, line: string][] = [
  ['configuration', new ConfigError('PORT must be a number'), 'configuration: PORT must be a number'],
  [
    'configuration, a line for each fault',
    new ConfigError('PORT must be a number\nHOST must be a name'),
    'configuration: PORT must be a number\nconfiguration: HOST must be a name',
  ],
  ['port', Object.assign(new Error('listen EADDRINUSE: hush'), inUse), 'cannot listen: 127.0.0.1:9000 is in use'],
  ['database', Object.assign(new Error('no such table'), { code: 'OTHER' }), 'cannot start: no such table'],
  [
    'database, which refuses its user',
    Object.assign(new Error("Access denied for user 'hush'@'db'"), { code: 'ER_ACCESS_DENIED_ERROR' }),
    'cannot start: the database server refuses the user, the password or the database that DATABASE_URL names: correct DATABASE_URL, or grant access',
  ],
  ['thrown text', 'out of order', 'cannot start: out of order'],
];

describe('what cannot start', () => {
  it.each(faults)('exits with 1 and one line about its %s', async (_what, fault, line) => {
    await runService(() => Promise.reject(fault));
    await runStep(() => Promise.reject(fault));
    expect([exits, lines]).toEqual([
      [1, 1],
      [`${line}\n`, `${line}\n`],
    ]);
  });
});

describe('a step that ends itself', () => {
  it('says its own line alone, and exits with its own code', async () => {
    await runStep(() => Promise.reject(new StepError('usage: backup FILE', 64)));
    await runStep(() => Promise.reject(new StepError('the file is there already')));
    expect([exits, lines]).toEqual([
      [64, 1],
      ['usage: backup FILE\n', 'the file is there already\n'],
    ]);
  });
});

describe('a service that runs', () => {
  it('exits with 1 and one line as soon as it cannot go on', async () => {
    let fail: (error: Error) => void = () => {};
    const failed = new Promise<Error>((resolve) => {
      fail = resolve;
    });
    await runService(async () => ({ log, failed, close: async () => {} }));
    await jest.advanceTimersByTimeAsync(60_000);
    expect([exits, lines]).toEqual([[], []]);
    fail(new Error('the key is another one'));
    await jest.advanceTimersByTimeAsync(0);
    expect([exits, lines]).toEqual([[1], ['cannot start: the key is another one\n']]);
  });

  it('goes on where it has nothing that could fail', async () => {
    await runService(async () => ({ log, close: async () => {} }));
    await jest.advanceTimersByTimeAsync(60_000);
    expect([exits, lines]).toEqual([[], []]);
  });
});

describe('a step that ends', () => {
  it('exits with 0 and no line', async () => {
    await runStep(async () => {});
    expect([exits, lines]).toEqual([[0], []]);
  });
});

describe.each(signals)('a service that gets %s', (signal) => {
  it('exits with 0 once it is closed, however often it is signalled', async () => {
    let closings = 0;
    let finish: () => void = () => {};
    const close = () => {
      closings += 1;
      return new Promise<void>((resolve) => {
        finish = resolve;
      });
    };
    await runService(async () => ({ log, close }));
    process.emit(signal, signal);
    process.emit(signal, signal);
    await jest.advanceTimersByTimeAsync(5_000);
    expect([closings, exits]).toEqual([1, []]);
    finish();
    await jest.advanceTimersByTimeAsync(0);
    expect(exits).toEqual([0]);
    expect(logged).toEqual([
      { level: info, signal, msg: 'stopping' },
      { level: info, msg: 'stopped' },
    ]);
  });

  it('exits with 0 after 9 seconds where a request never ends', async () => {
    await runService(async () => ({ log, close: () => new Promise(() => {}) }));
    process.emit(signal, signal);
    await jest.advanceTimersByTimeAsync(8_999);
    expect(exits).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(exits).toEqual([0]);
    expect(logged.at(-1)).toEqual({ level: warning, msg: 'some requests did not finish in time' });
  });

  it('exits with 0 where it cannot be closed', async () => {
    await runService(async () => ({ log, close: () => Promise.reject(new Error('no way')) }));
    process.emit(signal, signal);
    await jest.advanceTimersByTimeAsync(0);
    expect(exits).toEqual([0]);
    const failure = { level: error, err: expect.objectContaining({ message: 'no way' }), msg: 'stopping failed' };
    expect(logged.slice(1)).toEqual([failure, { level: info, msg: 'stopped' }]);
  });
});
