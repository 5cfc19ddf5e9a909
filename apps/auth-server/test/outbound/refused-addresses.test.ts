import { createServer, type Server } from 'node:net';
import { createMetrics } from '@gatehouse/service-kit/metrics';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Question } from '../../src/outbound/http-call.ts';
import type { OutboundFailure } from '../../src/outbound/outbound-failure.ts';
import { createOutbound } from '../../src/outbound/room.ts';
import { silentLog } from '../support/stores.ts';

const question: Omit<Question, 'url'> = {
  purpose: 'jwks',
  accept: 'application/json',
  mediaType: /json/,
  mostBytes: 1_000,
};

/** Each needs to be reached by https; a name stands for the addresses behind it. */
const loopbackSpellings = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '0',
  '0.0.0.0',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:1::80ff:fffe]',
  '%31%32%37.0.0.1',
  '①②⑦.0.0.1',
];
const otherAddresses = [
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '[::ffff:169.254.169.254]',
  '[64:ff9b::a9fe:a9fe]',
  '192.0.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[fe80::1]',
  '[ff02::1]',
  '[2001:db8::1]',
  '[100::1]',
];
/** The addresses that a name has, of which one is enough. */
const namesByAddresses: Record<string, string[]> = {
  'localhost.': ['127.0.0.1'],
  'rebound.example': ['93.184.216.34', '127.0.0.1'],
  'inside.example': ['10.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'six.example': ['::1'],
  'mapped.example': ['::ffff:7f00:1'],
  'nat64.example': ['64:ff9b::7f00:1'],
  'nowhere.example': ['0.0.0.0'],
};

describe('addresses that are not called', () => {
  let listeners: Server[];
  let port: number;
  let reached = 0;
  const listen = (address: string, at: number) =>
    new Promise<Server>((resolve, reject) => {
      const server = createServer((socket) => {
        reached += 1;
        socket.destroy();
      });
      server.once('error', reject).listen(at, address, () => resolve(server));
    });
  beforeAll(async () => {
    // Of every address of this machine.
    const first = await listen('::', 0);
    ({ port } = first.address() as { port: number });
    listeners = [first];
  });
  afterAll(() => {
    for (const server of listeners) server.close();
  });
  beforeEach(() => {
    reached = 0;
  });

  const room = (settings: { production?: boolean; privateHosts?: string[] } = {}) => {
    const { production = true, privateHosts = [] } = settings;
    return createOutbound({
      config: {
        authUrl: production ? 'https://auth.example.com' : 'http://localhost:9000',
        production,
        outboundPrivateHosts: privateHosts,
        outboundCa: undefined,
        outboundProxy: undefined,
      },
      metrics: createMetrics(),
      clock: Date.now,
      log: silentLog,
      resolveHost: async (hostname) => {
        const addresses = namesByAddresses[hostname] ?? ['127.0.0.1'];
        return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      },
    });
  };
  const findFault = (outbound: ReturnType<typeof room>, url: string) =>
    outbound.call({ ...question, url }).then(
      () => 'answered',
      ({ fault }: OutboundFailure) => fault,
    );

  it.each([...loopbackSpellings, ...otherAddresses, ...Object.keys(namesByAddresses), 'localhost', 'a.localhost'])(
    '%s sees no byte in production',
    async (host) => {
      expect([await findFault(room(), `https://${host}:${port}/keys`), reached]).toEqual(['refused address', 0]);
    },
  );

  it.each([
    'http://93.184.216.34/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'https://user@example.com/',
    'https://user:word@example.com/',
    `https://example.com/${'a'.repeat(500)}`,
    'no URL',
  ])('neither is what is no https URL of its kind: %s', async (url) => {
    expect([await findFault(room(), url), reached]).toEqual(['refused address', 0]);
  });

  it.each(['169.254.169.254', '[fe80::1]', '0.0.0.0', '224.0.0.1', '[ff02::1]', '[::ffff:169.254.169.254]'])(
    '%s is not even where it is listed as a private host',
    async (host) => {
      const outbound = room({ privateHosts: [host, '.example'] });
      expect(await findFault(outbound, `https://${host}:${port}/`)).toBe('refused address');
    },
  );

  it.each([
    ['inside.example', ['inside.example'], true],
    ['INSIDE.example', ['inside.example'], true],
    ['inside.example.', ['inside.example'], true],
    ['a.inside.example', ['.inside.example'], true],
    ['inside.example', ['.inside.example'], false],
    ['inside.example', ['side.example'], false],
    ['metadata.example', ['.example'], false],
    ['nowhere.example', ['.example'], false],
  ])('a private host is named exactly, or by its suffix: %s by %j', (host, privateHosts, isCalled) => {
    const { rule } = room({ privateHosts });
    const [address = '10.0.0.1'] = namesByAddresses[host.toLowerCase()] ?? [];
    const check = () => rule.checkAddress(rule.parse(`https://${host}/`), address);
    if (isCalled) expect(check).not.toThrow();
    else expect(check).toThrow('is not called');
  });

  it('a private host is called, at a loopback address too, by https alone', async () => {
    const outbound = room({ privateHosts: ['inside.test'] });
    expect(await findFault(outbound, `https://inside.test:${port}/`)).toBe('unreachable');
    expect(reached).toBe(1);
    expect(await findFault(outbound, `http://inside.test:${port}/`)).toBe('refused address');
    expect(reached).toBe(1);
  });

  it('a private host is not called where a stranger named it', async () => {
    const outbound = room({ privateHosts: ['inside.test'] });
    const url = `https://inside.test:${port}/`;
    const fault = await outbound.call({ ...question, url, share: 'strangers' }).catch((error) => error.fault);
    expect([fault, reached]).toEqual(['refused address', 0]);
  });

  it('in development loopback is called, and nothing else that is not public', async () => {
    const outbound = room({ production: false });
    expect(await findFault(outbound, `http://127.0.0.1:${port}/`)).toBe('unreachable');
    expect(reached).toBe(1);
    for (const url of ['https://10.0.0.1/', 'http://93.184.216.34/', 'https://metadata.example/', 'https://0.0.0.0/']) {
      expect([url, await findFault(outbound, url)]).toEqual([url, 'refused address']);
    }
  });
});
