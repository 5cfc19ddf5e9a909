import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeWithChromium } from '../support/chromium.ts';
import { passwordKind } from '../support/clients.ts';
import { dialogOf, field, readReview, useConsole } from '../support/console.ts';
import { makeGroup, makeIssuer } from '../support/console-screens.ts';
import { administrator, idpAdministrator, plainUser, robotUsername } from '../support/people.ts';
import { press } from '../support/visits.ts';

const api = 'https://orders.example.com/api';

describeWithChromium('names that the console finds for a field', () => {
  const world = useConsole();
  const { client_id: clientId } = passwordKind();

  beforeAll(async () => {
    await world.askAuthServer('/resources', { json: { resource: api, name: 'Orders', scopes: [] } });
    const form = { authorized_grant_types: ['client_credentials'], scope: ['roles'], client_secret: 'the-secret' };
    const json = { ...form, client_id: clientId, client_name: 'The shop' };
    await world.askAuthServer('/clients', { basic: idpAdministrator, json });
    await makeGroup(world, { name: 'staff/it' }, []);
    await makeIssuer(world, 'workload');
  });

  /** Types into a field, and waits until the service offers a name. */
  async function find(page: Page, fieldName: string, typed: string, offered: string): Promise<void> {
    const input = field(page, fieldName).or(page.getByRole('combobox', { name: `Find and add: ${fieldName}` }));
    await input.fill(typed);
    // Another field may have found the same name before.
    const list = await input.getAttribute('list');
    await page.locator(`#${list} > option[value="${offered}"]`).waitFor({ state: 'attached' });
  }

  test('are those that fit what is typed, and are added by a choice or by Enter', async () => {
    const { page, settle } = await world.open(administrator, `/clients/${clientId}/settings`);
    await settle();
    // None is asked for before a field is looked at.
    expect(await page.locator('datalist > option').count()).toBe(0);
    await find(page, 'default_resource', 'ord', api);
    await field(page, 'default_resource').fill(api);
    await find(page, 'srvc_ac_user_name', robotUsername.slice(0, 4), robotUsername);
    await field(page, 'srvc_ac_user_name').fill('');
    await find(page, 'APIs', 'Ord', api);
    // As a browser says that an entry of the list was chosen.
    await page.getByRole('combobox', { name: 'Find and add: APIs' }).evaluate((input: HTMLInputElement, value) => {
      input.value = value;
      input.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertReplacementText' }));
    }, api);
    expect(await field(page, 'resources').inputValue()).toBe(api);
    const groups = page.getByRole('combobox', { name: 'Find and add: Groups that it lets in' });
    await groups.fill('staff');
    await page.locator('datalist > option[value="staff/it"]').first().waitFor({ state: 'attached' });
    await groups.fill('staff/it');
    await groups.press('Enter');
    expect(await groups.inputValue()).toBe('');
    await press(page, 'Review');
    const reviewed = (await readReview(page)).map(([name, , then]) => [name, then]);
    expect(reviewed.sort()).toEqual([
      ['allowed_groups', 'staff/it'],
      ['default_resource', api],
      ['resources', api],
    ]);
    await press(page, 'Save');
    await page.getByText('Saved', { exact: true }).waitFor();
    const client = (await world.askAuthServer(`/clients/${clientId}`)).json<Record<string, unknown>>();
    expect(client).toMatchObject({ allowed_groups: ['staff/it'], default_resource: api, resources: [api] });
  });

  test('are issuers of credentials, each with a subject to be typed', async () => {
    const { page } = await world.open(administrator, '/clients/workload/settings');
    const picker = page.getByRole('combobox', { name: 'Find and add: Tokens of issuers' });
    await picker.focus();
    const issuer = 'https://workload.example.com';
    await page.locator(`datalist > option[value="${issuer}"]`).waitFor({ state: 'attached' });
    await picker.fill(issuer);
    await picker.press('Enter');
    const typed = JSON.parse(await field(page, 'federated_credentials').inputValue()) as object[];
    expect(typed).toHaveLength(2);
    expect(typed[1]).toEqual({ issuer, subject: '' });
    await press(page, 'Discard');
  });

  test('are not offered where the roles do not open their list', async () => {
    const { page, settle, requests } = await world.open(idpAdministrator, `/clients/${clientId}/settings`);
    await settle();
    const pickers = page.getByRole('combobox', { name: /^Find and add/ });
    expect(await pickers.count()).toBeGreaterThan(3);
    expect(await page.getByRole('combobox', { name: 'Find and add: Tokens of issuers' }).count()).toBe(0);
    for (const picker of await pickers.all()) await picker.fill('a');
    await page.waitForTimeout(200);
    await settle();
    const refused = await Promise.all(requests.map(async (request) => (await request.response())?.status() ?? 0));
    expect(refused.filter((status) => status === 403)).toEqual([]);
  });

  test('are users to put into a group', async () => {
    const id = await makeGroup(world, { name: 'night shift' }, []);
    const { page, settle } = await world.open(administrator, `/groups/${id}/members`);
    await settle();
    await press(page, 'Add users');
    const picker = dialogOf(page).getByRole('combobox', { name: 'Find and add: Usernames' });
    await picker.fill(plainUser[0].slice(0, 4));
    await page.locator(`datalist > option[value="${plainUser[0]}"]`).waitFor({ state: 'attached' });
    await picker.fill(plainUser[0]);
    await picker.press('Enter');
    await press(dialogOf(page), 'Add users');
    await page.getByRole('rowheader', { name: plainUser[0] }).waitFor();
  });
});
