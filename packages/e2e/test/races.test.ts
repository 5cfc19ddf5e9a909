import { randomBytes } from 'node:crypto';
import {
  type Answer,
  call,
  createTestDatabase,
  findFreePort,
  type Gatehouse,
  startServiceProcess,
} from '@gatehouse/test-kit';
import { beforeAll, expect, test } from '@jest/globals';
import { obtainCode } from './support/authorization.ts';
import { type Credentials, passwordKind, registerClient } from './support/clients.ts';
import { deviceGrant, deviceKind, openDevicePage, startDevice } from './support/device.ts';
import { administrator } from './support/people.ts';
import { describeGatehouse, describeOnMysql } from './support/suite.ts';
import { getUserTokens, isActive, postToken, type TokenResponse } from './support/tokens.ts';
import { describeTwoReplicas } from './support/two-replicas.ts';
import { uniqueName } from './support/unique.ts';
import { createUserAdministration } from './support/users.ts';
import { atOnce, waitFor } from './support/wait.ts';

/** Where each of several requests goes: to one server, or in turn to its replicas. */
type Route = (index: number) => string;

const readTokens = (answer: Answer | undefined) => answer?.json() as unknown as TokenResponse;

/** Redeems one code 16 times at once: one wins, and what it won is ended because the others came. */
async function expectOneRedemption(gatehouse: Gatehouse, app: Credentials, route: Route): Promise<void> {
  const { redemption } = await obtainCode(gatehouse, app);
  const answers = await atOnce(16, (index) => call(`${route(index)}/oauth/token`, { basic: app, form: redemption }));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(15).fill(400)]);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(new Set(refused.map((answer) => answer.json().error))).toEqual(new Set(['invalid_grant']));

  const tokens = readTokens(answers.find(({ status }) => status === 200));
  expect(await isActive(gatehouse, app, tokens.access_token)).toBe(false);
  const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' };
  const refresh = await postToken(gatehouse, { basic: app, form });
  expect([refresh.status, refresh.json().error]).toEqual([400, 'invalid_grant']);
}

/** Uses one refresh token 16 times at once: every use is answered with the same successor, which works. */
async function expectOneSuccessor(gatehouse: Gatehouse, app: Credentials, route: Route): Promise<void> {
  const { refresh_token: token = '' } = await getUserTokens(gatehouse, app);
  const form = { grant_type: 'refresh_token', refresh_token: token };
  const answers = await atOnce(16, (index) => call(`${route(index)}/oauth/token`, { basic: app, form }));
  expect(answers.map(({ status }) => status)).toEqual(Array<number>(16).fill(200));

  const successors = new Set(answers.map((answer) => readTokens(answer).refresh_token));
  expect(successors.size).toBe(1);
  const [successor = ''] = successors;
  expect(successor).not.toBe(token);
  const accessTokens = answers.map((answer) => readTokens(answer).access_token);
  const active = await Promise.all(accessTokens.map((accessToken) => isActive(gatehouse, app, accessToken)));
  expect(active).toEqual(Array<boolean>(16).fill(true));
  const next = await postToken(gatehouse, { basic: app, form: { ...form, refresh_token: successor } });
  expect(next.status).toBe(200);
}

/**
 * A device polls 16 times while its user allows it: the polls before are pending, and of those after one gets tokens, which
 * nothing ends.
 */
async function expectOneDevice(gatehouse: Gatehouse, device: Credentials, route: Route): Promise<void> {
  const started = await startDevice(gatehouse, device, { scope: 'openid' });
  const { verification_uri_complete: url } = started;
  const { browser, page } = await openDevicePage(url);
  const form = { grant_type: deviceGrant, device_code: started.device_code };
  const poll = (index: number) => call(`${route(index)}/oauth/token`, { basic: device, form });
  const [decided, ...answers] = await Promise.all([
    browser.submit(page, url, { decision: 'allow' }),
    ...Array.from({ length: 16 }, (_, index) => poll(index)),
  ]);
  expect([decided.status, decided.text]).toEqual([200, expect.stringContaining('The device is connected')]);
  const later = await atOnce(4, poll);
  const all = [...answers, ...later];
  const given = all.filter(({ status }) => status === 200);
  expect(given).toHaveLength(1);
  const errors = new Set(all.filter(({ status }) => status !== 200).map((answer) => answer.json().error));
  expect(['authorization_pending', 'slow_down', 'invalid_grant']).toEqual(expect.arrayContaining([...errors]));

  const tokens = readTokens(given[0]);
  expect(await isActive(gatehouse, device, tokens.access_token)).toBe(true);
  const refreshing = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' };
  expect((await postToken(gatehouse, { basic: device, form: refreshing })).status).toBe(200);
}

