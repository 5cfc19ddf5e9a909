import { createClientKey } from '@gatehouse/test-kit';
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeWithChromium } from '../support/chromium.ts';
import { redirectUri } from '../support/clients.ts';
import { chooseAct, dialogOf, field, readReview, useConsole } from '../support/console.ts';
import { makeIssuer } from '../support/console-screens.ts';
import { administrator } from '../support/people.ts';
import { uniqueName } from '../support/unique.ts';
import { isSeen, press } from '../support/visits.ts';

const register = 'Register an application';

describeWithChromium('a new application at the console', () => {
  const world = useConsole();

  const readClient = async (clientId: string) =>
    (await world.askAuthServer(`/clients/${clientId}`)).json<Record<string, unknown>>();
  async function makeClient(fields: object): Promise<string> {
    const client_id = uniqueName('client');
    await world.askAuthServer('/clients', {
      json: { client_id, client_secret: 'the-secret-of-a-client', scope: ['openid'], ...fields },
    });
    return client_id;
  }
  /** Begins a new application with the registration of another one, under a name of its own. */
  async function copy(clientId: string): Promise<{ page: Page; name: string }> {
    const { page } = await world.open(administrator, `/clients/${clientId}/settings`);
    await chooseAct(page, 'Copy as new');
    await isSeen(page, register);
    const name = uniqueName('copy');
    await field(page, 'client_name').fill(name);
    return { page, name };
  }
  async function registerAs(page: Page, name: string): Promise<void> {
    await press(page, 'Review');
    await readReview(page);
    await press(dialogOf(page), register);
    await isSeen(page, `${name} is registered`);
  }

  test('that is copied says what it takes beyond its form, and registers it', async () => {
    const { page, name } = await copy(
      await makeClient({
        ...{ authorized_grant_types: ['authorization_code'], redirect_uris: [redirectUri], default_max_age: 77 },
        require_pushed_authorization_requests: true,
      }),
    );
    expect(await page.getByLabel('Web application').isChecked()).toBe(true);
    const note = page.locator('.note', { hasText: 'Copied as well' });
    for (const each of ['authorized_grant_types', 'default_max_age', 'require_pushed_authorization_requests']) {
      await note.getByText(each).waitFor();
    }
    await registerAs(page, name);
    expect(await readClient(name)).toMatchObject({
      ...{ authorized_grant_types: ['authorization_code'], redirect_uris: [redirectUri], default_max_age: 77 },
      require_pushed_authorization_requests: true,
    });
  });

  test('that is copied keeps no value that was emptied', async () => {
    const { page, name } = await copy(
      await makeClient({
        ...{ authorized_grant_types: ['authorization_code'], redirect_uris: [redirectUri] },
        post_logout_redirect_uris: ['https://app.example.com/bye'],
      }),
    );
    await field(page, 'post_logout_redirect_uris').fill('');
    await registerAs(page, name);
    expect(await readClient(name)).not.toHaveProperty('post_logout_redirect_uris');
  });

  test('that is copied is of the kind that is chosen then', async () => {
    const { page, name } = await copy(
      await makeClient({
        ...{ authorized_grant_types: ['authorization_code'], redirect_uris: [redirectUri], default_max_age: 77 },
      }),
    );
    await page.getByLabel('Machine').check();
    expect(await page.getByText('Copied as well').count()).toBe(0);
    await field(page, 'scope').fill('roles');
    await registerAs(page, name);
    const made = await readClient(name);
    expect(made.authorized_grant_types).toEqual(['client_credentials']);
    expect(made).not.toHaveProperty('default_max_age');
    expect(made).not.toHaveProperty('redirect_uris');
  });

  test('is no web application by the grants of a copied one that is of no kind', async () => {
    const { page, name } = await copy(await makeClient({ authorized_grant_types: ['password'] }));
    await field(page, 'redirect_uris').fill(redirectUri);
    await registerAs(page, name);
    expect((await readClient(name)).authorized_grant_types).toEqual(['authorization_code', 'refresh_token']);
  });

  test('proves itself by the keys that are pasted', async () => {
    const { jwk } = createClientKey('ES256', 'one');
    const { page } = await world.open(administrator, '/clients/new');
    await page.getByLabel('Web application').check();
    expect(await field(page, 'jwks').count()).toBe(0);
    const name = uniqueName('shop');
    await field(page, 'client_name').fill(name);
    await field(page, 'redirect_uris').fill(redirectUri);
    await field(page, 'token_endpoint_auth_method').selectOption('private_key_jwt');
    expect(await field(page, 'jwks_uri').count()).toBe(1);
    await field(page, 'jwks').fill(JSON.stringify({ keys: [jwk] }));
    await registerAs(page, name);
    await page.getByText('It has no secret: it proves itself by its keys, or by tokens of issuers.').waitFor();
    expect(await readClient(name)).toMatchObject({
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [jwk] },
    });
  });

  test('proves itself by tokens of an issuer', async () => {
    const platform = uniqueName('platform');
    await makeIssuer(world, platform);
    const credentials = [{ issuer: `https://${platform}.example.com`, subject: 'main' }];
    const { page } = await world.open(administrator, '/clients/new');
    await page.getByLabel('Machine').check();
    const name = uniqueName('job');
    await field(page, 'client_name').fill(name);
    await field(page, 'token_endpoint_auth_method').selectOption('federated_jwt');
    await field(page, 'federated_credentials').fill(JSON.stringify(credentials));
    await registerAs(page, name);
    expect(await readClient(name)).toMatchObject({
      ...{ token_endpoint_auth_method: 'federated_jwt', federated_credentials: credentials },
      authorized_grant_types: ['client_credentials'],
    });
  });

  test('shows what is wrong at the field of its proof', async () => {
    const { page, expectStatus } = await world.open(administrator, '/clients/new');
    await page.getByLabel('Machine').check();
    await field(page, 'client_name').fill(uniqueName('job'));
    await field(page, 'token_endpoint_auth_method').selectOption('private_key_jwt');
    expectStatus(400);
    await press(page, 'Review');
    await dialogOf(page).getByRole('listitem').filter({ hasText: 'jwks' }).first().waitFor();
    await press(dialogOf(page), 'Back');
    await page.locator('#jwks-fault').waitFor();
  });
});
