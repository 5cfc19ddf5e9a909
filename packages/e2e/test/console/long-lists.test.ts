import { createClientKey } from '@gatehouse/test-kit';
import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { obtainCode } from '../support/authorization.ts';
import { describeWithChromium } from '../support/chromium.ts';
import { passwordKind, registerClient } from '../support/clients.ts';
import { type ConsolePage, useConsole } from '../support/console.ts';
import { administrator, plainUser } from '../support/people.ts';
import { getTokens } from '../support/tokens.ts';
import { uniqueName } from '../support/unique.ts';
import { follow, press } from '../support/visits.ts';

interface Buttons {
  rows: Locator;
  next: string;
  first: string;
}

describeWithChromium('long lists of the console', () => {
  const world = useConsole();

  const makeRobot = async () => {
    const username = `${uniqueName('robot')}@example.com`;
    await world.askOrgApi('/user', { json: { username, userType: 'Robot', firstName: 'Robot' } });
    return username;
  };

  /** Goes to the second page of a list, back, forward, and reads it again. */
  async function walk({ page, show, settle }: ConsolePage, path: string, list: Buttons): Promise<void> {
    const count = async () => {
      await settle();
      return list.rows.count();
    };
    await show(path);
    const first = await count();
    await press(page, list.next);
    await page.getByRole('button', { name: list.first }).waitFor();
    const second = await count();
    expect([path, second > 0, second < first]).toEqual([path, true, true]);
    await page.goBack();
    expect([path, await count()]).toEqual([path, first]);
    await page.goForward();
    expect([path, await count()]).toEqual([path, second]);
    await page.reload();
    expect([path, await count()]).toEqual([path, second]);
  }

  test('go on by themselves where a page has nobody, as where 10,000 entries were examined', async () => {
    const since = new Date().toISOString();
    const early = await makeRobot();
    const late = await makeRobot();
    const { page, goto, settle } = await world.open(administrator);
    // A first page of one, who is left out.
    const leftOut: string[] = [];
    await page.route(/\/organization\/user\?/, async (route) => {
      const url = new URL(route.request().url());
      if (url.searchParams.has('cursor')) return route.continue();
      url.searchParams.set('limit', '1');
      const response = await route.fetch({ url: url.href });
      // Such as for a proof without the newest nonce.
      if (!response.ok()) return route.fulfill({ response });
      const { users, ...others } = (await response.json()) as { users: { username: string }[] };
      leftOut.push(...users.map(({ username }) => username));
      return route.fulfill({ response, json: { users: [], ...others } });
    });
    await goto(`/users?createdSince=${since}`);
    await settle();
    expect(await page.locator('tbody th code').allTextContents()).toEqual([late]);
    expect(leftOut).toEqual([early]);
  });

  test('have their page in the URL: sessions, grants and events', async () => {
    const client = await registerClient(world.gatehouse, passwordKind());
    for (let n = 0; n < 51; n += 1) {
      const { redemption } = await obtainCode(world.gatehouse, client, { scope: 'openid' });
      await getTokens(world.gatehouse, client, redemption);
    }
    const visit = await world.open(administrator);
    const rows = visit.page.locator('.rows').first().locator('> li');
    const events = visit.page.locator('.events > tbody > tr');
    await walk(visit, `/clients/${client[0]}/access`, { rows, next: 'Next', first: 'First page' });
    await walk(visit, `/users/${encodeURIComponent(plainUser[0])}/sessions`, {
      rows,
      next: 'Next',
      first: 'First page',
    });
    await walk(visit, `/clients/${client[0]}/events`, { rows: events, next: 'Older', first: 'Newest' });
  }, 240_000);

  test('lead from a Robot to all of its applications', async () => {
    const username = await makeRobot();
    // A key takes no slow hash.
    const proof = {
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [createClientKey('ES256', 'one').jwk] },
    };
    const grants = { authorized_grant_types: ['service_account'], scope: ['roles'], srvc_ac_user_name: username };
    for (let n = 0; n < 101; n += 1) {
      await world.askAuthServer('/clients', { json: { ...grants, ...proof, client_id: uniqueName('job') } });
    }
    const { page } = await world.open(administrator, `/users/${encodeURIComponent(username)}/profile`);
    await follow(page.getByRole('main'), 'Next');
    await page.getByText('101 in all').waitFor();
  });
});
