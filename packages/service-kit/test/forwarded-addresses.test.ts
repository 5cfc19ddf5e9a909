import { beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { createServer } from '../src/http/server.ts';
import type { TrustProxy } from '../src/trust-proxy.ts';

let lines: Record<string, unknown>[];
beforeEach(() => {
  lines = [];
});

/** A server that answers with the address that it takes for the caller's. */
function createEcho(trustProxy: TrustProxy) {
  const log = pino({ base: undefined, timestamp: false }, { write: (line) => void lines.push(JSON.parse(line)) });
  const app = createServer({ log, trustProxy, publicUrl: 'http://localhost:9000' });
  app.get('/', ({ ip }) => ip);
  return async (forwarded: string) =>
    (await app.inject({ url: '/', headers: { 'x-forwarded-for': forwarded } })).payload;
}

const warnings = () => lines.filter(({ level }) => level === 40);

describe('an address that a proxy writes into X-Forwarded-For', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:50123', '203.0.113.7'],
    ['[2001:db8::7]:50123', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['2001:db8::7', '2001:db8::7'],
    ['[::ffff:203.0.113.7]:1', '::ffff:203.0.113.7'],
    ['198.51.100.1:1, 203.0.113.7:50123', '203.0.113.7'],
    ['nonsense,203.0.113.7:50123 ', '203.0.113.7'],
  ])('%s is %s', async (forwarded, address) => {
    expect(await createEcho(1)(forwarded)).toBe(address);
    expect(warnings()).toEqual([]);
  });

  it.each<[TrustProxy, string, string]>([
    [2, '203.0.113.7:1, 198.51.100.1:2', '203.0.113.7'],
    [true, '203.0.113.7:1, 198.51.100.1:2', '203.0.113.7'],
    ['loopback,198.51.100.0/24', '192.0.2.1:5, 203.0.113.7:1, 198.51.100.1:2', '203.0.113.7'],
  ])('has no port behind several proxies either: TRUST_PROXY is %s', async (trustProxy, forwarded, address) => {
    expect(await createEcho(trustProxy)(forwarded)).toBe(address);
    expect(warnings()).toEqual([]);
  });

  it('counts for nothing where no proxy is trusted', async () => {
    expect(await createEcho(false)('unknown')).toBe('127.0.0.1');
    expect(await createEcho('10.0.0.0/8')('unknown')).toBe('127.0.0.1');
    expect(warnings()).toEqual([]);
  });
});

describe('an entry of X-Forwarded-For that is no address', () => {
  it.each<[TrustProxy, string, string]>([
    [1, 'unknown', '127.0.0.1'],
    [1, '203.0.113.7, _hidden:80', '127.0.0.1'],
    [2, 'unknown, 198.51.100.1:2', '198.51.100.1'],
    ['loopback', '203.0.113.7;1', '127.0.0.1'],
    [1, '203.0.113.777:80', '127.0.0.1'],
  ])('makes its callers the proxy that wrote it: TRUST_PROXY is %s, %s', async (trustProxy, forwarded, address) => {
    expect(await createEcho(trustProxy)(forwarded)).toBe(address);
  });

  it('is one warning of the process', async () => {
    const ask = createEcho(1);
    for (const forwarded of ['unknown', 'unknown', 'x'.repeat(100)]) await ask(forwarded);
    expect(warnings()).toEqual([
      expect.objectContaining({ entry: 'unknown', msg: expect.stringMatching(/^X-Forwarded-For names no IP address/) }),
    ]);
  });
});
