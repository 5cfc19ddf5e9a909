import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { runService } from '../src/run-service.ts';

const signals = ['SIGTERM', 'SIGINT'] as const;

describe.each(signals)('a service that gets %s', (signal) => {
  const log = pino({ enabled: false });
  let exits: unknown[];
  beforeEach(() => {
    exits = [];
    jest.useFakeTimers();
    jest.spyOn(process, 'exit').mockImplementation(((code: unknown) => void exits.push(code)) as never);
  });
  afterEach(() => {
    for (const name of signals) process.removeAllListeners(name);
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

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
    process.emit(signal);
    process.emit(signal);
    await jest.advanceTimersByTimeAsync(5_000);
    expect([closings, exits]).toEqual([1, []]);
    finish();
    await jest.advanceTimersByTimeAsync(0);
    expect(exits).toEqual([0]);
  });

  it('exits with 0 after 9 seconds where a request never ends', async () => {
    await runService(async () => ({ log, close: () => new Promise(() => {}) }));
    process.emit(signal);
    await jest.advanceTimersByTimeAsync(8_999);
    expect(exits).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(exits).toEqual([0]);
  });

  it('exits with 0 where it cannot be closed', async () => {
    await runService(async () => ({ log, close: () => Promise.reject(new Error('no way')) }));
    process.emit(signal);
    await jest.advanceTimersByTimeAsync(0);
    expect(exits).toEqual([0]);
  });
});