/** Four users decide about one device at once, half of them against it: one decision stands. */
async function expectOneDecision(gatehouse: Gatehouse, device: Credentials, route: Route): Promise<void> {
  const started = await startDevice(gatehouse, device, { scope: 'openid' });
  const query = `?user_code=${started.user_code}`;
  const urls = [0, 1, 2, 3].map((index) => `${route(index)}/oauth/device${query}`);
  const opened = await Promise.all(urls.map((url) => openDevicePage(url)));
  const answers = await atOnce(4, (index) => {
    const { browser, page } = opened[index] as (typeof opened)[number];
    return browser.submit(page, urls[index] as string, { decision: index < 2 ? 'allow' : 'deny' });
  });
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
  const isAllowed = answers.findIndex(({ status }) => status === 200) < 2;
  const form = { grant_type: deviceGrant, device_code: started.device_code };
  const polled = await call(`${route(1)}/oauth/token`, { basic: device, form });
  expect([polled.status, polled.json().error]).toEqual(isAllowed ? [200, undefined] : [400, 'access_denied']);
}

describeGatehouse('at the same moment', (getGatehouse) => {
  let gatehouse: Gatehouse;
  let app: Credentials;
  const route = () => gatehouse.authUrl;
  beforeAll(async () => {
    gatehouse = getGatehouse();
    app = await registerClient(gatehouse, passwordKind());
  });

  test.each([1, 2, 3])('one code redeemed 16 times gives tokens once, and those are ended (round %d)', () =>
    expectOneRedemption(gatehouse, app, route),
  );

  test('a code redeemed again, one after the other, ends the tokens of the first', async () => {
    const { redemption } = await obtainCode(gatehouse, app);
    const first = await postToken(gatehouse, { basic: app, form: redemption });
    const tokens = readTokens(first);
    const before = await isActive(gatehouse, app, tokens.access_token);
    const second = await postToken(gatehouse, { basic: app, form: redemption });
    const after = await isActive(gatehouse, app, tokens.access_token);
    expect([first.status, before, second.status, after]).toEqual([200, true, 400, false]);
  });

  test.each([1, 2, 3])('one refresh token used 16 times gives one successor (round %d)', () =>
    expectOneSuccessor(gatehouse, app, route),
  );

  test.each([1, 2, 3])('one device that polls 16 times while it is allowed gets tokens once (round %d)', async () =>
    expectOneDevice(gatehouse, await registerClient(gatehouse, deviceKind()), route),
  );

  test('one device that four users decide about has one decision', async () =>
    expectOneDecision(gatehouse, await registerClient(gatehouse, deviceKind()), route));

  test('a refresh token that comes back after its successor was used ends the whole family', async () => {
    const first = await getUserTokens(gatehouse, app);
    const refresh = (token = '') =>
      postToken(gatehouse, { basic: app, form: { grant_type: 'refresh_token', refresh_token: token } });
    const second = readTokens(await refresh(first.refresh_token));
    const third = readTokens(await refresh(second.refresh_token));
    const thief = await refresh(first.refresh_token);
    expect([thief.status, thief.json().error]).toEqual([400, 'invalid_grant']);
    expect((await refresh(third.refresh_token)).status).toBe(400);
    const tokens = [first, second, third].map(({ access_token: token }) => token);
    const active = await Promise.all(tokens.map((token) => isActive(gatehouse, app, token)));
    expect(active).toEqual([false, false, false]);
  });

  test('16 users of one username are created once', async () => {
    const { access_token: token } = await getUserTokens(gatehouse, app, administrator);
    const users = createUserAdministration(gatehouse, token);
    const user = { username: `${uniqueName('contested')}@example.com`, userType: 'Robot' };
    const outcomes = await atOnce(16, () =>
      users.create(user).then(
        () => 201,
        (error: Error) => Number(error.message.slice(0, 3)),
      ),
    );
    expect(outcomes.sort()).toEqual([201, ...Array<number>(15).fill(409)]);
  });
});

