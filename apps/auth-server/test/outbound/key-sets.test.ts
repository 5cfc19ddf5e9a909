import { createMetrics } from '@gatehouse/service-kit/metrics';
import { type ClientKey, createClientKey } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Share } from '../../src/outbound/http-call.ts';
import { createOutbound } from '../../src/outbound/room.ts';
import { type KeyServer, startKeyServer } from '../support/key-server.ts';
import { silentLog } from '../support/stores.ts';

describe('key sets at addresses of others', () => {
  let server: KeyServer;
  let key: ClientKey;
  let keySets: ReturnType<typeof createOutbound>['keySets'];
  beforeAll(async () => {
    key = createClientKey();
    server = await startKeyServer([key.jwk]);
  });
  afterAll(() => server.close());
  beforeEach(() => {
    Object.assign(server.published, { body: undefined, headers: { 'content-type': 'application/json' } });
    server.asked.length = 0;
    const config = {
      ...{ authUrl: 'http://localhost:9000', production: false, outboundPrivateHosts: [] },
      ...{ outboundCa: undefined, outboundProxy: undefined },
    };
    ({ keySets } = createOutbound({ config, metrics: createMetrics(), clock: Date.now, log: silentLog }));
  });

  const verify = (owner = 'one', share: Share = 'registered') =>
    keySets.verify({ owner, url: server.url, share }, key.assertion('a', 'b'), {});
  const verifyAll = async (from: number, to: number, share: Share) => {
    for (let at = from; at < to; at += 1) await verify(String(at), share);
  };

  it.each([
    ['application/json', true],
    ['application/jwk-set+json', true],
    ['Application/JWK-Set+JSON; charset=utf-8', true],
    ['text/html', false],
    ['text/plain', false],
    ['application/jwk+json', false],
  ])('are taken as %s: %s', async (type, isTaken) => {
    server.published.headers = { 'content-type': type };
    const outcome = await verify().then(
      () => true,
      ({ fault }) => fault === 'bad answer' && false,
    );
    expect([outcome, server.asked.length]).toEqual([isTaken, 1]);
  });

  it('are read once for each of 100 clients, however often these prove themselves', async () => {
    for (let round = 0; round < 3; round += 1) await verifyAll(0, 100, 'registered');
    expect(server.asked).toHaveLength(100);
  });

  it('are in hand up to 8 MiB, and those of strangers push out none of the others', async () => {
    // 64 KiB each.
    const members = JSON.stringify({ keys: [key.jwk], padding: '' });
    server.published.body = members.replace('"padding":""', `"padding":"${'x'.repeat(65_536 - members.length)}"`);
    await verify('mine');
    await verifyAll(0, 130, 'strangers');
    await verify('mine');
    expect(server.asked).toHaveLength(131);
    await verify('129', 'strangers');
    expect(server.asked).toHaveLength(131);
    await verify('0', 'strangers');
    expect(server.asked).toHaveLength(132);
  });
});
