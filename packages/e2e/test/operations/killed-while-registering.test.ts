import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Answer,
  call,
  type Gatehouse,
  type ServiceProcess,
  startGatehouse,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { administrator } from '../support/people.ts';
import { callOrNothing, startAgain } from '../support/services.ts';
import { atOnce, waitFor } from '../support/wait.ts';

const kills = 3;
const workers = 4;
/** Milliseconds. A process takes a second to come back: who asks all the time only keeps it from that. */
const pause = 100;
/** Milliseconds, on a machine that has other things to do. */
const patience = 240_000;

const body = {
  redirect_uris: ['https://agent.example.com/callback'],
  grant_types: ['client_credentials'],
  scope: 'openid',
};

interface Registered {
  client_id: string;
  client_secret: string;
  registration_access_token: string;
  registration_client_uri: string;
}

describe.each(testDialects)('auth-server that is killed while clients register themselves, on %s', (dialect) => {
  let gatehouse: Gatehouse;
  let authServer: ServiceProcess;
  beforeAll(async () => {
    gatehouse = await startGatehouse({ dialect, env: { 'auth-server': { DYNAMIC_REGISTRATION: 'token' } } });
    authServer = gatehouse.authServer;
  }, patience);
  afterAll(async () => {
    await authServer?.stop('SIGKILL');
    await gatehouse?.stop();
  });

  const createToken = async (uses: number) => {
    const json = { uses, grant_types: ['client_credentials'], scope: 'openid' };
    const answer = await call(`${gatehouse.authUrl}/registration-tokens`, { basic: administrator, json });
    expect(answer.status).toBe(201);
    return answer.json<{ id: string; token: string }>();
  };
  const listClients = async () => {
    const ids: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const url: string = `${gatehouse.authUrl}/clients?limit=100${cursor && `&cursor=${cursor}`}`;
      const page = (await call(url, { basic: administrator })).json<{
        clients: { client_id: string }[];
        next_cursor?: string;
      }>();
      ids.push(...page.clients.map(({ client_id }) => client_id));
      cursor = page.next_cursor;
    }
    return ids;
  };
  const obtainToken = ({ client_id, client_secret }: Registered) =>
    call(`${gatehouse.authUrl}/oauth/token`, {
      basic: [client_id, client_secret],
      form: { grant_type: 'client_credentials' },
    });
  /** Kills and starts auth-server a few times while `work` goes on, each time after `count` grew by one for each worker. */
  const killMeanwhile = async (work: () => Promise<unknown>, count: () => number) => {
    let isOver = false;
    const working = atOnce(workers, async () => {
      while (!isOver) await work();
    });
    try {
      for (let kill = 0; kill < kills; kill += 1) {
        const wanted = count() + workers;
        const counted = await waitFor(
          async () => count(),
          (current) => current >= wanted,
          patience / 4,
        );
        expect(counted).toBeGreaterThanOrEqual(wanted);
        await sleep(Math.random() * 30);
        expect(await authServer.stop('SIGKILL')).toBeNull();
        authServer = await startAgain(gatehouse, 'auth-server');
      }
    } finally {
      isOver = true;
    }
    await working;
  };

  test(
    'every registration that was answered 201 is there, works and can be managed; no other one is half there',
    async () => {
      const { id, token } = await createToken(10_000);
      const registered: Registered[] = [];
      let cut = 0;
      const register = async () => {
        const answer: Answer | undefined = await callOrNothing(`${gatehouse.authUrl}/oauth/register`, {
          bearer: token,
          json: body,
        });
        if (answer?.status === 201) registered.push(answer.json<Registered>());
        else {
          // The process died, or has not reached its database yet.
          expect([undefined, 503]).toContain(answer?.status);
          cut += 1;
          await sleep(pause);
        }
      };
      const before = await listClients();
      await killMeanwhile(register, () => registered.length);

      const known = (await listClients()).filter((clientId) => !before.includes(clientId));
      const answered = registered.map(({ client_id }) => client_id);
      expect(answered.filter((clientId) => !known.includes(clientId))).toEqual([]);
      for (const client of registered) {
        const { registration_access_token: bearer, registration_client_uri: uri } = client;
        expect((await obtainToken(client)).status).toBe(200);
        expect((await call(uri, { bearer })).status).toBe(200);
      }
      // A registration whose answer was cut is whole, or is not there: administrators read each.
      for (const clientId of known) {
        const answer = await call(`${gatehouse.authUrl}/clients/${clientId}`, { basic: administrator });
        expect([answer.status, answer.json()]).toMatchObject([
          200,
          { scope: ['openid'], authorized_grant_types: ['client_credentials'], require_consent: true, public: false },
        ]);
      }
      // Each client took one use. A kill between the two loses a use at most, and gives none away.
      const { registration_tokens: tokens } = (
        await call(`${gatehouse.authUrl}/registration-tokens?limit=200`, { basic: administrator })
      ).json<{ registration_tokens: { id: string; uses_left: number }[] }>();
      const used = 10_000 - (tokens.find((one) => one.id === id)?.uses_left ?? 0);
      expect(used).toBeGreaterThanOrEqual(known.length);
      expect(used - known.length).toBeLessThanOrEqual(kills * workers);
      process.stdout.write(`${dialect}: ${kills} kills, ${registered.length} registered, ${cut} cut, ${used} uses\n`);
    },
    patience,
  );

  test(
    'every replacement that was answered 200 stands, and every deletion that was answered 204',
    async () => {
      const { token } = await createToken(10_000);
      const replaced: (Registered & { name: string })[] = [];
      const deleted: Registered[] = [];
      /** Of which a deletion was cut: it was done, or not. */
      const unsure = new Set<string>();
      let turn = 0;
      const work = async () => {
        turn += 1;
        const name = `Agent ${turn}`;
        const made = await callOrNothing(`${gatehouse.authUrl}/oauth/register`, { bearer: token, json: body });
        if (made?.status !== 201) return sleep(pause);
        const client = made.json<Registered>();
        const { client_id, registration_access_token: bearer, registration_client_uri: uri } = client;
        const json = { ...body, client_id, client_name: name };
        const put = await callOrNothing(uri, { method: 'PUT', bearer, json });
        if (put?.status === 200) replaced.push({ ...client, name });
        if (turn % 2 === 0) return undefined;
        const gone = await callOrNothing(uri, { method: 'DELETE', bearer });
        if (gone?.status === 204) deleted.push(client);
        else unsure.add(client_id);
        return undefined;
      };
      // One in two is deleted, and a kill cuts some: each round waits for enough of both.
      await killMeanwhile(work, () => Math.min(replaced.length, deleted.length));
      const goneIds = new Set(deleted.map(({ client_id }) => client_id));
      for (const { registration_access_token: bearer, registration_client_uri: uri, client_id, name } of replaced) {
        if (unsure.has(client_id)) continue;
        const answer = await call(uri, { bearer });
        if (goneIds.has(client_id)) expect(answer.status).toBe(401);
        else expect([answer.status, answer.json()]).toMatchObject([200, { client_name: name }]);
      }
      for (const client of deleted) expect((await obtainToken(client)).status).toBe(401);
    },
    patience,
  );
});
