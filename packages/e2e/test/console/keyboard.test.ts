import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeWithChromium } from '../support/chromium.ts';
import { passwordKind, registerClient } from '../support/clients.ts';
import { dialogOf, field, openUserMenu, useConsole } from '../support/console.ts';
import { administrator } from '../support/people.ts';
import { isSeen, press } from '../support/visits.ts';

/** What has the focus: how it is shown, and whether something lies over its middle. */
const readFocus = (page: Page) =>
  page.evaluate(() => {
    const focus = document.activeElement as HTMLElement;
    const { left, top, width, height } = focus.getBoundingClientRect();
    const { outlineStyle, outlineWidth } = getComputedStyle(focus);
    const over = document.elementFromPoint(left + width / 2, top + Math.min(height, innerHeight) / 2);
    return {
      name: focus.id || focus.textContent?.trim().slice(0, 40) || focus.tagName,
      isOutlined: outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2,
      isHidden: over === null || !(focus.contains(over) || over.contains(focus)),
    };
  });

/** What comes last on a screen, and more steps than any has. */
const ends = ['The same by curl', 'Download'];
const longest = 150;

describeWithChromium('the console by keyboard', () => {
  const world = useConsole();

  test('has keys for the search field, the places and their list, which are switched off one by one in it', async () => {
    const { page } = await world.open(administrator, '/clients');
    await isSeen(page, 'Applications');
    const search = page.getByLabel('Find a client, a user or a request');
    await page.keyboard.press('/');
    expect(await search.evaluate((each) => each === document.activeElement)).toBe(true);
    // A key that is typed into a field is a letter.
    await page.keyboard.type('gu/?');
    expect(await search.inputValue()).toBe('gu/?');
    await search.fill('');
    await search.blur();
    for (const [keys, heading] of [
      ['gu', 'Users'],
      ['ge', 'Events'],
      ['gc', 'Applications'],
    ] as const) {
      await page.keyboard.type(keys);
      await isSeen(page, heading);
    }
    await page.keyboard.press('?');
    await dialogOf(page).getByRole('heading', { name: 'Keyboard' }).waitFor();
    await dialogOf(page).getByText('Search field').waitFor();
    for (const key of ['g u Users', '? This list', '/ Search field']) {
      await dialogOf(page).getByRole('checkbox', { name: key, exact: true }).uncheck();
    }
    await page.keyboard.press('Escape');
    await dialogOf(page).waitFor({ state: 'detached' });
    await page.keyboard.type('gu?/');
    expect(await search.evaluate((each) => each === document.activeElement)).toBe(false);
    expect(await dialogOf(page).count()).toBe(0);
    await isSeen(page, 'Applications');
    await page.keyboard.type('ge');
    await isSeen(page, 'Events');
    await press(await openUserMenu(page), 'Keyboard');
    await dialogOf(page).getByRole('checkbox', { name: 'g u Users', exact: true }).check();
    await page.keyboard.press('Escape');
    await dialogOf(page).waitFor({ state: 'detached' });
    await page.keyboard.type('gu');
    await isSeen(page, 'Users');
  });

  test('knows that a key is the second of two, whatever was drawn between them', async () => {
    const { page, show } = await world.open(administrator, '/clients');
    await isSeen(page, 'Applications');
    await page.keyboard.press('g');
    await show('/events');
    await isSeen(page, 'Events');
    await page.keyboard.press('u');
    await isSeen(page, 'Users');
  });

  test('leads past the navigation to the content', async () => {
    const { page } = await world.open(administrator, '/clients');
    await isSeen(page, 'Applications');
    await page.keyboard.press('Tab');
    expect((await readFocus(page)).name).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect((await readFocus(page)).name).toBe('Register an application');
  });

  test('opens and closes a dialog, and the focus comes back', async () => {
    const { page } = await world.open(administrator, '/clients/new');
    await page.getByLabel('Machine').focus();
    await page.keyboard.press('Space');
    await field(page, 'client_name').fill('Night shift');
    await page.keyboard.press('Enter');
    await dialogOf(page).getByRole('table').waitFor();
    expect(await page.evaluate(() => document.activeElement?.closest('dialog') !== null)).toBe(true);
    await page.keyboard.press('Escape');
    await dialogOf(page).waitFor({ state: 'detached' });
    expect((await readFocus(page)).name).toBe('client_name');
  });

  test('opens and closes a menu, and the focus comes back', async () => {
    const { client_id } = passwordKind();
    await registerClient(world.gatehouse, passwordKind({ client_id }));
    const { page } = await world.open(administrator, `/clients/${client_id}/settings`);
    const summary = page.locator('summary', { hasText: 'Actions' });
    const act = page.locator('.sheet').getByRole('button', { name: 'Disable', exact: true });
    await summary.focus();
    for (const close of ['Escape', 'Enter']) {
      await page.keyboard.press('Enter');
      await act.waitFor();
      await page.keyboard.press('Tab');
      expect((await readFocus(page)).name).toBe('Disable');
      await page.keyboard.press(close);
      await act.waitFor({ state: 'hidden' });
      if (close === 'Escape') expect((await readFocus(page)).name).toBe('Actions');
    }
    await dialogOf(page).waitFor();
    await page.keyboard.press('Escape');
    await dialogOf(page).waitFor({ state: 'detached' });
    expect((await readFocus(page)).name).toBe('Actions');
    // A click elsewhere closes it, too.
    await summary.click();
    await act.waitFor();
    await page.getByRole('heading', { level: 1 }).click();
    await act.waitFor({ state: 'hidden' });
  });

  test.each([1280, 320])('shows the focus at every step, %i pixels wide', async (width) => {
    const viewport = { width, height: 600 };
    const options = { viewport, reducedMotion: 'reduce' } as const;
    const { page, show, settle } = await world.open(administrator, '/clients', options);
    const [client] = (await world.askAuthServer('/clients')).json<{ clients: { client_id: string }[] }>().clients;
    const settings = `/clients/${client?.client_id}/settings`;
    const others = ['integrate', 'try', 'access'].map((tab) => `/clients/${client?.client_id}/${tab}`);
    for (const path of ['/clients', settings, ...others, '/', '/refusals', '/keys', '/settings']) {
      await show(path);
      await settle();
      if (path === settings) await field(page, 'client_name').fill('Night shift');
      await page.locator('.skip').focus();
      const steps = [await readFocus(page)];
      do {
        await page.keyboard.press('Tab');
        steps.push(await readFocus(page));
      } while (!ends.includes(steps.at(-1)?.name ?? '') && steps.length < longest);
      expect(steps.length).toBeGreaterThan(path === settings ? 30 : 8);
      expect(steps.length).toBeLessThan(longest);
      const bad = steps.filter(({ isOutlined, isHidden }) => !isOutlined || isHidden);
      expect([path, bad]).toEqual([path, []]);
    }
  });
});
