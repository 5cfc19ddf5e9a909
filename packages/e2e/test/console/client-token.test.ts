import { expect, test } from '@jest/globals';
import { describeWithChromium } from '../support/chromium.ts';
import { serviceAccountKind } from '../support/clients.ts';
import { field, useConsole } from '../support/console.ts';
import { administrator } from '../support/people.ts';
import { uniqueName } from '../support/unique.ts';
import { press } from '../support/visits.ts';

const secret = 'the secret: 100% of a machine';

describeWithChromium('the answer that a machine gets', () => {
  const world = useConsole();

  test.each(['client_secret_basic', 'client_secret_post'])(
    'is the real one, by a secret that is typed, without the token: %s',
    async (token_endpoint_auth_method) => {
      const client_id = uniqueName('night-shift');
      const json = {
        ...{ client_id, client_secret: secret, token_endpoint_auth_method, scope: ['roles', 'openid'] },
        authorized_grant_types: ['client_credentials'],
      };
      await world.askAuthServer('/clients', { json });
      const { page, requests, expectStatus } = await world.open(administrator, `/clients/${client_id}/try`);
      await field(page, 'client_secret').fill('another secret');
      await page.locator('#token-scope').fill('roles');
      expectStatus(401);
      await press(page, 'Ask for a token');
      await page
        .getByRole('alert')
        .getByText(/^invalid_client: /)
        .waitFor();
      await field(page, 'client_secret').fill(secret);
      const answered = page.waitForResponse((response) => response.url().endsWith('/oauth/token') && response.ok());
      await press(page, 'Ask for a token');
      const { access_token: token = '' } = (await (await answered).json()) as { access_token?: string };
      expect(token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
      const shown = page.locator('section', { hasText: 'Access token' }).locator('pre');
      expect(JSON.parse((await shown.textContent()) ?? '')).toMatchObject({
        ...{ token_type: 'Bearer', scope: 'roles' },
        access_token: { header: { alg: 'ES256' }, claims: { client_id, scope: 'roles' } },
      });
      const html = await page.content();
      for (const kept of [token, secret]) expect(html).not.toContain(kept);
      expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(secret);
      // It was the client who asked, and the administrator's token was not sent.
      const asked = requests.filter((request) => request.url().endsWith('/oauth/token')).at(-1);
      expect((await asked?.allHeaders())?.dpop).toBeUndefined();
    },
  );

  test('is not asked for where a client has no secret for itself', async () => {
    const { page, settle, show } = await world.open(administrator, '/clients');
    const robot = serviceAccountKind();
    await world.askAuthServer('/clients', { json: robot });
    await show(`/clients/${robot.client_id}/try`);
    await settle();
    await page.getByRole('heading', { name: 'Real answer' }).waitFor();
    await show('/clients/gatehouse-console/try');
    await settle();
    await page.getByRole('heading', { name: 'Preview' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Real answer' }).count()).toBe(0);
  });
});
