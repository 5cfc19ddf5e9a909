import { expect, test } from '@jest/globals';
import { describeWithChromium } from '../support/chromium.ts';
import { useConsole } from '../support/console.ts';
import { administrator } from '../support/people.ts';
import { uniqueName } from '../support/unique.ts';

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
});
