import { call, type Gatehouse } from '@gatehouse/test-kit';
import { beforeAll, expect, test } from '@jest/globals';
import { type Credentials, registerClient } from '../support/clients.ts';
import { decideDevice, deviceGrant, deviceKind, openDevicePage, startDevice } from '../support/device.ts';
import { administrator, plainUser } from '../support/people.ts';
import { describeGatehouse } from '../support/suite.ts';
import { getUserTokens, postToken, readClaims } from '../support/tokens.ts';
import { uniqueName } from '../support/unique.ts';
import { createUserAdministration } from '../support/users.ts';

describeGatehouse('RFC 8628', (getGatehouse) => {
  let gatehouse: Gatehouse;
  let device: Credentials;
  beforeAll(async () => {
    gatehouse = getGatehouse();
    device = await registerClient(gatehouse, deviceKind());
  });
  const poll = (device_code: string) =>
    postToken(gatehouse, { basic: device, form: { grant_type: deviceGrant, device_code } });
  const readError = async (device_code: string) => {
    const answer = await poll(device_code);
    return [answer.status, answer.json().error];
  };

  test('3.1, 3.2: the answer has a code for the device, one for the user, and where to type it', async () => {
    const answer = await call(`${gatehouse.authUrl}/oauth/device_authorization`, { basic: device, form: {} });
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    const { user_code, ...rest } = answer.json<Record<string, unknown>>();
    expect(user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(rest).toEqual({
      device_code: expect.stringMatching(/^[\w-]{43}$/),
      verification_uri: `${gatehouse.authUrl}/oauth/device`,
      verification_uri_complete: `${gatehouse.authUrl}/oauth/device?user_code=${user_code}`,
      expires_in: 600,
      interval: 5,
    });
  });

  test('3.3, 3.4, 3.5: the device waits, slows down, and gets tokens once the user allowed it', async () => {
    const started = await startDevice(gatehouse, device, { scope: 'openid' });
    expect(await readError(started.device_code)).toEqual([400, 'authorization_pending']);
    expect(await readError(started.device_code)).toEqual([400, 'slow_down']);
    await decideDevice(started);
    const answer = await poll(started.device_code);
    expect(answer.status).toBe(200);
    const { access_token, id_token } = answer.json<{ access_token: string; id_token: string }>();
    expect(readClaims(access_token)).toMatchObject({ client_id: device[0], ceiling: [] });
    expect(readClaims(id_token)).not.toHaveProperty('sid');
    expect(await readError(started.device_code)).toEqual([400, 'invalid_grant']);
  });

  test('3.5: the device learns that the user denied it', async () => {
    const started = await startDevice(gatehouse, device);
    await decideDevice(started, 'deny');
    expect(await readError(started.device_code)).toEqual([400, 'access_denied']);
  });

  test('4: the metadata names the endpoint and the grant type', async () => {
    const metadata = (await call(`${gatehouse.authUrl}/.well-known/oauth-authorization-server`)).json();
    expect(metadata).toMatchObject({
      device_authorization_endpoint: `${gatehouse.authUrl}/oauth/device_authorization`,
      grant_types_supported: expect.arrayContaining([deviceGrant]),
    });
  });

  test('5.1: wrong codes count at all replicas together', async () => {
    const started = await startDevice(gatehouse, device);
    const { access_token: token } = await getUserTokens(gatehouse, await registerPasswordClient(), administrator);
    const username = `${uniqueName('guesser')}@example.com`;
    const users = createUserAdministration(gatehouse, token);
    await users.create({ username, userType: 'Person', password: 'a password of a guesser' });
    const guesser = [username, 'a password of a guesser'] as const;
    const url = `${gatehouse.authUrl}/oauth/device`;
    const { browser } = await openDevicePage(url, guesser);
    for (let times = 0; times < 10; times += 1)
      expect((await browser.get(`${url}?user_code=BBBB-BBBB`)).status).toBe(400);
    for (let times = 0; times < 4; times += 1)
      expect((await browser.get(started.verification_uri_complete)).status).toBe(429);
    const { page } = await openDevicePage(started.verification_uri_complete, plainUser);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining(started.user_code)]);
  });

  async function registerPasswordClient(): Promise<Credentials> {
    return registerClient(gatehouse, deviceKind({ authorized_grant_types: ['password'] }));
  }
});
