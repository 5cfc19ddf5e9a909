import { call, deviceGrant, showCode } from '@gatehouse/test-kit';
import { expect, test } from '@jest/globals';
import { describeWithChromium } from '../support/chromium.ts';
import { dialogOf, field, useConsole } from '../support/console.ts';
import { runCurl, runShell } from '../support/console-commands.ts';
import type { DeviceAnswer } from '../support/device.ts';
import { administrator } from '../support/people.ts';
import { isSeen, press } from '../support/visits.ts';

const mfa = 'urn:gatehouse:acr:mfa';

describeWithChromium('the console where administration asks for more than a password', () => {
  const world = useConsole({ ADMINISTRATION_ACR: mfa });

  test('asks for a second step, and shows commands that work then', async () => {
    const { authUrl } = world.gatehouse;
    const { page, expectStatus, goto } = await world.open(administrator, '/clients/new');
    expectStatus(401);
    await page.getByLabel('Device').check();
    await field(page, 'client_name').fill('Night shift');
    await field(page, 'scope').fill('openid\nroles');
    await press(page, 'Review');
    const opened = page.waitForEvent('popup');
    await press(dialogOf(page), 'Sign in again');
    const small = await opened;
    const closed = small.waitForEvent('close');
    const secret = ((await small.getByRole('definition').textContent()) ?? '').replaceAll(' ', '');
    await small.getByLabel('Six digits that the app shows').fill(showCode(secret));
    await press(small, 'Continue');
    await press(small, 'I have kept them');
    await closed;
    await dialogOf(page).getByRole('table').waitFor();
    await press(dialogOf(page), 'Register an application');
    await isSeen(page, 'Night shift is registered');

    const form = { client_id: 'night-shift', scope: 'openid roles', acr_values: mfa };
    const device = (await call(`${authUrl}/oauth/device_authorization`, { form })).json<DeviceAnswer>();
    const browser = await page.context().newPage();
    await browser.goto(device.verification_uri_complete);
    await press(browser, 'Allow');
    await browser.getByRole('heading', { level: 1 }).waitFor();
    await browser.close();
    const { device_code } = device;
    const redemption = { grant_type: deviceGrant, client_id: 'night-shift', device_code };
    const answer = await call(`${authUrl}/oauth/token`, { form: redemption });
    const { access_token: TOKEN } = answer.json<{ access_token: string }>();

    for (const [path, list, name] of [
      ['/clients', 'clients', 'client_id'],
      ['/users?userType=Person', 'users', 'username'],
    ] as const) {
      await goto(path);
      await page.getByRole('table').waitFor();
      await page.getByText('The same by curl').click();
      const command = (await page.locator('.command .code pre').textContent()) ?? '';
      expect(command).toContain('-H "Authorization: Bearer $TOKEN"');
      const preparation = (await page.locator('.command > div:not(.code) > pre').textContent()) ?? '';
      expect(preparation).toContain(`acr_values=${mfa}`);
      expect(await runShell(preparation, {})).toBe('');
      const { [list]: rows } = await runCurl<Record<string, Record<string, string>[]>>(command, { TOKEN });
      const shown = page.getByRole('checkbox', { name: 'Choose ' });
      expect(await shown.evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')))).toEqual(
        rows?.map((row) => `Choose ${row[name]}`),
      );
    }
  });
});
