import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { Dialog, Page } from 'playwright-core';
import { describeWithChromium } from '../support/chromium.ts';
import { chooseAct, dialogOf, field, useConsole } from '../support/console.ts';
import { administrator, plainUser } from '../support/people.ts';
import { uniqueName } from '../support/unique.ts';
import { follow, isSeen, press } from '../support/visits.ts';
import { waitFor } from '../support/wait.ts';

const readSession = (page: Page) => page.evaluate(() => JSON.stringify(sessionStorage));

describeWithChromium('input that is not saved', () => {
  const world = useConsole();

  async function makeClient(): Promise<string> {
    const client_id = uniqueName('client');
    const grants = { authorized_grant_types: ['client_credentials'], scope: ['roles'] };
    await world.askAuthServer('/clients', { json: { ...grants, client_id, client_secret: 'the-secret-of-a-client' } });
    return client_id;
  }
  /** Answers the questions of the page, and gives them. */
  function answerDialogs(page: Page, answer: 'accept' | 'dismiss'): string[] {
    const asked: string[] = [];
    page.removeAllListeners('dialog');
    page.on('dialog', async (dialog: Dialog) => {
      asked.push(`${dialog.type()} ${dialog.message()}`.trim());
      await dialog[answer]();
    });
    return asked;
  }

  test('outlives a reload, in a form of a new object and in one of a known', async () => {
    const { page, goto } = await world.open(administrator, '/clients/new');
    await page.getByLabel('Machine').check();
    await field(page, 'client_name').fill('Night shift');
    expect(answerDialogs(page, 'accept')).toEqual([]);
    await page.reload();
    await page.getByLabel('Machine').waitFor();
    expect(await field(page, 'client_name').inputValue()).toBe('Night shift');
    expect(await field(page, 'client_id').inputValue()).toBe('night-shift');
    const settings = `/clients/${await makeClient()}/settings`;
    await goto(settings);
    await field(page, 'access_token_validity').fill('77');
    await page.reload();
    await page.getByText('1 change', { exact: true }).waitFor();
    expect(await field(page, 'access_token_validity').inputValue()).toBe('77');
    await press(page, 'Discard');
    expect(await field(page, 'access_token_validity').inputValue()).toBe('1800');
    expect(await readSession(page)).not.toContain('77');
  });

  test('is not left without a question', async () => {
    const { page } = await world.open(administrator, `/clients/${await makeClient()}/settings`);
    await field(page, 'client_name').fill('Night shift');
    const refused = answerDialogs(page, 'dismiss');
    await follow(page, 'Users');
    await page.keyboard.press('Escape');
    expect(refused).toEqual(['confirm There are changes that are not saved. Leave, and discard them?']);
    expect(await field(page, 'client_name').inputValue()).toBe('Night shift');
    const taken = answerDialogs(page, 'accept');
    await follow(page, 'Users');
    await isSeen(page, 'Users');
    expect(taken).toEqual(refused);
    await page.goBack();
    await field(page, 'client_name').waitFor();
    expect(await field(page, 'client_name').inputValue()).toBe('');
    // Closing the tab asks, too, in the words of the browser.
    await field(page, 'client_name').fill('Night shift');
    const asked = answerDialogs(page, 'accept');
    await page.close({ runBeforeUnload: true });
    await page.waitForEvent('close');
    expect(asked).toEqual(['beforeunload']);
  });

  test('is not left by Back without a question, and stays where that is not meant', async () => {
    const { page } = await world.open(administrator, '/users');
    await isSeen(page, 'Users');
    await follow(page, 'Make a user');
    await field(page, 'username').fill('guest@example.com');
    const refused = answerDialogs(page, 'dismiss');
    await page.evaluate(() => history.back());
    await waitFor(
      async () => refused.length,
      (count) => count > 0,
    );
    expect(refused).toEqual(['confirm There are changes that are not saved. Leave, and discard them?']);
    await page.waitForURL('**/users/new');
    expect(await field(page, 'username').inputValue()).toBe('guest@example.com');
    // A link within the page leaves nothing.
    await page.evaluate(() => location.assign('#main'));
    await page.evaluate(() => history.back());
    expect(await field(page, 'username').inputValue()).toBe('guest@example.com');
    expect(refused).toHaveLength(1);
    const taken = answerDialogs(page, 'accept');
    await page.evaluate(() => history.back());
    await isSeen(page, 'Users');
    expect(taken).toEqual(refused);
    expect(await readSession(page)).not.toContain('guest@example.com');
  });

  test('asks for nothing where nothing was typed', async () => {
    const { page } = await world.open(administrator, `/clients/${await makeClient()}/settings`);
    await field(page, 'client_name').fill('Night shift');
    await field(page, 'client_name').fill('');
    const asked = answerDialogs(page, 'dismiss');
    await follow(page, 'Users');
    await isSeen(page, 'Users');
    await page.reload();
    await isSeen(page, 'Users');
    expect(asked).toEqual([]);
  });

  test('never has a private key in it, which is sent nowhere', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const secret = privateKey.export({ format: 'jwk' });
    const clientId = await makeClient();
    const { page, requests } = await world.open(administrator, `/clients/${clientId}/settings`);
    await field(page, 'client_name').fill('Night shift');
    const sent = () => requests.filter((request) => request.url().includes('/clients/')).length;
    const before = sent();
    for (const text of [
      JSON.stringify({ keys: [secret] }),
      JSON.stringify(secret, null, 2),
      String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    ]) {
      await field(page, 'jwks').fill(text);
      await page.locator('#jwks-fault').waitFor();
      expect(await field(page, 'jwks').getAttribute('aria-describedby')).toContain('jwks-fault');
      await press(page, 'Review');
      expect(await field(page, 'jwks').evaluate((element) => element === document.activeElement)).toBe(true);
      expect(await dialogOf(page).count()).toBe(0);
      expect(await readSession(page)).toContain('Night shift');
      expect(await readSession(page)).not.toContain(text.slice(30, 60));
      expect(await readSession(page)).not.toContain(secret.d);
    }
    expect(sent()).toBe(before);
    await field(page, 'jwks').fill(JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] }));
    await page.locator('#jwks-fault').waitFor({ state: 'detached' });
    await press(page, 'Review');
    await dialogOf(page).getByRole('table').waitFor();
    expect(sent()).toBe(before + 1);
  });

  test('never has a secret in it', async () => {
    const secret = 'a-secret-that-nobody-keeps';
    const clientId = await makeClient();
    const { page, goto } = await world.open(administrator, '/users/new');
    await field(page, 'username').fill(`${uniqueName('new')}@example.com`);
    await page.getByLabel('Set a password').check();
    await field(page, 'password').fill(secret);
    expect(await readSession(page)).toContain('example.com');
    expect(await readSession(page)).not.toContain(secret);
    await press(page, 'Review');
    await dialogOf(page).getByRole('table').waitFor();
    expect(await dialogOf(page).textContent()).not.toContain(secret);
    answerDialogs(page, 'accept');
    await goto(`/users/${encodeURIComponent(plainUser[0])}/profile`);
    await chooseAct(page, 'Set a password');
    await field(dialogOf(page), 'password').fill(secret);
    expect(await dialogOf(page).textContent()).not.toContain(secret);
    expect(await readSession(page)).not.toContain(secret);
    await goto(`/clients/${clientId}/secrets`);
    await page.locator('input[type=password]').fill(secret);
    await press(page, 'Make a new secret');
    await press(dialogOf(page), 'Make a new secret');
    await press(page.locator('.secret'), 'Show');
    const made = (await page.locator('.secret code').textContent()) ?? '';
    expect(made).toMatch(/.{20}/);
    expect(await readSession(page)).not.toContain(secret);
    expect(await readSession(page)).not.toContain(made);
    expect(page.url()).not.toContain(made);
  });
});
