import { setTimeout as sleep } from 'node:timers/promises';
import {
  call,
  type Gatehouse,
  type MariaDbServer,
  type ServiceReplicas,
  startMariaDbServer,
  startReplicatedGatehouse,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Agent } from 'undici';
import { readStatus } from '../journeys/support/status-lists.ts';
import { passwordKind, registerClient } from '../support/clients.ts';
import { getUserTokens } from '../support/tokens.ts';
import { waitFor } from '../support/wait.ts';
import { isDocumentedOutage } from './support/documented-outage.ts';
import { openLedger } from './support/ledger.ts';
import { startLoad } from './support/load.ts';
import { createOrdinaryClients } from './support/ordinary-clients.ts';
import { describeWithOwnDatabaseServer } from './support/own-database-server.ts';

/** Milliseconds of load before, during and after the time without a database. */
const span = 2_000;
/** Milliseconds a test may take, on a machine that has other things to do. */
const patience = 240_000;

describeWithOwnDatabaseServer('MariaDB that is restarted under load', () => {
  let server: MariaDbServer;
  let gatehouse: Gatehouse<ServiceReplicas>;
  const connections = new Agent({ connections: 12 });
  const everyone = () => [...gatehouse.authServer.replicas(), ...gatehouse.orgApi.replicas()];
  const askReadiness = () => Promise.all(everyone().map(({ url }) => call(`${url}/health/ready`)));
  const untilReadiness = (status: number, within?: number) =>
    waitFor(askReadiness, (answers) => answers.every((answer) => answer.status === status), within);

  beforeAll(async () => {
    // What was acknowledged must survive a kill, so commits are durable here.
    server = await startMariaDbServer(['--innodb-flush-log-at-trx-commit=1', '--skip-name-resolve']);
    const databaseServer = `mysql://root@127.0.0.1:${server.port}/mysql`;
    gatehouse = await startReplicatedGatehouse({ dialect: 'mysql', databaseServer });
  }, patience);
  afterAll(async () => {
    await gatehouse?.stop();
    await connections.close();
    await server?.drop();
  });

  test.each(['SIGTERM', 'SIGKILL'] as const)(
    '(%s) leaves documented errors meanwhile, every acknowledged write, and services that recover by themselves',
    async (signal) => {
      const pids = everyone().map(({ pid }) => pid);
      const ledger = await openLedger(gatehouse, { dispatcher: connections });
      const load = startLoad({ ...ledger.steps, ...(await createOrdinaryClients(gatehouse, 1, connections)) });
      await sleep(span);
      expect(load.failures()).toEqual([]);

      await server.stop(signal);
      const away = await untilReadiness(503);
      for (const answer of away) {
        expect(answer.json()).toMatchObject({ status: 'unavailable', checks: { database: 'out of reach' } });
      }
      await sleep(span);
      await server.start();
      const back = await untilReadiness(200, 30_000);
      expect(back.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      await sleep(span);

      const failures = load.failures().length;
      const succeeded = load.succeeded();
      await sleep(span);
      await load.stop();
      expect(load.failures().filter(({ error }) => !isDocumentedOutage(error))).toEqual([]);
      expect(failures).toBeGreaterThan(0);
      expect(load.failures().length).toBe(failures);
      expect(load.succeeded()).toBeGreaterThan(succeeded);
      await ledger.expectAllToStand();
      expect(everyone().map(({ pid }) => pid)).toEqual(pids);
      process.stdout.write(
        `MariaDB restarted (${signal}): ${load.succeeded()} steps, ${failures} documented errors, ` +
          `${ledger.count()} acknowledged writes stand\n`,
      );
    },
    patience,
  );

  test(
    'leaves those who wait for a status list waiting, and the first revocation afterwards reaches them',
    async () => {
      const client = await registerClient(gatehouse, passwordKind());
      const { access_token: token } = await getUserTokens(gatehouse, client);
      const path = new URL(readStatus(token).uri).pathname;
      const etag = String((await call(gatehouse.authUrl + path)).headers.etag);
      const headers = { prefer: 'wait=30', 'if-none-match': etag };
      const waiting = gatehouse.authServer.replicas().map(({ url }) => call(url + path, { headers }));
      await sleep(1_000);

      await server.stop('SIGKILL');
      await untilReadiness(503);
      // A list counts as new for a second.
      await sleep(1_100);
      const late = await call(gatehouse.authUrl + path, { headers });
      expect([late.status, late.headers['preference-applied']]).toEqual([503, undefined]);
      expect(late.headers['retry-after']).toBeDefined();
      await server.start();
      await untilReadiness(200, 30_000);

      const revoked = await call(`${gatehouse.authUrl}/oauth/revoke`, { basic: client, form: { token } });
      expect(revoked.status).toBe(200);
      for (const { status, headers } of await Promise.all(waiting)) {
        expect([status, headers['preference-applied'], headers.etag === etag]).toEqual([200, 'wait', false]);
      }
    },
    patience,
  );
});
