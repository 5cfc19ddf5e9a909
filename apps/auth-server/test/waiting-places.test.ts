import { once } from 'node:events';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createSender, encodeBasic, type Realm, readClaims, startAuthServer, webClient } from './support/realm.ts';
import { startRealmOn } from './support/start-realm-on.ts';

describe.each(testDialects)('the places of those who wait for a status list, on %s', (dialect) => {
  let realm: Realm;
  let path: string;
  let tag: string;
  const apis = Array.from({ length: 6 }, (_, index) => ({
    client_id: `api-${index}`,
    client_secret: `the-secret-of-api-${index}`,
    scope: ['openid'],
    authorized_grant_types: ['client_credentials'],
  }));
  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    for (const client of [webClient, ...apis]) await realm.register(client);
    const { access_token } = await realm.tokens(webClient, {
      grant_type: 'password',
      username: 'user@example.com',
      password: 'user-password',
    });
    const { status } = readClaims(access_token) as unknown as { status: { status_list: { uri: string } } };
    path = new URL(status.status_list.uri).pathname;
    tag = String((await realm.send(path)).headers.etag);
  });
  afterAll(() => realm.close());

  const authorizationOf = (index: number) =>
    encodeBasic(apis[index]?.client_id ?? '', apis[index]?.client_secret ?? '');
  const headersOf = (address: string, authorization?: string): Record<string, string> => ({
    prefer: 'wait=30',
    'if-none-match': tag,
    'x-forwarded-for': address,
    ...(authorization === undefined ? {} : { authorization }),
  });
  const openSockets = new Set<Socket>();
  /** A caller with a connection of its own that waits; resolves to the answer. */
  const wait = (port: number, headers: Record<string, string>): Promise<string> => {
    const socket = new Socket();
    openSockets.add(socket);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.connect(port, '127.0.0.1', () => socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n${lines.join('')}\r\n`));
    let text = '';
    socket.setEncoding('utf8').on('data', (more: string) => {
      text += more;
    });
    socket.on('error', () => {});
    return once(socket, 'close').then(() => text);
  };
  const untilWaiting = async (server: { app: Realm['app'] }, count: number) => {
    const send = createSender(server.app);
    for (let tries = 0; tries < 400; tries += 1) {
      const figure = /^gatehouse_status_list_waiting_readers (\d+)$/m.exec((await send('/metrics')).text)?.[1];
      if (Number(figure) === count) return;
      await sleep(25);
    }
    throw new Error('they never waited');
  };

  it('are half for clients that authenticate; SIGTERM ends a thousand waits within two seconds', async () => {
    const server = await startAuthServer(0, realm.env, realm.clock);
    const address = server.app.server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const send = createSender(server.app);
    const ask = (from: string, authorization?: string) => send(path, { headers: headersOf(from, authorization) });
    const isRefused = async (from: string, authorization?: string) => {
      const { status, headers } = await ask(from, authorization);
      return status === 304 && headers['preference-applied'] === undefined;
    };
    const waiters: Promise<string>[] = [];
    const add = async (count: number, headersOfOne: (index: number) => Record<string, string>) => {
      for (let index = 0; index < count; index += 1) waiters.push(wait(port, headersOfOne(index)));
      await untilWaiting(server, waiters.length);
    };
    // A /48 has 100 places, however many of its /64s ask.
    await add(100, (index) => headersOf(`2001:db8:1:${index.toString(16)}::1`));
    expect(await isRefused('2001:db8:1:ffff::1')).toBe(true);
    await add(400, (index) => headersOf(`198.51.${index >> 6}.${index & 63}`));
    expect(await isRefused('203.0.113.1')).toBe(true);
    // All of one network, which matters to no client that authenticates; each has 100 places.
    await add(100, () => headersOf('2001:db8:1::1', authorizationOf(0)));
    expect(await isRefused('192.0.2.1', authorizationOf(0))).toBe(true);
    await add(400, (index) => headersOf('2001:db8:1::1', authorizationOf(1 + Math.floor(index / 100))));
    expect(await isRefused('192.0.2.1', authorizationOf(5))).toBe(true);
    const metrics = (await send('/metrics')).text;
    for (const [reason, count] of Object.entries({ network: 1, process: 2, client: 1 })) {
      expect(metrics).toContain(`refused_waits_total{reason="${reason}"} ${count}`);
    }

    const startedAt = performance.now();
    await server.stop();
    const answers = await Promise.all(waiters);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect(answers).toHaveLength(1_000);
    expect(answers.filter((text) => text.startsWith('HTTP/1.1 304 '))).toHaveLength(1_000);
    for (const socket of openSockets) socket.destroy();
  }, 60_000);

  it('are for no client whose credentials are wrong, which learns that', async () => {
    for (const authorization of [encodeBasic('api-0', 'wrong'), encodeBasic('nobody', 'wrong'), 'Basic !']) {
      const answer = await realm.send(path, { headers: headersOf('192.0.2.7', authorization) });
      expect([answer.status, answer.headers['content-type']]).toEqual([401, 'application/problem+json']);
      expect(answer.headers['www-authenticate']).toContain('Basic realm=');
    }
  });

  it('are asked for by Basic alone: a list is public, with or without credentials', async () => {
    const wrong = { authorization: encodeBasic('api-0', 'wrong') };
    expect((await realm.send(path, { headers: wrong })).status).toBe(200);
    const bearer = { ...headersOf('192.0.2.8'), prefer: 'wait=1', authorization: 'Bearer something' };
    expect((await realm.send(path, { headers: bearer })).headers['preference-applied']).toBe('wait');
  });
});
