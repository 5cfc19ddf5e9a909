import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@gatehouse/service-kit';
import { createMetrics, type Metrics } from '@gatehouse/service-kit/metrics';
import { type Certificates, makeCertificates } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Share } from '../../src/outbound/http-call.ts';
import type { OutboundFailure } from '../../src/outbound/outbound-failure.ts';
import type { ResolveHost } from '../../src/outbound/resolve-host.ts';
import { createOutbound } from '../../src/outbound/room.ts';
import { type KeyServer, startKeyServer } from '../support/key-server.ts';
import { silentLog } from '../support/stores.ts';

describe('a call to an address of others', () => {
  let server: KeyServer;
  beforeAll(async () => {
    server = await startKeyServer();
  });
  afterAll(() => server.close());
  beforeEach(() => {
    Object.assign(server.published, {
      status: 200,
      body: '{}',
      headers: { 'content-type': 'application/json' },
      delay: 0,
    });
    server.asked.length = 0;
  });

  const room = (
    settings: {
      privateHosts?: string[];
      ca?: string;
      proxy?: string;
      production?: boolean;
      metrics?: Metrics;
      log?: Logger;
      resolveHost?: ResolveHost;
    } = {},
  ) =>
    createOutbound({
      config: {
        authUrl: settings.production ? 'https://auth.example.com' : 'http://localhost:9000',
        production: settings.production ?? false,
        outboundPrivateHosts: settings.privateHosts ?? [],
        outboundCa: settings.ca,
        outboundProxy: settings.proxy,
      },
      metrics: settings.metrics ?? createMetrics(),
      clock: Date.now,
      log: settings.log ?? silentLog,
      resolveHost: settings.resolveHost,
    });
  const question = {
    purpose: 'jwks',
    accept: 'application/json',
    mediaType: /^application\/json$/,
    mostBytes: 100,
  } as const;
  const ask = (outbound = room(), url = server.url) => outbound.call({ ...question, url });
  const findFault = (outbound = room(), url = server.url) =>
    ask(outbound, url).then(
      () => 'answered',
      ({ fault }: OutboundFailure) => fault,
    );

  it('gives the body, and for how long it may be kept', async () => {
    for (const [cacheControl, maxAge] of [
      ['max-age=60', 60],
      ['public, MAX-AGE=0', 0],
      ['no-store, max-age=60', 0],
      ['s-maxage=9', undefined],
    ] as const) {
      server.published.headers = { 'content-type': 'application/json', 'cache-control': cacheControl };
      const answer = { status: 200, mediaType: 'application/json', body: Buffer.from('{}'), maxAge };
      expect([cacheControl, await ask()]).toEqual([cacheControl, answer]);
    }
  });

  it('takes an error as an answer where that is asked for, and a redirect never', async () => {
    const { call } = room();
    const open = { ...question, url: server.url, takesErrors: true };
    Object.assign(server.published, { status: 400, body: '{"error":"x"}' });
    expect(await call(open)).toMatchObject({ status: 400, body: Buffer.from('{"error":"x"}') });
    const posted = { method: 'POST', body: 'a=b', headers: { authorization: 'Basic eA==' } } as const;
    await call({ ...open, ...posted });
    const [, { method, headers } = { method: undefined, headers: {} }] = server.asked;
    expect([method, headers.authorization, headers['content-length']]).toEqual(['POST', 'Basic eA==', '3']);
    Object.assign(server.published, { status: 302, headers: { location: server.url } });
    await expect(call(open)).rejects.toMatchObject({ fault: 'bad answer' });
    expect(server.asked.length).toBe(3);
  });

  it('sends no cookie and no credential, takes no encoding, and closes its connection', async () => {
    await ask();
    const [{ headers, socket } = { headers: {} }] = server.asked;
    expect(headers).toMatchObject({ accept: 'application/json', 'accept-encoding': 'identity' });
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['cookie', 'authorization']));
    if (socket !== undefined && !socket.destroyed) await once(socket as Socket, 'close');
    await ask();
    expect(server.asked[1]?.socket).not.toBe(socket);
  });

  it.each<[string, Partial<KeyServer['published']>]>([
    ['a redirect', { status: 302, headers: { location: '/elsewhere' } }],
    ['no success', { status: 404 }],
    ['another success', { status: 201 }],
    ['another media type', { headers: { 'content-type': 'text/html' } }],
    ['no media type', { headers: {} }],
    ['an encoding', { headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } }],
    ['more bytes than are read', { body: 'x'.repeat(101) }],
  ])('fails for %s', async (_what, answer) => {
    Object.assign(server.published, answer);
    expect([await findFault(), server.asked.length]).toEqual(['bad answer', 1]);
  });

  it('counts bytes as they come, whatever the length that was said', async () => {
    const endless = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write('x'.repeat(64)), 5);
      response.once('close', () => clearInterval(timer));
    });
    await new Promise<void>((resolve) => void endless.listen(0, '127.0.0.1', resolve));
    const url = `http://localhost:${(endless.address() as AddressInfo).port}/`;
    expect(await findFault(room(), url)).toBe('bad answer');
    endless.close();
  });

  it('takes 100 bytes, and a media type with parameters', async () => {
    Object.assign(server.published, {
      body: 'x'.repeat(100),
      headers: { 'content-type': 'Application/JSON; charset=utf-8' },
    });
    expect(await findFault()).toBe('answered');
  });

  it('waits 3 s for the head of an answer', async () => {
    server.published.delay = 20_000;
    const since = performance.now();
    expect(await findFault()).toBe('unreachable');
    const waited = performance.now() - since;
    expect([waited > 2_900, waited < 4_500]).toEqual([true, true]);
  });

  describe('to a host that takes connections and says nothing', () => {
    const sockets: Socket[] = [];
    const silent = createTcpServer((socket) => void sockets.push(socket.on('error', () => {})));
    let port: number;
    beforeAll(async () => {
      await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
      ({ port } = silent.address() as AddressInfo);
    });
    afterAll(() => {
      silent.close();
      for (const socket of sockets) socket.destroy();
    });

    it.each([
      ['for TLS', () => ({})],
      ['for the CONNECT of a proxy', () => ({ proxy: `http://127.0.0.1:${port}` })],
      ['for TLS of a proxy', () => ({ proxy: `https://127.0.0.1:${port}` })],
    ])('waits 3 s, %s too', async (_what, settings) => {
      const outbound = room({ production: true, privateHosts: ['localhost'], ...settings() });
      const since = performance.now();
      expect(await findFault(outbound, `https://localhost:${port}/`)).toBe('unreachable');
      const waited = performance.now() - since;
      expect([waited > 2_900, waited < 4_500]).toEqual([true, true]);
    });
  });

  it('has 5 calls to a host under way at once, and lets no other host wait for them', async () => {
    server.published.delay = 500;
    const outbound = room();
    const slow = Array.from({ length: 5 }, () => findFault(outbound));
    expect(await findFault(outbound)).toBe('unreachable');
    server.published.delay = 0;
    expect(await findFault(outbound, server.url.replace('localhost', '127.0.0.1'))).toBe('answered');
    expect(await Promise.all(slow)).toEqual(Array(5).fill('answered'));
    expect(await findFault(outbound)).toBe('answered');
  });

  describe('while others are under way', () => {
    /** Has the answers to all that asked until it is told to answer. */
    const held: ServerResponse[] = [];
    let isPatient: boolean;
    const answer = (response: ServerResponse) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    const patient = createServer((_request, response) => void (isPatient ? held.push(response) : answer(response)));
    let outbound: ReturnType<typeof room>;
    beforeAll(() => new Promise<void>((resolve) => void patient.listen(0, '127.0.0.1', resolve)));
    afterAll(() => {
      patient.close();
      patient.closeAllConnections();
    });
    beforeEach(() => {
      isPatient = true;
      outbound = room({ resolveHost: async () => [{ address: '127.0.0.1', family: 4 }] });
    });

    const at = (host: string) => `http://${host}:${(patient.address() as AddressInfo).port}/`;
    const outcomeOf = (share: Share, host: string, within?: number) =>
      outbound.call({ ...question, share, url: at(host), within }).then(
        () => 'answered',
        ({ fault }: OutboundFailure) => fault,
      );
    const outcomesOf = (count: number, share: Share, host: string) =>
      Array.from({ length: count }, () => outcomeOf(share, host));
    const answerAll = () => {
      isPatient = false;
      held.splice(0).forEach(answer);
    };
    /** Waits until so many are held, and then for one more that must not come. */
    const waitForHeld = async (count: number) => {
      while (held.length < count) await sleep(5);
      await sleep(50);
      expect(held).toHaveLength(count);
    };
    const all = (count: number) => Array(count).fill('answered');

    it('are 5 to a host, counted for every port and for its name with a dot', async () => {
      const slow = ['a.test', 'a.test.', 'a.test', 'a.test.', 'a.test'].map((host) => outcomeOf('registered', host));
      await waitForHeld(5);
      const others = [at('a.test'), at('a.test.'), 'http://a.test:1/'];
      for (const url of others) expect([url, await findFault(outbound, url)]).toEqual([url, 'unreachable']);
      const elsewhere = outcomeOf('registered', 'b.test');
      await waitForHeld(6);
      answerAll();
      expect(await Promise.all([...slow, elsewhere])).toEqual(all(6));
    });

    it('has 10 of the slots where a stranger named the address, and takes no others', async () => {
      const strangers = [...outcomesOf(5, 'strangers', 'a.test'), ...outcomesOf(5, 'strangers', 'b.test')];
      await waitForHeld(10);
      expect(await outcomeOf('strangers', 'c.test')).toBe('unreachable');
      const others = [outcomeOf('registered', 'a.test'), outcomeOf('upstreams', 'a.test')];
      await waitForHeld(12);
      answerAll();
      expect(await Promise.all([...strangers, ...others])).toEqual(all(12));
    });

    it('waits for its turn at an upstream where many ask the same, at most 20 at once', async () => {
      const answers = outcomesOf(45, 'upstreams', 'a.test');
      await waitForHeld(20);
      answerAll();
      expect(await Promise.all(answers)).toEqual(all(45));
    });

    it('waits no longer for its turn than it may take in all', async () => {
      const first = outcomesOf(20, 'upstreams', 'a.test');
      await waitForHeld(20);
      expect(await outcomeOf('upstreams', 'a.test', 200)).toBe('unreachable');
      answerAll();
      expect(await Promise.all(first)).toEqual(all(20));
      expect(await Promise.all(outcomesOf(20, 'upstreams', 'a.test'))).toEqual(all(20));
    });

    it('has its turn at an upstream while other calls have all of theirs, and one upstream leaves some to the others', async () => {
      const others = ['a.test', 'b.test', 'c.test'].flatMap((host) => outcomesOf(5, 'registered', host));
      await waitForHeld(15);
      expect(await outcomeOf('registered', 'd.test')).toBe('unreachable');
      const sameUpstream = outcomesOf(25, 'upstreams', 'a.test');
      await waitForHeld(35);
      const other = outcomeOf('upstreams', 'b.test');
      await waitForHeld(36);
      answerAll();
      expect(await Promise.all([...others, ...sameUpstream, other])).toEqual(all(41));
    });
  });

  it('is told to the log without its query, which may hold a secret', async () => {
    const told: object[] = [];
    const log = { ...silentLog, warn: (entry: object) => told.push(entry) } as unknown as Logger;
    server.published.status = 404;
    await findFault(room({ log }), `${server.url}?signature=secret`);
    expect(told).toEqual([{ purpose: 'jwks', url: server.url, reason: 'status 404' }]);
  });

  it('is counted by purpose and outcome', async () => {
    const metrics = createMetrics();
    const outbound = room({ metrics });
    await ask(outbound);
    server.published.status = 500;
    await findFault(outbound);
    await findFault(outbound, 'https://10.0.0.1/');
    await findFault(outbound, 'http://localhost:1/');
    const text = await metrics.print();
    for (const outcome of ['answered', 'bad_answer', 'refused_address', 'unreachable']) {
      expect(text).toContain(`gatehouse_outbound_requests_total{purpose="jwks",outcome="${outcome}"} 1`);
    }
  });

  describe('by TLS', () => {
    let certificates: Certificates;
    let overTls: KeyServer;
    let identity: { cert: Buffer; key: Buffer };
    beforeAll(async () => {
      certificates = await makeCertificates('localhost');
      const [cert, key] = await Promise.all([readFile(certificates.certificate), readFile(certificates.key)]);
      identity = { cert, key };
      overTls = await startKeyServer([], { tls: identity });
    });
    afterAll(async () => {
      overTls.close();
      await certificates.remove();
    });

    it('trusts the certificates of OUTBOUND_CA_FILE, and no others that Node.js does not', async () => {
      const ca = await readFile(certificates.ca, 'utf8');
      const settings = { production: true, privateHosts: ['localhost'] };
      expect(await findFault(room(settings), overTls.url)).toBe('unreachable');
      expect(overTls.asked).toHaveLength(0);
      expect(await findFault(room({ ...settings, ca }), overTls.url)).toBe('answered');
    });

    it('checks the peer again once it is connected', async () => {
      const ca = await readFile(certificates.ca, 'utf8');
      // Public when it is checked, and another one when it is dialled.
      const dialled = ['93.184.216.34'];
      const found = {
        family: 4,
        get address() {
          return dialled.shift() ?? '127.0.0.1';
        },
      };
      const outbound = room({ production: true, ca, resolveHost: async () => [found] });
      overTls.asked.length = 0;
      expect([await findFault(outbound, overTls.url), overTls.asked.length]).toEqual(['refused address', 0]);
    });

    it.each(['http', 'https'])(
      'goes through a proxy by %s and CONNECT, which looks the name up; a literal address is still checked here',
      async (scheme) => {
        const ca = await readFile(certificates.ca, 'utf8');
        const targets: [target: string | undefined, credentials: string | undefined][] = [];
        const server = scheme === 'http' ? createServer() : createTlsServer(identity);
        const proxy = server.on('connect', (request, client: Socket) => {
          targets.push([request.url, request.headers['proxy-authorization']]);
          const upstream = connect(overTls.port, '127.0.0.1', () => {
            client.write('HTTP/1.1 200 OK\r\n\r\n');
            upstream.pipe(client).pipe(upstream);
          });
          upstream.on('error', () => client.destroy());
          client.on('error', () => upstream.destroy());
        });
        await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
        const { port } = proxy.address() as AddressInfo;
        const outbound = room({ production: true, ca, proxy: `${scheme}://me:secret@localhost:${port}` });
        const url = `https://localhost:${overTls.port}/keys`;
        expect(await findFault(outbound, url)).toBe('answered');
        const credentials = `Basic ${Buffer.from('me:secret').toString('base64')}`;
        expect(targets).toEqual([[`localhost:${overTls.port}`, credentials]]);
        expect(await findFault(outbound, 'https://169.254.169.254/')).toBe('refused address');
        expect(targets).toHaveLength(1);
        proxy.close();
      },
    );
  });
});
