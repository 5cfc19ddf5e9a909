import { expect, test } from '@jest/globals';
import { obtainCode } from '../support/authorization.ts';
import { describeWithChromium } from '../support/chromium.ts';
import { passwordKind, registerClient } from '../support/clients.ts';
import { useConsole } from '../support/console.ts';
import { administrator, plainUser } from '../support/people.ts';
import { getTokens } from '../support/tokens.ts';
import { uniqueName } from '../support/unique.ts';
import { follow, press } from '../support/visits.ts';

describeWithChromium('long lists of the console', () => {
  const world = useConsole();

  const makeRobot = async () => {
    const username = `${uniqueName('robot')}@example.com`;
    await world.askOrgApi('/user', { json: { username, userType: 'Robot', firstName: 'Robot' } });
    return username;
  };

  test('go on by themselves where the users of a page were made too early', async () => {
    // A page has 50 users of the day before; those from the instant on are listed.
    for (let n = 0; n < 55; n += 1) await makeRobot();
    const since = new Date().toISOString();
    const late = await makeRobot();
    const first = await world.askOrgApi(`/user?createdSince=${since}&limit=50`);
    expect(first.json()).toEqual({ users: [], nextCursor: expect.any(String) });
    const { page, settle } = await world.open(administrator, `/users?createdSince=${since}`);
    await settle();
    expect(await page.locator('tbody th code').allTextContents()).toEqual([late]);
  });

  test('have their page in the URL: sessions, grants and events', async () => {
    const client = await registerClient(world.gatehouse, passwordKind());
    for (let n = 0; n < 51; n += 1) {
      const { redemption } = await obtainCode(world.gatehouse, client, { scope: 'openid' });
      await getTokens(world.gatehouse, client, redemption);
    }
    const { page, show, settle } = await world.open(administrator);
    const rows = page.locator('.rows').first().locator('> li');
    for (const path of [
      `/clients/${client[0]}/access`,
      `/users/${encodeURIComponent(plainUser[0])}/sessions`,
      `/clients/${client[0]}/events`,
    ]) {
      const isEvents = path.endsWith('events');
      const found = isEvents ? page.locator('.events > tbody > tr') : rows;
      await show(path);
      await settle();
      const first = await found.allTextContents();
      expect([path, first.length]).toEqual([path, isEvents ? expect.any(Number) : 50]);
      await press(page, isEvents ? 'Older' : 'Next');
      await page.getByRole('button', { name: isEvents ? 'Newest' : 'First page' }).waitFor();
      await settle();
      const second = await found.allTextContents();
      expect([path, second.length]).toEqual([path, expect.any(Number)]);
      expect(second).not.toEqual(first);
      expect(new URL(page.url()).search).toMatch(/cursor=/);
      await page.reload();
      await settle();
      expect(await found.count()).toBe(second.length);
      await page.goBack();
      await settle();
      expect(await found.count()).toBe(first.length);
    }
  });

  test('lead from a Robot to all of its applications', async () => {
    const username = await makeRobot();
    const client_secret = 'the-secret-of-a-client';
    const grants = { authorized_grant_types: ['service_account'], scope: ['roles'], srvc_ac_user_name: username };
    for (let n = 0; n < 101; n += 1) {
      await world.askAuthServer('/clients', { json: { ...grants, client_secret, client_id: uniqueName('job') } });
    }
    const { page } = await world.open(administrator, `/users/${encodeURIComponent(username)}/profile`);
    await follow(page.getByRole('main'), 'Next');
    await page.getByText('101 in all').waitFor();
  });
});
