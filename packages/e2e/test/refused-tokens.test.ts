import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, call, type Gatehouse } from '@gatehouse/test-kit';
import { beforeAll, expect, it } from '@jest/globals';
import { passwordKind, registerClient, serviceAccountKind } from './support/clients.ts';
import { registerResource } from './support/resources.ts';
import { describeGatehouseOnce } from './support/suite.ts';
import { getTokens, getUserTokens } from './support/tokens.ts';
import { waitFor } from './support/wait.ts';

describeGatehouseOnce(
  'the log says why an access token is refused, under the request id of the answer',
  (getGatehouse) => {
    let gatehouse: Gatehouse;
    const tokens: Record<string, string> = {};

    beforeAll(async () => {
      gatehouse = getGatehouse();
      const client = await registerClient(gatehouse, passwordKind());
      const brief = await registerClient(gatehouse, passwordKind({ access_token_validity: 1 }));
      const { resource, scopes } = await registerResource(gatehouse);
      const { srvc_ac_user_name: _, ...machine } = serviceAccountKind();
      const caller = await registerClient(gatehouse, {
        ...machine,
        ...{ scope: scopes.map(({ name }) => name), authorized_grant_types: ['client_credentials'] },
        ...{ resources: [resource], default_resource: resource },
      });
      tokens.expired = (await getUserTokens(gatehouse, brief)).access_token;
      tokens.elsewhere = (await getTokens(gatehouse, caller, { grant_type: 'client_credentials' })).access_token;
      tokens.revoked = (await getUserTokens(gatehouse, client)).access_token;
      tokens.malformed = 'nonsense';
      const good = (await getUserTokens(gatehouse, client)).access_token;
      tokens.forged = `${good.slice(0, good.lastIndexOf('.') + 1)}${'A'.repeat(86)}`;
      await call(`${gatehouse.authUrl}/oauth/revoke`, { basic: client, form: { token: tokens.revoked } });
      await sleep(2_000);
    });

    const details = (token: string) =>
      call(`${gatehouse.baseUrl}/organization/api/organization/user/allDetails/userId/user@example.com`, {
        bearer: token,
      });
    const places: Record<string, (token: string) => Promise<Answer>> = {
      'org-api': details,
      userinfo: (token) => call(`${gatehouse.authUrl}/oauth/userinfo`, { bearer: token }),
      administration: (token) => call(`${gatehouse.authUrl}/clients`, { bearer: token }),
    };

    /** The log line of a request that was refused. */
    const findLine = async ({ headers }: Answer) => {
      const id = String(headers['x-request-id']);
      const find = () =>
        gatehouse
          .output()
          .split('\n')
          .find((line) => line.includes(id) && line.includes('request refused'));
      return JSON.parse(
        (await waitFor(
          async () => find(),
          (line) => line !== undefined,
        )) ?? '{}',
      );
    };

    const reasons: [token: string, reason: RegExp][] = [
      ['expired', /^expired \d+ s ago, issued \d+ s ago, by the clock of this server$/],
      ['elsewhere', /^meant for https:\/\/api\S+( and \S+)?(, not for http:\/\/localhost:\d+)?$/],
      ['revoked', /^revoked$/],
      ['malformed', /^not a JWT$/],
      ['forged', /^its signature is wrong$/],
    ];

    it.each(Object.keys(places).flatMap((place) => reasons.map(([token, reason]) => [place, token, reason] as const)))(
      'at %s: %s',
      async (place, token, reason) => {
        const ask = () => (places[place] as (token: string) => Promise<Answer>)(tokens[token] as string);
        // A revocation reaches org-api within a moment.
        const answer = await waitFor(ask, ({ status }) => status === 401);
        expect(answer.status).toBe(401);
        const line = await findLine(answer);
        expect([line.status, line.reason]).toEqual([401, expect.stringMatching(reason)]);
        // Every public text says that a token may be revoked.
        if (token !== 'revoked') expect(answer.text).not.toContain(line.reason);
        expect(JSON.stringify(line)).not.toContain(tokens[token] as string);
      },
    );
  },
);
