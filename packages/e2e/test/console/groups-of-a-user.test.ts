import { beforeAll, expect, test } from '@jest/globals';
import { describeWithChromium } from '../support/chromium.ts';
import { dialogOf, field, useConsole } from '../support/console.ts';
import { makeGroup } from '../support/console-screens.ts';
import { administrator } from '../support/people.ts';
import { follow, isSeen, press } from '../support/visits.ts';

describeWithChromium('the groups of a user at the console', () => {
  const world = useConsole();
  let username: string;

  beforeAll(async () => {
    [username] = await world.makePerson();
    await makeGroup(world, { name: 'staff' }, [username]);
    await makeGroup(world, { name: 'staff/it' }, []);
  });
  const readGroups = async () => {
    const path = `/user/userId/${encodeURIComponent(username)}`;
    return (await world.askOrgApi(path)).json<{ groups?: string[] }>().groups;
  };

  test('are listed, added to and taken away', async () => {
    const { page, show, settle, expectStatus } = await world.open(administrator);
    await show(`/users/${encodeURIComponent(username)}/groups`);
    await settle();
    const rows = page.locator('.rows a');
    expect(await rows.allTextContents()).toEqual(['staff']);
    await press(page, 'Add to a group');
    await field(page, 'groups').focus();
    await page.locator('datalist > option[value="staff/it"]').waitFor({ state: 'attached' });
    expectStatus(400);
    await field(page, 'groups').fill('no such group');
    await press(dialogOf(page), 'Add to a group');
    await dialogOf(page).getByRole('alert').waitFor();
    await field(page, 'groups').fill('staff/it');
    await press(dialogOf(page), 'Add to a group');
    await page.getByRole('link', { name: 'staff/it' }).waitFor();
    expect(await readGroups()).toEqual(['staff', 'staff/it']);
    await press(
      page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'staff', exact: true }) }),
      'Remove from the group',
    );
    await dialogOf(page).getByText('Nothing that works now ends by this.').waitFor();
    await press(dialogOf(page), 'Remove from the group');
    await page.getByRole('link', { name: 'staff', exact: true }).waitFor({ state: 'detached' });
    expect(await readGroups()).toEqual(['staff/it']);
    await follow(page, 'staff/it');
    await isSeen(page, 'staff/it');
  });

  test('are read alone by a reader', async () => {
    const { page, show, settle } = await world.open(await world.makePerson('DirectoryReader'));
    await show(`/users/${encodeURIComponent(username)}/groups`);
    await settle();
    expect(await page.locator('.rows a').count()).toBe(1);
    expect(await page.getByRole('main').getByRole('button', { name: /group/ }).count()).toBe(0);
  });
});
