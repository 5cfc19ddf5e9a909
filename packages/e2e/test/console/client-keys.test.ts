import { createClientKey } from '@gatehouse/test-kit';
import { expect, test } from '@jest/globals';
import { describeWithChromium } from '../support/chromium.ts';
import { dialogOf, field, useConsole } from '../support/console.ts';
import { makeIssuer } from '../support/console-screens.ts';
import { administrator } from '../support/people.ts';
import { press } from '../support/visits.ts';

describeWithChromium('the keys of a client at the console', () => {
  const world = useConsole();

  test('take one more, and refuse a private one before it is sent', async () => {
    const [one, two] = [createClientKey('ES256', 'one'), createClientKey('ES256', 'two')];
    const json = {
      ...{ client_id: 'signer', authorized_grant_types: ['client_credentials'], scope: ['roles'] },
      ...{ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [one.jwk] } },
    };
    await world.askAuthServer('/clients', { json });
    const { page, settle } = await world.open(administrator, '/clients/signer/secrets');
    await settle();
    await press(page, 'Add a key');
    const add = dialogOf(page).getByRole('button', { name: 'Add a key' });
    await field(page, 'jwks').fill(JSON.stringify({ ...two.jwk, d: 'private' }));
    await dialogOf(page).getByText('This has members of a private key (d)').waitFor();
    expect(await add.isEnabled()).toBe(false);
    expect(await dialogOf(page).locator('.command').textContent()).not.toContain('private');
    await field(page, 'jwks').fill(JSON.stringify(two.jwk));
    await add.click();
    await page.locator('.rows > li').nth(1).waitFor();
    const { jwks } = (await world.askAuthServer('/clients/signer')).json<{ jwks: { keys: { kid: string }[] } }>();
    expect(jwks.keys.map(({ kid }) => kid)).toEqual(['one', 'two']);
  });

  test('come and go with a secret, for signed requests; the last one that proves a client stays', async () => {
    const [one, two] = [createClientKey('ES256', 'one'), createClientKey('ES256', 'two')];
    const kind = { authorized_grant_types: ['client_credentials'], scope: ['roles'] };
    const byKey = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [one.jwk] } };
    await world.askAuthServer('/clients', { json: { ...kind, ...byKey, client_id: 'by-key' } });
    await world.askAuthServer('/clients', {
      json: { ...kind, client_id: 'both', client_secret: 'the-secret-of-both' },
    });
    const { page, show, settle } = await world.open(administrator, '/clients/by-key/secrets');
    await settle();
    expect(await page.getByRole('button', { name: 'Remove', exact: true }).count()).toBe(0);
    await show('/clients/both/secrets');
    await press(page, 'Add a key');
    await field(page, 'jwks').fill(JSON.stringify(two.jwk));
    await dialogOf(page).getByRole('button', { name: 'Add a key' }).click();
    const row = page.locator('.rows > li');
    await row.filter({ hasText: 'two' }).waitFor();
    const read = async () => (await world.askAuthServer('/clients/both')).json<{ jwks?: object }>().jwks;
    expect(await read()).toMatchObject({ keys: [{ kid: 'two' }] });
    await row.getByRole('button').click();
    await dialogOf(page).getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'detached' });
    expect(await read()).toBeUndefined();
  });

  test('are none where tokens of issuers prove it: these are shown', async () => {
    await makeIssuer(world, 'workload');
    const { page, settle } = await world.open(administrator, '/clients/workload/secrets');
    await settle();
    const row = page.locator('.rows > li');
    expect(await row.locator('p').allTextContents()).toEqual([
      'https://workload.example.com',
      'sub = system:serviceaccount:shop:default',
    ]);
  });
});
