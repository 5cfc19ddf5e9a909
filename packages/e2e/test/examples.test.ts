import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, findFreePort, quickestDialect, repositoryRoot, startGatehouse } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { passwordKind, registerClient, serviceAccountKind } from './support/clients.ts';
import { isCommand, parseSteps } from './support/guide.ts';
import { doSteps, startInBackground } from './support/guide-terminal.ts';
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

/** Starts an example where another program has its port already. */
async function startAtTakenPort(name: string, authUrl: string) {
  const taken = createServer().listen(0, 'localhost');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const origin = `http://localhost:${port}`;
  const env = { PATH: process.env.PATH, ISSUER: authUrl, AUDIENCE: origin, ORIGIN: origin, PORT: String(port) };
  const file = join(repositoryRoot, 'examples', name, 'server.js');
  const example = spawn(process.execPath, [file], { env: { ...env, SESSION_SECRET: 'a-secret' } });
  const printed = [example.stdout, example.stderr].map((stream) => stream.toArray());
  const [code] = await once(example, 'close');
  taken.close();
  const [output, errors] = (await Promise.all(printed)).map((chunks) => Buffer.concat(chunks).toString());
  return { origin, code, output, errors };
}

test('examples/README.md: its commands run as they stand, and answer as it says', async () => {
  const gatehouse = await startGatehouse({ dialect: quickestDialect });
  try {
    const port = await findFreePort();
    const url = `http://localhost:${port}`;
    const text = readFileSync(join(repositoryRoot, 'examples/README.md'), 'utf8');
    const asServed = text
      .replaceAll('http://localhost:9000', gatehouse.authUrl)
      .replaceAll('http://localhost:3000', url);
    const steps = parseSteps(asServed).filter(isCommand);
    expect(steps).toHaveLength(3);
    // The defaults of the API, at the ports of this run.
    const env = { ...process.env, ISSUER: gatehouse.authUrl, AUDIENCE: url, PORT: String(port) };
    const commands = steps.map((step) => startInBackground(step, url));
    await doSteps(commands, { folder: repositoryRoot, env }, 50_000);
  } finally {
    await gatehouse.stop();
  }
});

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

  test.each(['fastify-api', 'express-api', 'mcp-server', 'express-sign-in'])(
    '%s ends by 1 and one sentence where its port is taken, and says nothing else',
    async (name) => {
      const { origin, code, output, errors } = await startAtTakenPort(name, getGatehouse().authUrl);
      expect([code, output]).toEqual([1, '']);
      expect(errors).toMatch(new RegExp(`^cannot listen at ${origin}: listen EADDRINUSE: .*; choose another \\w+\\n$`));
    },
  );

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
