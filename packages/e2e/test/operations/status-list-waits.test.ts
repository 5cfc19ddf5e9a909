import { setTimeout as sleep } from 'node:timers/promises';
import {
  call,
  type Gatehouse,
  type ServiceProcess,
  type ServiceReplicas,
  startReplicatedGatehouse,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Agent } from 'undici';
import { readStatus } from '../journeys/support/status-lists.ts';
import { type Credentials, passwordKind, registerClient } from '../support/clients.ts';
import { describeOnMysql } from '../support/suite.ts';
import { getUserTokens } from '../support/tokens.ts';
import { atOnce } from '../support/wait.ts';

/** Milliseconds a test may take, on a machine that has other things to do. */
const patience = 240_000;
/** Milliseconds: several times the 300 that `npm run bench` measures on a machine that has nothing else to do. */
const bound = 2_000;
const rounds = 20;
const readersAtEach = 5;

describeOnMysql('a status list that callers of two replicas wait for', (dialect) => {
  let gatehouse: Gatehouse<ServiceReplicas>;
  let client: Credentials;
  /** The longest wait there can be: the other tests run meanwhile. */
  let longest: ReturnType<typeof waitLongest>;
  const connections = new Agent({
    connections: null,
    headersTimeout: 60_000,
    keepAliveTimeout: 10,
    keepAliveMaxTimeout: 10,
  });
  beforeAll(async () => {
    gatehouse = await startReplicatedGatehouse({ dialect });
    client = await registerClient(gatehouse, passwordKind());
    longest = waitLongest();
    // It fails the test that awaits it.
    longest.catch(() => {});
  }, patience);
  afterAll(async () => {
    await connections.close();
    await gatehouse?.stop();
  });

  const issue = async (credentials = client) => {
    const { access_token: token } = await getUserTokens(gatehouse, credentials);
    return { token, path: new URL(readStatus(token).uri).pathname };
  };
  const ask = (server: { url: string }, path: string, headers: Record<string, string> = {}) =>
    call(`${server.url}${path}`, { headers, dispatcher: connections });
  const wait = (server: { url: string }, path: string, tag: string, seconds = 25) =>
    ask(server, path, { prefer: `wait=${seconds}`, 'if-none-match': tag });
  const tagAt = async (server: ServiceProcess, path: string) => String((await ask(server, path)).headers.etag);
  const replicas = () => gatehouse.authServer.replicas() as [ServiceProcess, ServiceProcess];
  const waitLongest = async () => {
    // Of a list of its own: no other test lets tokens live that long.
    const { path } = await issue(await registerClient(gatehouse, passwordKind({ access_token_validity: 40_000 })));
    const tag = await tagAt(replicas()[0], path);
    const start = performance.now();
    const { status, headers } = await wait({ url: gatehouse.authUrl }, path, tag, 3_600);
    return { outcome: [status, headers['preference-applied']], milliseconds: performance.now() - start };
  };

  test(
    'is answered to all of them when a token is revoked at either',
    async () => {
      const delays: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const { token, path } = await issue();
        const [revokedAt = replicas()[0]] = round % 2 === 0 ? replicas() : [...replicas()].reverse();
        // Both have built the list before, and neither hands out an older one than this.
        await sleep(600);
        const tag = await tagAt(revokedAt, path);
        const waiting = replicas().flatMap((replica) =>
          Array.from({ length: readersAtEach }, () => wait(replica, path, tag)),
        );
        // Readers come at any moment between two readings of the database.
        await sleep(100 + Math.random() * 100);
        const times: number[] = [];
        const answered = waiting.map(async (answer) => {
          const { status, headers } = await answer;
          times.push(performance.now());
          return [status, headers['preference-applied'], headers.etag !== tag];
        });
        expect((await call(`${revokedAt.url}/oauth/revoke`, { basic: client, form: { token } })).status).toBe(200);
        const end = performance.now();
        expect(await Promise.all(answered)).toEqual(waiting.map(() => [200, 'wait', true]));
        // Who waits may be answered before the caller that revokes.
        delays.push(...times.map((time) => Math.max(0, time - end)));
      }
      const sorted = delays.sort((a, b) => a - b).map(Math.round);
      const [half, last] = [sorted[sorted.length >> 1], sorted.at(-1) ?? 0];
      process.stdout.write(
        `revoked → answered to ${sorted.length} readers: half within ${half} ms, all within ${last} ms\n`,
      );
      expect(last).toBeLessThan(bound);
    },
    patience,
  );

  test(
    'can be waited for through the balancer as long as the server allows, which is 30 seconds',
    async () => {
      const { outcome, milliseconds } = await longest;
      expect(outcome).toEqual([304, 'wait']);
      expect(milliseconds).toBeGreaterThan(29_900);
      expect(milliseconds).toBeLessThan(40_000);
    },
    patience,
  );

  describe('when one replica is told to stop', () => {
    test(
      'all waits at it end at once, those at the other go on, and it ends in time',
      async () => {
        const { token, path } = await issue();
        const [stopping, staying] = replicas();
        const tag = await tagAt(stopping, path);
        await sleep(600);
        const ended = atOnce(50, () => wait(stopping, path, tag));
        const kept = wait(staying, path, tag);
        await sleep(1_000);
        const start = performance.now();
        const code = gatehouse.authServer.retire(stopping, 0);
        for (const { status, headers } of await ended) {
          expect([status, headers['preference-applied'], headers.connection]).toEqual([304, undefined, 'close']);
        }
        expect(performance.now() - start).toBeLessThan(bound);
        expect(await code).toBe(0);
        expect(performance.now() - start).toBeLessThan(5_000);
        expect(stopping.output()).not.toContain('did not finish in time');

        await call(`${staying.url}/oauth/revoke`, { basic: client, form: { token } });
        expect((await kept).headers['preference-applied']).toBe('wait');
      },
      patience,
    );
  });
});