describeTwoReplicas('two replicas of auth-server', (at) => {
  let gatehouse: Gatehouse;
  let app: Credentials;
  const route = (index: number) => at(index).authUrl;
  beforeAll(async () => {
    gatehouse = at(0);
    app = await registerClient(gatehouse, passwordKind());
  });

  test.each([1, 2, 3])('redeem one code once (round %d)', () => expectOneRedemption(gatehouse, app, route));

  test.each([1, 2, 3])('give one successor for one refresh token (round %d)', () =>
    expectOneSuccessor(gatehouse, app, route),
  );

  test.each([1, 2, 3])('give tokens once to a device that polls both while it is allowed (round %d)', async () =>
    expectOneDevice(gatehouse, await registerClient(gatehouse, deviceKind()), route),
  );

  test('take one of four decisions about a device', async () =>
    expectOneDecision(gatehouse, await registerClient(gatehouse, deviceKind()), route));

  test('create one client_id once', async () => {
    const fields = passwordKind();
    const answers = await atOnce(16, (index) =>
      call(`${route(index)}/clients`, { basic: administrator, json: fields }),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(15).fill(400)]);
  });

  test('show the same keys, accept each other’s tokens and see what the other ended', async () => {
    const sets = await Promise.all([0, 1].map((index) => call(`${route(index)}/oauth/jwks`)));
    expect(sets[0]?.json()).toEqual(sets[1]?.json());

    const { access_token: token } = await getUserTokens(gatehouse, app);
    const before = await isActive(at(1), app, token);
    await call(`${gatehouse.authUrl}/oauth/revoke`, { basic: app, form: { token } });
    const after = await isActive(at(1), app, token);
    expect([before, after]).toEqual([true, false]);
  });

  test('stop serving a disabled user within a second, both of them', async () => {
    const { access_token: administratorToken } = await getUserTokens(gatehouse, app, administrator);
    const users = createUserAdministration(gatehouse, administratorToken);
    const username = `${uniqueName('person')}@example.com`;
    await users.create({ username, userType: 'Person', password: 'person-password' });
    const { access_token: token } = await getUserTokens(gatehouse, app, [username, 'person-password']);
    await users.change(username, { enabled: false });
    const ask = (index: number) => isActive(at(index), app, token);
    const active = await waitFor(
      () => Promise.all([ask(0), ask(1)]),
      (answers) => !answers.includes(true),
      1000,
    );
    expect(active).toEqual([false, false]);
  });
});

describeOnMysql('replicas that start on an empty database', (dialect) => {
  test('migrate it once and make the first keys once', async () => {
    const database = await createTestDatabase(dialect);
    const env = {
      DATABASE_URL: database.url,
      MIGRATE_ON_START: 'true',
      KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    };
    const ports = await Promise.all([findFreePort(), findFreePort(), findFreePort()]);
    const replicas = await Promise.all(ports.map((port) => startServiceProcess({ name: 'auth-server', port, env })));
    try {
      const sets = await Promise.all(replicas.map(({ url }) => call(`${url}/oauth/jwks`)));
      const [first, ...others] = sets.map((set) => set.json<{ keys: { alg: string }[] }>().keys);
      expect(first?.map(({ alg }) => alg).sort()).toEqual(['ES256', 'RS256']);
      for (const other of others) expect(other).toEqual(first);
    } finally {
      await Promise.all(replicas.map(({ stop }) => stop()));
      await database.drop();
    }
  });
});
