import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, findFreePort } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { administerOrganization, withinOneSecond } from '../support/organization.ts';
import { administrator, type Realm, startAuthServer, startRealm } from '../support/realm.ts';

/*
 * What the token endpoint remembers for less than a second, and what that may not change: what changes here counts at
 * once, what is withdrawn elsewhere within a second, and what a user is given, or a new secret, at once everywhere.
 */

let realm: Realm;
let organization: Awaited<ReturnType<typeof administerOrganization>>;

const robot = 'recent.robot@example.com';
const worker = {
  client_id: 'worker',
  client_secret: 'worker-secret',
  scope: ['profile'],
  authorized_grant_types: ['service_account'],
  srvc_ac_user_name: robot,
};
const ask = (secret = worker.client_secret, form: Record<string, string> = {}) =>
  realm.tokenRequest(
    { client_id: worker.client_id, client_secret: secret },
    { grant_type: 'client_credentials', ...form },
  );
const statusOf = async (secret?: string) => (await ask(secret)).status;

beforeAll(async () => {
  realm = await startRealm();
  organization = await administerOrganization(realm);
  await organization.create({ username: robot, userType: 'Robot', firstName: 'Rob', lastName: 'Ot' });
  await realm.register(worker);
});
afterAll(() => realm.close());

describe('a Robot that was looked up within the last second', () => {
  it('is refused within a second after it is disabled, and acts at once when it is enabled again', async () => {
    expect(await statusOf()).toBe(200);
    await organization.change(robot, { enabled: false });
    await withinOneSecond(async () => expect(await statusOf()).toBe(400));
    await organization.change(robot, { enabled: true });
    expect(await statusOf()).toBe(200);
  });

  it('is not looked up for each of many tokens at the same moment', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => statusOf()));
    expect(new Set(answers)).toEqual(new Set([200]));
    const text = await (await fetch(`${realm.orgUrl}/metrics`)).text();
    const queries = /http_request_duration_seconds_count\{[^}]*user-queries[^}]*\} (\d+)/.exec(text)?.[1];
    expect(Number(queries)).toBeLessThan(20);
  });
});

describe('a client that was looked up within the last second', () => {
  const change = (json: object) => realm.send('/clients/worker', { method: 'PATCH', basic: administrator, json });

  it('has a new scope at once where it was changed', async () => {
    expect(await statusOf()).toBe(200);
    const seen = await realm.send('/clients/worker', { basic: administrator });
    expect(seen.status).toBe(200);
    expect((await change({ scope: ['email'] })).status).toBe(200);
    expect((await ask()).json<{ scope: string }>().scope).toBe('email');
    expect((await ask(undefined, { scope: 'profile' })).status).toBe(400);
  });

  it('gets no token any more once it is deleted', async () => {
    expect(await statusOf()).toBe(200);
    expect((await realm.send('/clients/worker', { method: 'DELETE', basic: administrator })).status).toBe(204);
    expect(await statusOf()).toBe(401);
    await realm.register(worker);
    expect(await statusOf()).toBe(200);
  });
});

describe('a client that another replica changes', () => {
  let replica: Awaited<ReturnType<typeof startAuthServer>>;
  let replicaUrl: string;
  let shared: Awaited<ReturnType<typeof createTestDatabase>>;
  let here: Realm;

  beforeAll(async () => {
    shared = await createTestDatabase('sqlite');
    const key = Buffer.alloc(32, 7).toString('base64');
    here = await startRealm({ DATABASE_URL: shared.url, KEY_ENCRYPTION_KEY: key });
    const port = await findFreePort();
    const env = { AUTH_URL: here.url, BASE_URL: here.orgUrl, DATABASE_URL: shared.url, KEY_ENCRYPTION_KEY: key };
    replica = await startAuthServer(port, env);
    replicaUrl = `http://localhost:${port}`;
    await here.register({ ...worker, srvc_ac_user_name: 'robot@example.com' });
  });
  afterAll(async () => {
    await replica.stop();
    await here.close();
    await shared.drop();
  });

  const askHere = async (secret: string) =>
    (await here.tokenRequest({ client_id: 'worker', client_secret: secret }, { grant_type: 'client_credentials' }))
      .status;
  const elsewhere = (path: string, init: RequestInit) =>
    fetch(`${replicaUrl}/clients/worker${path}`, {
      ...init,
      headers: {
        authorization: `Basic ${Buffer.from(administrator.join(':')).toString('base64')}`,
        ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
    });

  it('is known here by its new secret at once, and no longer by the old one within a second', async () => {
    expect(await askHere('worker-secret')).toBe(200);
    const body = JSON.stringify({ client_secret: 'second-worker-secret', grace_seconds: 0 });
    expect((await elsewhere('/secret', { method: 'POST', body })).status).toBe(200);
    expect(await askHere('second-worker-secret')).toBe(200);
    await withinOneSecond(async () => expect(await askHere('worker-secret')).toBe(401));
  });

  it('gets no token here any more within a second after it is deleted there', async () => {
    expect(await askHere('second-worker-secret')).toBe(200);
    expect((await elsewhere('', { method: 'DELETE' })).status).toBe(204);
    await sleep(1_000);
    expect(await askHere('second-worker-secret')).toBe(401);
  });
});
