import { call, type Gatehouse, quickestDialect, startGatehouse } from '@gatehouse/test-kit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { describeWithChromium, launchChromium, submitSignIn, takeScreenshot } from '../support/chromium.ts';
import { deviceGrant, deviceKind, startDevice } from '../support/device.ts';
import {
  measureLineContrasts,
  measureSidewaysScroll,
  measureTextContrasts,
  readFocus,
} from '../support/page-measures.ts';
import { plainUser } from '../support/people.ts';
import { uniqueName } from '../support/unique.ts';
import { useVisits } from '../support/visits.ts';
import { registerWith } from './support/registration.ts';

describeWithChromium('a device in a browser', () => {
  let gatehouse: Gatehouse;
  let browser: Browser;

  beforeAll(async () => {
    [gatehouse, browser] = await Promise.all([startGatehouse({ dialect: quickestDialect }), launchChromium()]);
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), gatehouse?.stop()]);
  });

  const openPage = useVisits(() => ({ browser, origins: [gatehouse.authUrl, gatehouse.baseUrl] }));

  async function start(name: string, metadata: Record<string, unknown> = {}) {
    const scope = ['openid', 'profile', 'roles', 'offline_access'];
    const client = await registerWith(
      gatehouse,
      { client_name: name, scope, authorized_grant_types: [deviceGrant], ...metadata },
      deviceKind(),
    );
    return { client, started: await startDevice(gatehouse, client) };
  }

  async function poll(client: [string, string], deviceCode: string) {
    const form = { grant_type: deviceGrant, device_code: deviceCode };
    const answer = await call(`${gatehouse.authUrl}/oauth/token`, { basic: client, form });
    return [answer.status, answer.json().error];
  }

  async function typeCode(page: Page, code: string): Promise<void> {
    await page.getByLabel('Code').fill(code);
    await page.getByRole('button', { name: 'Continue' }).click();
  }

  async function expectReadable(page: Page): Promise<void> {
    const texts = await measureTextContrasts(page);
    expect(texts.length).toBeGreaterThan(3);
    expect(texts.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
    expect((await measureLineContrasts(page)).filter(({ ratio }) => ratio < 3)).toEqual([]);
    expect(await measureSidewaysScroll(page)).toBe(0);
    const count = (selector: string) => page.locator(selector).count();
    expect([await page.locator('html').getAttribute('lang'), await count('h1'), await count('main')]).toEqual([
      'en',
      1,
      1,
    ]);
    for (const button of await page.getByRole('button').all()) {
      expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    }
  }

  test.each(['light', 'dark'] as const)('is allowed by its code, to be read in the %s scheme', async (colorScheme) => {
    const page = await openPage({ colorScheme });
    const name = uniqueName(`Television ${colorScheme}`);
    const { client, started } = await start(name, { require_consent: true });
    await page.goto(started.verification_uri);
    expect(await page.getByText('to connect a device').count()).toBe(1);
    await takeScreenshot(page, `device-sign-in-${colorScheme}`);
    await expectReadable(page);
    await submitSignIn(page);
    await page.getByRole('heading', { name: 'Connect a device' }).waitFor();
    await takeScreenshot(page, `device-code-${colorScheme}`);
    await expectReadable(page);

    await typeCode(page, 'BBBB-BBBB');
    await page.getByRole('alert').waitFor();
    await takeScreenshot(page, `device-wrong-code-${colorScheme}`);
    await expectReadable(page);
    expect(await page.getByLabel('Code').getAttribute('aria-invalid')).toBe('true');

    await typeCode(page, started.user_code.toLowerCase().replace('-', ' '));
    await page.getByRole('heading', { name: 'Allow this device?' }).waitFor();
    await takeScreenshot(page, `device-decision-${colorScheme}`);
    await expectReadable(page);
    const text = await page.getByRole('main').textContent();
    for (const part of [started.user_code, name, 'Organization API', gatehouse.baseUrl, plainUser[0]])
      expect(text).toContain(part);
    expect(await page.getByRole('button').allTextContents()).toEqual(['Allow', 'Do not allow']);
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByRole('heading', { name: 'The device is connected' }).waitFor();
    await takeScreenshot(page, `device-connected-${colorScheme}`);
    await expectReadable(page);
    expect(await poll(client, started.device_code)).toEqual([200, undefined]);
  });

  test('is denied by its link, by keyboard alone', async () => {
    const page = await openPage();
    const { client, started } = await start(uniqueName('Television'));
    await page.goto(started.verification_uri_complete);
    expect((await readFocus(page)).name).toBe('username');
    await page.keyboard.type(plainUser[0]);
    await page.keyboard.press('Tab');
    await page.keyboard.type(plainUser[1]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Allow this device?' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Allow');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'The device is not connected' }).waitFor();
    expect(await poll(client, started.device_code)).toEqual([400, 'access_denied']);
  });

  test.each([375, 320])('fits a screen %i pixels wide, whatever the name', async (width) => {
    const page = await openPage({ viewport: { width, height: 667 }, isMobile: true, hasTouch: true });
    const { started } = await start('W'.repeat(128));
    await page.goto(started.verification_uri);
    await submitSignIn(page);
    await page.getByRole('heading', { name: 'Connect a device' }).waitFor();
    await takeScreenshot(page, `device-code-${width}`);
    await expectReadable(page);
    await typeCode(page, started.user_code);
    await page.getByRole('heading', { name: 'Allow this device?' }).waitFor();
    await takeScreenshot(page, `device-decision-${width}`);
    await expectReadable(page);
  });
});
