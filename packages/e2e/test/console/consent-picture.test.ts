import { createTestBrowser } from '@gatehouse/test-kit';
import { expect, test } from '@jest/globals';
import { buildAuthorizeUrl, createPkce, signIn } from '../support/authorization.ts';
import { describeWithChromium } from '../support/chromium.ts';
import { redirectUri } from '../support/clients.ts';
import { useConsole } from '../support/console.ts';
import { logo } from '../support/logo.ts';
import { administrator, plainUser } from '../support/people.ts';
import { uniqueName } from '../support/unique.ts';

const textOf = (markup: string) => markup.replace(/<[^>]*>/g, '').trim();
const find = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, inner = '']) => textOf(inner));

describeWithChromium('the picture of the consent page at the console', () => {
  const world = useConsole();

  test('says what a user reads there', async () => {
    const [client_id, api] = [uniqueName('shop'), uniqueName('orders')];
    const resource = `https://${api}.example.com/`;
    const scopes = [
      { name: `${api}.read`, description: 'Read your orders' },
      { name: `${api}.write`, description: 'Change your orders' },
    ];
    await world.askAuthServer('/resources', { json: { resource, name: 'The orders', scopes } });
    const scope = ['openid', 'profile', 'email', 'roles', 'offline_access', `${api}.read`];
    await world.askAuthServer('/clients', {
      headers: { prefer: 'return=representation' },
      json: {
        ...{ client_id, client_name: 'The <b>shop</b>', redirect_uris: [redirectUri], scope, require_consent: true },
        ...{
          authorized_grant_types: ['authorization_code', 'refresh_token'],
          resources: [resource, world.gatehouse.baseUrl],
        },
        policy_uri: 'https://shop.example.com/policy',
      },
    });
    const headers = { 'content-type': 'image/png' };
    await world.askAuthServer(`/clients/${client_id}/logo`, { method: 'PUT', headers, body: logo });

    const url = buildAuthorizeUrl(world.gatehouse, {
      ...{ response_type: 'code', client_id, redirect_uri: redirectUri, scope: scope.join(' '), resource },
      ...{ prompt: 'consent', ...createPkce().parameters },
    });
    const { text } = await signIn(url, plainUser, createTestBrowser());
    const [title = ''] = find(text, /<h1>(.*?)<\/h1>/g);
    const asks = find(text, /<p>(.*?:)<\/p>/g);
    const lines = [...text.matchAll(/<ul class="access">(.*?)<\/ul>/gs)].flatMap(([, list = '']) =>
      find(list, /<li[^>]*>(.*?)<\/li>/gs),
    );
    const buttons = find(text, /<button type="submit" name="decision" value="(?:allow|deny)"[^>]*>(.*?)<\/button>/g);
    expect([asks.length, lines.length, buttons.length]).toEqual([2, 4, 2]);

    const { page, show } = await world.open(administrator);
    await show(`/clients/${client_id}/settings`);
    await page.getByText('Consent page', { exact: true }).click();
    const picture = page.locator('.picture');
    await picture.getByText('Read your orders').waitFor();
    await picture.locator('img').waitFor();
    const shown = await picture.locator('.card').evaluate((card) => (card as HTMLElement).innerText);
    const decoded = [title, ...asks, ...lines, ...buttons].map((each) =>
      each.replaceAll('&lt;', '<').replaceAll('&gt;', '>'),
    );
    expect(shown.split('\n').filter((line) => line.trim() !== '')).toEqual(expect.arrayContaining(decoded));
    expect(shown).not.toContain('Change your orders');
    expect(shown).toContain('Privacy policy');
    expect(await picture.getByRole('button').count()).toBe(0);

    await world.askAuthServer(`/clients/${client_id}`, { method: 'PATCH', json: { require_consent: false } });
    await page.reload();
    await page.getByText('Consent page', { exact: true }).click();
    await picture.getByText('Nobody is asked').waitFor();
  });
});
