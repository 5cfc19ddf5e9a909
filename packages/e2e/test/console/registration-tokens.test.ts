import { expect, test } from '@jest/globals';
import { describeWithChromium } from '../support/chromium.ts';
import { dialogOf, field, useConsole } from '../support/console.ts';
import { administrator, idpAdministrator } from '../support/people.ts';
import { follow, isSeen, press } from '../support/visits.ts';

describeWithChromium('registration tokens at the console', () => {
  const world = useConsole();

  test('say what their applications may, and whether registration is on', async () => {
    const resource = 'https://orders.example.com/api';
    const scopes = [{ name: 'orders.read', description: 'Read your orders' }];
    await world.askAuthServer('/resources', { json: { resource, name: 'Orders', scopes, dynamic_clients: true } });
    const limits = { resources: [resource], scope: 'orders.read' };
    const made = await world.askAuthServer('/registration-tokens', { basic: idpAdministrator, json: limits });
    const { id } = made.json<{ id: string }>();
    const { page } = await world.open(idpAdministrator, '/registration-tokens');
    const row = page.getByRole('listitem').filter({ hasText: id });
    await row.getByText(`APIs: ${resource}`).waitFor();
    await row.getByText('Ceiling: IdpAdministrator').waitFor();
    await page.getByText('Registration is off').waitFor();
    await press(row, 'Delete');
    await dialogOf(page)
      .getByRole('heading', { name: `Delete: ${id}` })
      .waitFor();
    await press(dialogOf(page), 'Cancel');
    await follow(page, 'Applications that registered themselves');
    await page.waitForURL('**/clients?dynamic=true');
  });

  test('are deleted many at once', async () => {
    const made = await Promise.all(
      [1, 2, 3].map(async (uses) => {
        const answer = await world.askAuthServer('/registration-tokens', { json: { uses } });
        return answer.json<{ id: string }>().id;
      }),
    );
    const [one = '', two = '', kept = ''] = made;
    const { page } = await world.open(administrator, '/registration-tokens');
    for (const id of [one, two]) await page.getByRole('checkbox', { name: `Choose ${id}` }).check();
    await press(page.locator('.selection'), 'Delete');
    for (const id of [one, two]) await dialogOf(page).getByText(id).first().waitFor();
    await press(dialogOf(page), 'Delete');
    await press(dialogOf(page), 'Close');
    await page.getByRole('listitem').filter({ hasText: two }).waitFor({ state: 'detached' });
    const answer = await world.askAuthServer('/registration-tokens');
    const ids = answer.json<{ registration_tokens: { id: string }[] }>().registration_tokens.map(({ id }) => id);
    expect([ids.includes(one), ids.includes(two), ids.includes(kept)]).toEqual([false, false, true]);
  });

  test('are made by a form that is not left without a question, and outlives a reload', async () => {
    const { page } = await world.open(administrator, '/registration-tokens/new');
    await field(page, 'scope').fill('openid');
    const asked: string[] = [];
    page.on('dialog', async (dialog) => {
      asked.push(dialog.type());
      await (dialog.type() === 'confirm' ? dialog.dismiss() : dialog.accept());
    });
    await follow(page, 'Users');
    await isSeen(page, 'Make a token');
    expect(asked).toEqual(['confirm']);
    await page.reload();
    await isSeen(page, 'Make a token');
    expect(await field(page, 'scope').inputValue()).toBe('openid');
    await press(page, '7 days');
    expect(await field(page, 'expires_in').inputValue()).toBe('604800');
    await field(page, 'expires_in').fill('900');
    await press(page, 'Make a token');
    await press(page.locator('.secret'), 'Show');
    const secret = (await page.locator('.secret code').textContent()) ?? '';
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(secret);
    const { registration_tokens: listed } = (await world.askAuthServer('/registration-tokens')).json<{
      registration_tokens: { createdAt: string; expiresAt: string }[];
    }>();
    const lifetimes = listed.map(({ createdAt, expiresAt }) => Date.parse(expiresAt) - Date.parse(createdAt));
    expect(lifetimes).toContain(900_000);
    asked.length = 0;
    await follow(page, 'Users');
    await isSeen(page, 'Users');
    expect(asked).toEqual([]);
  });
});
