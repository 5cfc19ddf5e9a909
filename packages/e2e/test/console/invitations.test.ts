import { readFile } from 'node:fs/promises';
import { type MailServer, startMailServer } from '@gatehouse/test-kit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeWithChromium } from '../support/chromium.ts';
import { chooseAct, dialogOf, field, readReview, useConsole } from '../support/console.ts';
import { administrator } from '../support/people.ts';
import { uniqueName } from '../support/unique.ts';
import { isSeen, press } from '../support/visits.ts';

const mailed = 'A mail with the link is on its way.';

describeWithChromium('users who are invited at the console', () => {
  let mails: MailServer;
  const ofOrgApi: Record<string, string> = {};
  beforeAll(async () => {
    mails = await startMailServer();
    Object.assign(ofOrgApi, { MAIL_URL: mails.url, MAIL_FROM: 'no-reply@example.com' });
  });
  afterAll(() => mails?.close());
  const world = useConsole({}, ofOrgApi);

  const read = async (username: string) =>
    (await world.askOrgApi(`/user/userId/${encodeURIComponent(username)}`)).json<Record<string, unknown>>();
  const uniqueAddress = () => `${uniqueName('guest')}@example.com`;
  const pathOf = (username: string, tab = 'profile') => `/users/${encodeURIComponent(username)}/${tab}`;

  test('are made with address and groups, and get a mail', async () => {
    const [username, email, group] = [uniqueAddress(), uniqueAddress(), uniqueName('group')];
    await world.askOrgApi('/group', { json: { name: group } });
    const { page } = await world.open(administrator, '/users/new');
    await page.getByLabel('Invite by mail').waitFor();
    expect(await page.getByLabel('Invite by mail').isChecked()).toBe(true);
    await field(page, 'username').fill(username);
    expect(await field(page, 'email').inputValue()).toBe(username);
    await field(page, 'email').fill(email);
    await field(page, 'groups').fill(group);
    await field(page, 'locale').fill('de');
    await page.getByLabel('DirectoryReader').check();
    await press(page, 'Review');
    expect(await readReview(page)).toContainEqual(['groups', group]);
    await press(dialogOf(page), 'Make a user');
    await isSeen(page, `${username} is there`);
    await page.getByText(mailed).waitFor();
    expect(await page.locator('.secret').count()).toBe(0);
    await mails.waitFor(email);
    expect(await read(username)).toMatchObject({
      ...{ userType: 'Person', email, groups: [group], locale: 'de', roles: ['DirectoryReader'] },
    });
  });

  test('get a second mail, or a link that the administrator gives them', async () => {
    const username = uniqueAddress();
    await world.askOrgApi('/user', { json: { username, email: username, userType: 'Person', invite: true } });
    await mails.waitFor(username);
    const { page } = await world.open(administrator, pathOf(username));
    await chooseAct(page, 'Invite');
    await field(dialogOf(page), 'deliver').waitFor();
    await press(dialogOf(page), 'Invite');
    await dialogOf(page).getByText(mailed).waitFor();
    await mails.waitFor(username);
    await press(dialogOf(page), 'Close');
    await chooseAct(page, 'Invite');
    await field(dialogOf(page), 'deliver').selectOption('You get it, and give it to the user');
    await press(dialogOf(page), 'Invite');
    await press(dialogOf(page).locator('.secret'), 'Show');
    expect(await dialogOf(page).locator('.secret code').textContent()).toContain('/account/link?token=');
  });

  test('get a mail where all of their ways to sign in were taken', async () => {
    const [username] = await world.makePerson();
    const { page } = await world.open(administrator, pathOf(username, 'methods'));
    await press(page, 'Reset all ways to sign in');
    await dialogOf(page).getByLabel('The password too').check();
    await field(dialogOf(page), 'deliver').waitFor();
    await press(dialogOf(page), 'Reset all ways to sign in');
    await page.getByText(mailed).waitFor();
    await page.getByText('This user has no way to sign in yet.').waitFor();
    await mails.waitFor(username);
  });

  test('have all of their data downloaded', async () => {
    const [username] = await world.makePerson();
    const { page } = await world.open(administrator, pathOf(username));
    await chooseAct(page, 'Download all data');
    const saved = page.waitForEvent('download');
    await press(dialogOf(page), 'Download all data');
    const file = await saved;
    expect(file.suggestedFilename()).toBe(`${username}.json`);
    expect(JSON.parse(await readFile(await file.path(), 'utf8'))).toMatchObject({ user: { username } });
  });
});
