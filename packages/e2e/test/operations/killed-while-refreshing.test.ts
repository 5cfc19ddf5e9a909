import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Gatehouse, type ServiceProcess, startGatehouse, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Fapi2Client, registerFapi2Client } from '../support/fapi2-client.ts';
import { plainUser } from '../support/people.ts';
import { startAgain } from '../support/services.ts';
import { userDetailsUrl } from '../support/users.ts';
import { atOnce, waitFor } from '../support/wait.ts';

/** On each of two databases: forty in all. */
const kills = 20;
const workers = 4;
/** Milliseconds, on a machine that has other things to do. */
const patience = 240_000;

describe.each(testDialects)(
  'auth-server that is killed while a client that proves a key refreshes, on %s',
  (dialect) => {
    let gatehouse: Gatehouse;
    let authServer: ServiceProcess;
    let client: Fapi2Client;
    beforeAll(async () => {
      gatehouse = await startGatehouse({ dialect });
      authServer = gatehouse.authServer;
      client = await registerFapi2Client(gatehouse);
    }, patience);
    afterAll(async () => {
      await authServer?.stop('SIGKILL');
      await gatehouse?.stop();
    });

    test(
      `takes nothing from it in ${kills} kills: no refresh is refused, and every access token ends with the grant`,
      async () => {
        const { refresh_token: token = '' } = await client.obtain({ form: { scope: 'openid offline_access' } });
        const answers: Answer[] = [];
        let cut = 0;
        let isOver = false;
        const ask = async () => {
          const answer = await client.refresh(token).catch(() => undefined);
          // The process died, or it has not reached its database or org-api yet.
          const isCut = answer === undefined || answer.status === 503;
          if (!isCut) answers.push(answer);
          else {
            cut += 1;
            // A process takes a second to come back: who asks all the time only keeps it from that.
            await sleep(100);
          }
        };
        const work = async () => {
          while (!isOver) await ask();
        };
        const working = atOnce(workers, work);
        for (let kill = 0; kill < kills; kill += 1) {
          const wanted = answers.length + workers;
          await waitFor(
            async () => answers.length,
            (count) => count >= wanted,
          );
          await sleep(Math.random() * 30);
          expect(await authServer.stop('SIGKILL')).toBeNull();
          authServer = await startAgain(gatehouse, 'auth-server');
        }
        isOver = true;
        await working;

        expect(new Set(answers.map(({ status, json }) => `${status} ${json().refresh_token}`))).toEqual(
          new Set([`200 ${token}`]),
        );
        const accessTokens = answers.map((answer) => String(answer.json().access_token));
        expect(new Set(accessTokens).size).toBe(accessTokens.length);
        expect(accessTokens.length).toBeGreaterThan(workers * kills - 1);
        const url = userDetailsUrl(gatehouse, plainUser[0]);
        const present = async (accessToken: string) => (await client.present(url, accessToken)).status;
        const latest = accessTokens.slice(-100);
        expect(new Set(await Promise.all(latest.map(present)))).toEqual(new Set([200]));
        expect((await client.revoke(token)).status).toBe(200);
        for (const accessToken of accessTokens) {
          expect(
            await waitFor(
              () => present(accessToken),
              (status) => status === 401,
            ),
          ).toBe(401);
        }
        process.stdout.write(`${dialect}: ${kills} kills, ${accessTokens.length} refreshes answered, ${cut} cut\n`);
      },
      patience,
    );
  },
);
