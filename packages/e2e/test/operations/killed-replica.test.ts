import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, call, type Gatehouse, type ServiceReplicas, startReplicatedGatehouse } from '@gatehouse/test-kit';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Agent } from 'undici';
import { describeOnMysql } from '../support/suite.ts';
import { openLedger } from './support/ledger.ts';
import { type Failure, type Load, startLoad, UnexpectedAnswerError } from './support/load.ts';
import { type Presentation, presentOneTimeThings } from './support/one-time-things.ts';
import { createOrdinaryClients } from './support/ordinary-clients.ts';

/** Milliseconds of load before a kill. */
const before = 1_500;
/** Milliseconds after a kill in which what was on its way to the dead process may fail; then everything goes well for a second. */
const aftermath = 2_000;
/** Milliseconds a test may take, on a machine that has other things to do. */
const patience = 240_000;

/** A connection that broke: what a client sees of a process that died while it was asking. */
function isBrokenConnection(error: unknown): boolean {
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(code ?? cause?.code ?? '');
}

/** As auth-server passes on that the replica of org-api which it was asking died. */
function isUnavailable(error: unknown): boolean {
  return error instanceof UnexpectedAnswerError && error.status === 503;
}

/** What else than the death of a replica at `killedAt` went wrong. */
function listUnexplained(failures: readonly Failure[], killedAt: number): Failure[] {
  return failures.filter(({ error, at }) => {
    const explained = isBrokenConnection(error) || isUnavailable(error);
    return !explained || at < killedAt || at > killedAt + aftermath;
  });
}

describeOnMysql('a replica that is killed under load', (dialect) => {
  let gatehouse: Gatehouse<ServiceReplicas>;
  let load: Load;
  let connections: Agent;
  beforeEach(async () => {
    connections = new Agent({ connections: 6 });
    gatehouse = await startReplicatedGatehouse({ dialect });
  }, patience);
  afterEach(async () => {
    await load?.stop();
    await connections.close();
    await gatehouse?.stop();
  });

  /** Kills the older replica of a service in the middle of the load, which goes on. */
  async function killOne(name: 'authServer' | 'orgApi'): Promise<number> {
    await sleep(before);
    const killedAt = performance.now();
    expect(await gatehouse[name].replicas()[0]?.stop('SIGKILL')).toBeNull();
    await sleep(aftermath + 1_000);
    await load.stop();
    return killedAt;
  }

  test.each(['authServer', 'orgApi'] as const)(
    '(%s) takes with it nothing but the requests it was at: every write that was acknowledged stands',
    async (name) => {
      const ledger = await openLedger(gatehouse, { dispatcher: connections });
      load = startLoad({ ...ledger.steps, ...(await createOrdinaryClients(gatehouse, 1, connections)) });
      const killedAt = await killOne(name);
      expect(listUnexplained(load.failures(), killedAt)).toEqual([]);
      expect(ledger.count()).toBeGreaterThan(10);
      await ledger.expectAllToStand();
      process.stdout.write(
        `${name} killed: ${load.succeeded()} steps, ${load.failures().length} lost at the kill, ` +
          `${ledger.count()} acknowledged writes stand\n`,
      );
    },
    patience,
  );

  test('(authServer) lets nothing that works once work twice', async () => {
    const { steps, presentations } = await presentOneTimeThings(gatehouse, gatehouse.authServer.replicas());
    load = startLoad(steps);
    const killedAt = await killOne('authServer');
    expect(listUnexplained(load.failures(), killedAt)).toEqual([]);
    expect(new Set(presentations.map(({ kind }) => kind)).size).toBe(4);
    // Everything was presented to both, and is now presented again to the replica that is left.
    for (const presentation of presentations) await expectUsedOnce(presentation);
    const cut = presentations.filter(({ answers }) => answers.includes(undefined)).length;
    process.stdout.write(
      `${presentations.length} one-time things presented to both replicas, ${cut} cut by the kill\n`,
    );
  });

  async function expectUsedOnce({ kind, request, answers }: Presentation): Promise<void> {
    const again = await call(`${gatehouse.authUrl}/oauth/token`, request);
    const accepted = [...answers, again].filter((answer): answer is Answer => answer?.status === 200);
    // A retry of a refresh within three seconds gets what the first got: one successor, however often.
    const uses =
      kind === 'refresh token' ? new Set(accepted.map((answer) => answer.json().refresh_token)).size : accepted.length;
    if (kind !== 'refresh token') expect([kind, again.status >= 400 && again.status < 500]).toEqual([kind, true]);
    // The dead replica may have taken the thing and died before it could say so.
    const wasCut = answers.includes(undefined);
    const texts = answers.map((answer) => answer?.text);
    expect({ kind, texts, uses }).toEqual({ kind, texts, uses: wasCut ? Math.min(uses, 1) : 1 });
  }
});
