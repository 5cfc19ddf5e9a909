import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import type { Logger } from '@gatehouse/service-kit';
import { createMetrics, type Metrics } from '@gatehouse/service-kit/metrics';
import { type Certificates, makeCertificates } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ResolveHost } from '../../src/outbound/http-connections.ts';
import type { OutboundFailure } from '../../src/outbound/outbound-failure.ts';
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

  describe('to an upstream', () => {
    const askAll = (count: number, outbound = room(), within?: number) =>
      Promise.all(
        Array.from({ length: count }, () =>
          outbound.call({ ...question, url: server.url, purpose: 'upstream', share: 'upstreams', within }).then(
            () => 'answered',
            ({ fault, message }: OutboundFailure) => `${fault}: ${message}`,
          ),
        ),
      );

    it('waits for its turn where many ask the same host, at most 20 at once', async () => {
      server.published.delay = 400;
      const answers = askAll(45);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(server.asked).toHaveLength(20);
      expect(await answers).toEqual(Array(45).fill('answered'));
    });

    it('waits no longer than it may take in all', async () => {
      server.published.delay = 1_000;
      const outbound = room();
      const first = askAll(20, outbound);
      expect(await askAll(1, outbound, 300)).toEqual(['unreachable: no answer in time']);
      expect(await first).toEqual(Array(20).fill('answered'));
      expect(await askAll(20, outbound)).toEqual(Array(20).fill('answered'));
      expect(server.asked).toHaveLength(40);
    });

    it('has its turn while other calls have all of theirs, and one upstream leaves some to the others', async () => {
      server.published.delay = 1_000;
      const hosts = Array.from({ length: 5 }, (_, at) => `host-${at}.localhost`);
      const outbound = room({ resolveHost: async () => [{ address: '127.0.0.1', family: 4 }] });
      const at = (host: string) => server.url.replace('localhost', host);
      const others = hosts.flatMap((host) => Array.from({ length: 5 }, () => findFault(outbound, at(host))));
      expect(await findFault(outbound, at('last.localhost'))).toBe('unreachable');
      const sameUpstream = askAll(25, outbound);
      const since = performance.now();
      await outbound.call({ ...question, url: at('other.localhost'), purpose: 'upstream', share: 'upstreams' });
      expect(performance.now() - since).toBeLessThan(1_900);
      expect(await Promise.all(others)).toEqual(Array(25).fill('answered'));
      expect(await sameUpstream).toEqual(Array(25).fill('answered'));
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
    beforeAll(async () => {
      certificates = await makeCertificates('localhost');
      const [cert, key] = await Promise.all([readFile(certificates.certificate), readFile(certificates.key)]);
      overTls = await startKeyServer([], { tls: { cert, key } });
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

    it('goes through a proxy by CONNECT, which looks the name up; a literal address is still checked here', async () => {
      const ca = await readFile(certificates.ca, 'utf8');
      const targets: [target: string | undefined, credentials: string | undefined][] = [];
      const proxy = createServer().on('connect', (request, client: Socket) => {
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
      const outbound = room({ production: true, ca, proxy: `http://me:secret@127.0.0.1:${port}` });
      const url = `https://localhost:${overTls.port}/keys`;
      expect(await findFault(outbound, url)).toBe('answered');
      const credentials = `Basic ${Buffer.from('me:secret').toString('base64')}`;
      expect(targets).toEqual([[`localhost:${overTls.port}`, credentials]]);
      expect(await findFault(outbound, 'https://169.254.169.254/')).toBe('refused address');
      expect(targets).toHaveLength(1);
      proxy.close();
    });
  });
});
