import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Answer,
  call,
  canStartGaleraCluster,
  type GaleraCluster,
  type GaleraNode,
  type Gatehouse,
  type Lag,
  type ServiceReplicas,
  startGaleraCluster,
} from '@gatehouse/test-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Agent } from 'undici';
import { readStatus } from '../journeys/support/status-lists.ts';
import { obtainCode } from '../support/authorization.ts';
import { type Credentials, passwordKind, postClient, registerClient, serviceAccountKind } from '../support/clients.ts';
import { administrator, plainUser } from '../support/people.ts';
import { getUserTokens, isActive, postToken, type TokenResponse } from '../support/tokens.ts';
import { uniqueName } from '../support/unique.ts';
import { createUserAdministration, getUserDetails } from '../support/users.ts';
import { atOnce } from '../support/wait.ts';
import { startGatehouseOnCluster } from './support/cluster-gatehouse.ts';
import { isDocumentedOutage } from './support/documented-outage.ts';
import { openLedger } from './support/ledger.ts';
import { startLoad } from './support/load.ts';
import { type Presentation, presentOneTimeThings } from './support/one-time-things.ts';
import { createOrdinaryClients } from './support/ordinary-clients.ts';

/** Milliseconds the start may take, and a test, on a machine that has other things to do. */
const patience = 240_000;
/** Milliseconds of load before a node is killed, and twice after it is back; without it three times that: it is missed after 3 s. */
const span = 2_500;
const chains = 20;

const describeOnCluster = canStartGaleraCluster() ? describe : describe.skip;

