import { setTimeout as sleep } from 'node:timers/promises';
import { call, createTestBrowser, type Gatehouse } from '@gatehouse/test-kit';
import { expect } from '@jest/globals';
import { Agent } from 'undici';
import { obtainCode } from '../../support/authorization.ts';
import { passwordKind, registerClient, serviceAccountKind } from '../../support/clients.ts';
import { administrator, plainUser, robotUsername } from '../../support/people.ts';
import { getAdministratorToken, getTokens, getUserTokens, isActive, postToken } from '../../support/tokens.ts';
import { uniqueName } from '../../support/unique.ts';
import { createUserAdministration, getUserDetails } from '../../support/users.ts';

/** What every release can do, from the first on: the interface from end to end, rights and refusals. */
export async function travelCore(gatehouse: Gatehouse): Promise<void> {
  const { authUrl } = gatehouse;
  const app = await registerClient(gatehouse, passwordKind());
  const machine = await registerClient(gatehouse, serviceAccountKind());

  // A user, by password and by code
  const first = await getUserTokens(gatehouse, app);
  // As browsers do, over a connection that is kept: the release whose page it is gets the form.
  const connection = new Agent({ connections: 1 });
  const { redemption } = await obtainCode(gatehouse, app, {}, createTestBrowser(connection));
  await connection.close();
  const byCode = await getTokens(gatehouse, app, redemption);
  for (const { access_token: token } of [first, byCode]) {
    expect((await getUserDetails(gatehouse, plainUser[0], token)).json()).toMatchObject({ username: plainUser[0] });
    expect(await isActive(gatehouse, app, token)).toBe(true);
  }
  expect((await call(`${authUrl}/oauth/userinfo`, { bearer: byCode.access_token })).status).toBe(200);

  // Refreshing: a successor works, and a retry gets the same one
  const refresh = { grant_type: 'refresh_token', refresh_token: first.refresh_token ?? '' };
  const second = await getTokens(gatehouse, app, refresh);
  expect((await getTokens(gatehouse, app, refresh)).refresh_token).toBe(second.refresh_token);
  expect((await getUserDetails(gatehouse, plainUser[0], second.access_token)).status).toBe(200);

  // A service account
  const robot = await getTokens(gatehouse, machine, { grant_type: 'client_credentials' });
  expect((await getUserDetails(gatehouse, robotUsername, robot.access_token)).json().userType).toBe('Robot');
  expect((await getUserDetails(gatehouse, plainUser[0], robot.access_token)).status).toBe(403);

  // Revoking, and a code that comes twice
  for (const token of [robot.access_token, second.refresh_token ?? '']) {
    const basic = token === robot.access_token ? machine : app;
    expect((await call(`${authUrl}/oauth/revoke`, { basic, form: { token } })).status).toBe(200);
  }
  expect(await isActive(gatehouse, app, robot.access_token)).toBe(false);
  const again = { grant_type: 'refresh_token', refresh_token: second.refresh_token ?? '' };
  for (const form of [again, redemption]) expect((await postToken(gatehouse, { basic: app, form })).status).toBe(400);
  expect(await isActive(gatehouse, app, byCode.access_token)).toBe(false);

  await administer(gatehouse, app);
}

/** Administration of users and clients. */
async function administer(gatehouse: Gatehouse, app: [string, string]): Promise<void> {
  const { authUrl } = gatehouse;
  const bearer = await getAdministratorToken(gatehouse, app);
  const users = createUserAdministration(gatehouse, bearer);
  const person: [string, string] = [`${uniqueName('person')}@example.com`, 'person-password'];
  await users.create({ username: person[0], userType: 'Person', password: person[1], lastName: 'Person' });
  const { access_token: token } = await getUserTokens(gatehouse, app, person);
  await users.change(person[0], { firstName: 'Changed' });
  expect((await getUserDetails(gatehouse, person[0], token)).json()).toMatchObject({ firstName: 'Changed' });
  await users.setPassword(person[0], 'another-password');
  expect((await getUserDetails(gatehouse, person[0], token)).status).toBe(401);
  await users.delete(person[0]);
  expect((await getUserDetails(gatehouse, person[0], bearer)).status).toBe(404);

  const url = `${authUrl}/clients/${app[0]}`;
  const changed = await call(url, { method: 'PATCH', bearer, json: { access_token_validity: 60 } });
  expect([changed.status, changed.json().access_token_validity]).toEqual([200, 60]);
  const listed = (await call(`${authUrl}/clients?limit=100`, { basic: administrator })).text;
  expect(listed).toContain(app[0]);
  const { client_secret: secret } = (await call(`${url}/secret`, { bearer, json: {} })).json();
  expect((await getUserTokens(gatehouse, [app[0], String(secret)])).token_type).toBe('Bearer');
  expect((await call(url, { method: 'DELETE', bearer })).status).toBe(204);
  // Other replicas than the one that deleted it heed it within a second.
  await sleep(1_000);
  const form = { grant_type: 'client_credentials' };
  expect((await postToken(gatehouse, { basic: [app[0], String(secret)], form })).status).toBe(401);
}
