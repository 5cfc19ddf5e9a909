import { createMetrics } from '@gatehouse/service-kit/metrics';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Share } from '../../src/outbound/http-call.ts';
import type { OutboundFailure } from '../../src/outbound/outbound-failure.ts';
import { createOutbound } from '../../src/outbound/room.ts';
import { type KeyServer, startKeyServer } from '../support/key-server.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';
import { silentLog } from '../support/stores.ts';

describe('the names of addresses that strangers chose', () => {
  let names: NameServer;
  let server: KeyServer;
  beforeAll(async () => {
    server = await startKeyServer();
    names = await startNameServer({
      'tool.example': ['127.0.0.1'],
      'rebound.example': ['93.184.216.34', '127.0.0.1'],
      'six.example': ['93.184.216.34', '::1'],
    });
  });
  afterAll(() => {
    names.close();
    server.close();
  });
  beforeEach(() => {
    server.asked.length = 0;
    names.asked.length = 0;
  });

  const room = (production: boolean) =>
    createOutbound({
      config: {
        authUrl: production ? 'https://auth.example.com' : 'http://localhost:9000',
        production,
        outboundPrivateHosts: [],
        outboundCa: undefined,
        outboundProxy: undefined,
      },
      metrics: createMetrics(),
      clock: Date.now,
      log: silentLog,
      nameServers: [names.address],
    });
  const ask = (outbound: ReturnType<typeof room>, url: string, share: Share) =>
    outbound
      .call({ ...{ purpose: 'jwks', url, share, mostBytes: 1_000 }, accept: 'application/json', mediaType: /json/ })
      .then(
        () => ({ fault: 'answered', message: 'answered' }),
        (failure: OutboundFailure) => failure,
      );
  const findFault = async (outbound: ReturnType<typeof room>, url: string) =>
    (await ask(outbound, url, 'strangers')).fault;
  const findReason = async (outbound: ReturnType<typeof room>, url: string, share: Share) =>
    (await ask(outbound, url, share)).message;
  const at = (host: string, protocol = 'http') => `${protocol}://${host}:${server.port}/keys`;

  it('are asked of name servers, for addresses of both kinds', async () => {
    expect(await findFault(room(false), at('tool.example'))).toBe('answered');
    expect(names.asked).toEqual(['tool.example', 'tool.example']);
  });

  it.each(['tool.example', 'rebound.example', 'six.example'])(
    '%s is not called where one of its addresses is not',
    async (host) => {
      expect(await findFault(room(true), at(host, 'https'))).toBe('refused address');
      expect([names.asked.length, server.asked.length]).toEqual([2, 0]);
    },
  );

  it('of this machine are looked up as every program does', async () => {
    expect([await findFault(room(false), at('localhost')), names.asked]).toEqual(['answered', []]);
  });

  it('are given up before the time to connect is over, and keep no other look-up waiting', async () => {
    const outbound = room(false);
    const ended: string[] = [];
    const end = (url: string, share: Share) => findReason(outbound, url, share).finally(() => ended.push(share));
    const silent = Array.from({ length: 8 }, (_, index) => end(at(`silent-${index}.example`), 'strangers'));
    expect(await end(at('localhost'), 'registered')).toBe('answered');
    expect(ended).toEqual(['registered']);
    expect(new Set(await Promise.all(silent))).toEqual(new Set(['ETIMEOUT']));
  });
});