describeOnCluster('three replicas, each on its own node of a Galera cluster', () => {
  let cluster: GaleraCluster;
  let gatehouse: Gatehouse<ServiceReplicas>;
  let app: Credentials;
  const connections = new Agent({ connections: 12 });

  beforeAll(async () => {
    cluster = await startGaleraCluster();
    gatehouse = await startGatehouseOnCluster(cluster);
    app = await registerClient(gatehouse, passwordKind());
  }, patience);
  afterAll(async () => {
    await gatehouse?.stop();
    await connections.close();
    await cluster?.drop();
  });

  /** The service as a caller sees it who always reaches the replica on that node. */
  const at = (index: number): Gatehouse => ({
    ...gatehouse,
    authUrl: gatehouse.authServer.replicas()[index % 3]?.url ?? '',
    baseUrl: gatehouse.orgApi.replicas()[index % 3]?.url ?? '',
  });
  const nodeAt = (index: number) => cluster.nodes[index] as GaleraNode;
  const describeAnswer = ({ status, text }: Answer) => (status === 200 ? 200 : `${status} ${text}`);

  describe('beside a node that lags half a second', () => {
    const late = 1;
    let lag: Lag;
    beforeEach(async () => {
      lag = await nodeAt(late).startLagging();
    });
    afterEach(() => lag.stop());

    test('a client that was registered at one is known at the other', async () => {
      const answers = await atOnce(chains, async () => {
        const machine = await registerClient(at(0), serviceAccountKind());
        return postToken(at(late), { basic: machine, form: { grant_type: 'client_credentials' } });
      });
      expect(answers.map(describeAnswer)).toEqual(Array(chains).fill(200));
    });

    test('a code that was given at one is redeemed at the other', async () => {
      const answers = await atOnce(chains, async () => {
        const { redemption } = await obtainCode(at(0), app);
        return postToken(at(late), { basic: app, form: redemption });
      });
      expect(answers.map(describeAnswer)).toEqual(Array(chains).fill(200));
    });

    test(
      'a refresh token goes from node to node',
      async () => {
        const answers = await atOnce(chains, async () => {
          let answer = await postToken(at(0), {
            basic: app,
            form: { grant_type: 'password', username: plainUser[0], password: plainUser[1] },
          });
          for (let step = 1; step <= 6 && answer.status === 200; step += 1) {
            const { refresh_token: token = '' } = answer.json() as unknown as TokenResponse;
            answer = await postToken(at(step), {
              basic: app,
              form: { grant_type: 'refresh_token', refresh_token: token },
            });
          }
          return answer;
        });
        expect(answers.map(describeAnswer)).toEqual(Array(chains).fill(200));
      },
      patience,
    );

    test('what was ended at one is refused at the other: a token, a client, a user', async () => {
      const { access_token: administratorToken } = await getUserTokens(at(0), app, administrator);
      const users = createUserAdministration(at(0), administratorToken);
      const rounds = await atOnce(5, async () => {
        const { access_token: token } = await getUserTokens(at(0), app);
        const machine = await registerClient(at(0), serviceAccountKind());
        const username = `${uniqueName('person')}@example.com`;
        await users.create({ username, userType: 'Person', password: 'a-long-password' });
        const { access_token: own } = await getUserTokens(at(0), app, [username, 'a-long-password']);
        expect((await getUserDetails(at(late), username, own)).status).toBe(200);

        await call(`${at(0).authUrl}/oauth/revoke`, { basic: app, form: { token } });
        const active = await isActive(at(late), app, token);
        await users.change(username, { enabled: false });
        const details = await getUserDetails(at(late), username, own);
        await call(`${at(0).authUrl}/clients/${machine[0]}`, { method: 'DELETE', basic: administrator });
        const deleted = await postToken(at(late), { basic: machine, form: { grant_type: 'client_credentials' } });
        return [active, details.status, deleted.status];
      });
      expect(rounds).toEqual(Array(5).fill([false, 401, 401]));
    });

    test('a status list that is waited for is never an older one than the reader has from the other', async () => {
      const ask = async (index: number, path: string, headers: Record<string, string> = {}) =>
        call(`${at(index).authUrl}${path}`, { headers });
      const rounds = await atOnce(5, async () => {
        const { access_token: token } = await getUserTokens(at(0), app);
        const path = new URL(readStatus(token).uri).pathname;
        // The late replica has the list in memory from before the revocation.
        const before = (await ask(late, path)).headers.etag;
        await call(`${at(0).authUrl}/oauth/revoke`, { basic: app, form: { token } });
        const current = String((await ask(0, path)).headers.etag);
        expect(current).not.toBe(before);
        const answer = await ask(late, path, { prefer: 'wait=2', 'if-none-match': current });
        return [answer.headers['preference-applied'], answer.headers.etag === before];
      });
      expect(rounds).toEqual(Array(5).fill(['wait', false]));
    });
  });

  test('what works once works once where it comes to three nodes at the same moment', async () => {
    const { steps, presentations } = await presentOneTimeThings(gatehouse, gatehouse.authServer.replicas());
    for (let round = 0; round < 5; round += 1) await Promise.all(Object.values(steps).map((step) => step()));
    expect(new Set(presentations.map(({ kind }) => kind)).size).toBe(4);
    expect(presentations.map(countUses)).toEqual(presentations.map(({ kind }) => ({ kind, uses: 1 })));
  });

  test('a client_id that is registered at three nodes at the same moment is registered once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const fields = passwordKind();
      const answers = await atOnce(6, (index) => postClient(at(index), fields));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
    }
  });

  test(
    'a node that is killed and comes back takes nothing with it that was acknowledged',
    async () => {
      const ledger = await openLedger(gatehouse, { dispatcher: connections });
      const load = startLoad({ ...ledger.steps, ...(await createOrdinaryClients(gatehouse, 1, connections)) });
      await sleep(span);
      expect(load.failures()).toEqual([]);

      const killedAt = performance.now();
      await nodeAt(2).kill();
      await sleep(3 * span);
      const outage = load.failures().length;
      await nodeAt(2).rejoin();
      await sleep(span);
      const succeeded = load.succeeded();
      await sleep(span);
      await load.stop();

      const unexplained = load.failures().filter(({ error }) => !isDocumentedOutage(error));
      expect(unexplained.map(({ step, error, at }) => [step, Math.round(at - killedAt), String(error)])).toEqual([]);
      expect(load.succeeded()).toBeGreaterThan(succeeded);
      await ledger.expectAllToStand();
      const states = await Promise.all(
        [...gatehouse.authServer.replicas(), ...gatehouse.orgApi.replicas()].map(({ url }) =>
          call(`${url}/health/ready`),
        ),
      );
      expect(states.map(({ status }) => status)).toEqual(Array(6).fill(200));
      process.stdout.write(
        `a node of three killed and back: ${load.succeeded()} steps, ${outage} answered 503 without it, ` +
          `${load.failures().length - outage} at its return, ${ledger.count()} acknowledged writes stand\n`,
      );
    },
    patience,
  );
});

/** Of a refresh token every retry has the same successor. */
function countUses({ kind, answers }: Presentation): { kind: string; uses: number } {
  const accepted = answers.filter((answer): answer is Answer => answer?.status === 200);
  const successors = new Set(accepted.map((answer) => answer.json().refresh_token));
  return { kind, uses: kind === 'refresh token' ? successors.size : accepted.length };
}
