import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, findFreePort, repositoryRoot } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { passwordKind, registerClient, serviceAccountKind } from './support/clients.ts';
import { administrator } from './support/people.ts';
import { describeSharedGatehouseOnce } from './support/suite.ts';
import { getTokens, getUserTokens, readClaims } from './support/tokens.ts';

/** Milliseconds. The promise is 300 at the 99th percentile. A busy machine is slower, and an API that asks once a second slower still. */
const refusalDeadline = 900;

/** Milliseconds until the API refuses the token. */
async function measureRefusal(url: string, token: string): Promise<number> {
  const start = performance.now();
  while ((await call(url, { bearer: token })).status !== 401) {
    if (performance.now() - start > 5_000) return Number.POSITIVE_INFINITY;
    await sleep(10);
  }
  return Math.round(performance.now() - start);
}

describeSharedGatehouseOnce('examples', (getGatehouse) => {
  /** Both examples are the API at this URL, one after the other. */
  let url: string;
  /** The metadata of a client that asks for the API. */
  let ofApi: { scope: string[]; resources: string[]; default_resource: string };

  beforeAll(async () => {
    url = `http://localhost:${await findFreePort()}`;
    const scopes = [{ name: 'orders:read', description: 'see your orders' }];
    const json = { resource: url, name: 'Orders', scopes };
    const { status } = await call(`${getGatehouse().authUrl}/resources`, { basic: administrator, json });
    expect(status).toBe(201);
    ofApi = { scope: ['openid', 'profile', 'orders:read'], resources: [url], default_resource: url };
  });

  describe.each(['fastify-api', 'express-api'])('%s', (name) => {
    const file = join(repositoryRoot, 'examples', name, 'server.js');
    let api: ChildProcess;

    beforeAll(async () => {
      const { port } = new URL(url);
      const env = { PATH: process.env.PATH, ISSUER: getGatehouse().authUrl, AUDIENCE: url, PORT: port };
      api = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      const [line] = await once(api.stdout ?? api, 'data');
      expect(String(line)).toMatch(/^listening at /);
    });
    afterAll(async () => {
      api.kill('SIGTERM');
      if (api.exitCode === null) await once(api, 'exit');
    });

    test('has fewer than 40 lines', () => {
      expect(readFileSync(file, 'utf8').split('\n').length).toBeLessThan(40);
    });

    test('tells who asks without a token where its metadata stands', async () => {
      const { authUrl } = getGatehouse();
      expect((await call(`${url}/`)).status).toBe(200);
      const bare = await call(`${url}/me`);
      const metadata = `${url}/.well-known/oauth-protected-resource`;
      expect([bare.status, bare.headers['www-authenticate']]).toEqual([
        401,
        expect.stringContaining(`Bearer resource_metadata="${metadata}"`),
      ]);
      const published = await call(metadata);
      expect(published.json()).toMatchObject({ resource: url, authorization_servers: [authUrl] });
    });

    test('takes a token of a person and of a service account, and refuses each once it is revoked', async () => {
      const gatehouse = getGatehouse();
      const webClient = await registerClient(gatehouse, passwordKind(ofApi));
      const service = await registerClient(gatehouse, serviceAccountKind(ofApi));
      const person = await getTokens(gatehouse, webClient, {
        grant_type: 'password',
        username: 'user@example.com',
        password: 'user-password',
      });
      const machine = await getTokens(gatehouse, service, { grant_type: 'client_credentials' });
      for (const [client, { access_token: token }] of [[webClient, person] as const, [service, machine] as const]) {
        const me = await call(`${url}/me`, { bearer: token });
        expect([me.status, me.json()]).toEqual([200, { subject: readClaims(token).sub, client: client[0] }]);
        expect((await call(`${url}/orders`, { bearer: token })).json()).toEqual([{ id: 1, item: 'a gate' }]);
        await call(`${gatehouse.authUrl}/oauth/revoke`, { basic: client, form: { token } });
        expect(await measureRefusal(`${url}/orders`, token)).toBeLessThan(refusalDeadline);
      }
    });

    test('refuses a token without the scope by 403', async () => {
      const gatehouse = getGatehouse();
      const client = await registerClient(gatehouse, passwordKind({ ...ofApi, scope: ['openid', 'profile'] }));
      const { access_token: token } = await getUserTokens(gatehouse, client);
      const answer = await call(`${url}/orders`, { bearer: token });
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([
        403,
        expect.stringContaining('error="insufficient_scope"'),
      ]);
    });

    test('refuses a token for org-api, which names another audience', async () => {
      const gatehouse = getGatehouse();
      const { access_token: token } = await getUserTokens(gatehouse, await registerClient(gatehouse, passwordKind()));
      expect((await call(`${url}/me`, { bearer: token })).status).toBe(401);
    });
  });
});
