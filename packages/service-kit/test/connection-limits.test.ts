import { createServer } from 'node:http';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { limitConnections } from '../src/http/connection-limits.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('the log counts the connections that were cut, in a line every ten seconds at most', () => {
  const lines: unknown[] = [];
  const log = pino({ base: undefined, timestamp: false }, { write: (line) => lines.push(JSON.parse(line)) });
  const server = createServer();
  limitConnections({ server } as FastifyInstance, log, 2);
  const line = { level: 40, connections: 2, msg: 'too many connections; new ones are cut' };
  const cut = (times: number) => {
    for (let left = times; left > 0; left -= 1) server.emit('drop');
  };

  cut(3);
  expect(lines).toEqual([{ ...line, cut: 1 }]);
  jest.advanceTimersByTime(9_999);
  cut(1);
  expect(lines).toHaveLength(1);
  jest.advanceTimersByTime(1);
  cut(2);
  expect(lines.slice(1)).toEqual([{ ...line, cut: 4 }]);
});
