import { type Gatehouse, type ServiceReplicas, startReplicatedGatehouse } from '@gatehouse/test-kit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Agent } from 'undici';
import { describeOnMysql } from '../support/suite.ts';
import { type Load, startLoad } from './support/load.ts';
import { createOrdinaryClients } from './support/ordinary-clients.ts';

/** Milliseconds; infra/k8s/base gives 10 s to endpoints that forget slowly, and this balancer forgets at once. */
const preStop = 1_000;
/** Milliseconds a test may take: it waits for every new process to be ready, on a machine that has other things to do. */
const patience = 240_000;

/** Puts a new process in the place of each one, as a Deployment with maxSurge 1 and maxUnavailable 0 does. */
async function restartInTurn(service: ServiceReplicas): Promise<(number | null)[]> {
  const codes: (number | null)[] = [];
  for (const replica of [...service.replicas()]) {
    await service.add();
    codes.push(await service.retire(replica, preStop));
  }
  return codes;
}

describeOnMysql('a rolling restart under load', (dialect) => {
  let gatehouse: Gatehouse<ServiceReplicas>;
  let load: Load;
  const connections = new Agent({ connections: 6 });
  beforeAll(async () => {
    gatehouse = await startReplicatedGatehouse({ dialect });
    load = startLoad(await createOrdinaryClients(gatehouse, 2, connections));
  }, patience);
  afterAll(async () => {
    await load?.stop();
    await connections.close();
    await gatehouse?.stop();
  });

  test.each(['authServer', 'orgApi'] as const)(
    'of %s loses no request',
    async (name) => {
      const before = load.succeeded();
      const pids = gatehouse[name].replicas().map(({ pid }) => pid);
      expect(await restartInTurn(gatehouse[name])).toEqual([0, 0]);
      const replaced = gatehouse[name].replicas().map(({ pid }) => pid);
      expect(replaced.filter((pid) => pids.includes(pid))).toEqual([]);
      expect(load.failures()).toEqual([]);
      expect(load.succeeded() - before).toBeGreaterThan(100);
    },
    patience,
  );

  test(
    'of both at once loses no request',
    async () => {
      const before = load.succeeded();
      const codes = await Promise.all([restartInTurn(gatehouse.authServer), restartInTurn(gatehouse.orgApi)]);
      await load.stop();
      expect(codes.flat()).toEqual([0, 0, 0, 0]);
      expect(load.failures()).toEqual([]);
      expect(load.succeeded() - before).toBeGreaterThan(100);
      process.stdout.write(`rolling restarts under load: ${load.succeeded()} requests answered, none lost\n`);
    },
    patience,
  );
});
