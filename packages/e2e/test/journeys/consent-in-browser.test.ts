import { type Gatehouse, quickestDialect, startGatehouse } from '@gatehouse/test-kit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { buildAuthorizeUrl, createPkce } from '../support/authorization.ts';
import { describeWithChromium, launchChromium, submitSignIn, takeScreenshot } from '../support/chromium.ts';
import { type ClientApp, startClientApp } from '../support/client-app.ts';
import {
  measureLineContrasts,
  measureSidewaysScroll,
  measureTextContrasts,
  readFocus,
} from '../support/page-measures.ts';
import { administrator } from '../support/people.ts';
import { uniqueName } from '../support/unique.ts';
import { useVisits } from '../support/visits.ts';
import { meanings } from './support/consent-pages.ts';
import { registerWith } from './support/registration.ts';

const phone = { viewport: { width: 375, height: 667 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

describeWithChromium('consent in a browser', () => {
  let gatehouse: Gatehouse;
  let app: ClientApp;
  let browser: Browser;

  beforeAll(async () => {
    [gatehouse, app, browser] = await Promise.all([
      startGatehouse({ dialect: quickestDialect }),
      startClientApp(),
      launchChromium(),
    ]);
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), app?.stop(), gatehouse?.stop()]);
  });

  const openPage = useVisits(() => ({ browser, origins: [gatehouse.authUrl, gatehouse.baseUrl, app.origin] }));

  async function buildUrl(clientName: string, parameters: Record<string, string> = {}): Promise<string> {
    const scope = Object.keys(meanings);
    const metadata = { require_consent: true, client_name: clientName, redirect_uri: app.redirectUri, scope };
    const [clientId] = await registerWith(gatehouse, metadata);
    return buildAuthorizeUrl(gatehouse, {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: app.redirectUri,
      scope: scope.join(' '),
      state: clientId,
      code_challenge: createPkce().challenge,
      code_challenge_method: 'S256',
      ...parameters,
    });
  }
  const findReturn = (url: string) =>
    app.returns.find(({ parameters }) => parameters.state === new URL(url).searchParams.get('state'))?.parameters;

  /** To the consent page, by the sign-in page. */
  async function open(page: Page, url: string): Promise<void> {
    await page.goto(url);
    await submitSignIn(page);
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor();
  }

  async function expectReadable(page: Page): Promise<void> {
    const texts = await measureTextContrasts(page);
    expect(texts.length).toBeGreaterThan(5);
    expect(texts.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
    expect((await measureLineContrasts(page)).filter(({ ratio }) => ratio < 3)).toEqual([]);
    expect(await measureSidewaysScroll(page)).toBe(0);
    // A name is broken into lines, never cut at the side.
    for (const name of await page.locator('.name').all()) {
      expect(await name.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    }
    const count = (selector: string) => page.locator(selector).count();
    expect([await page.locator('html').getAttribute('lang'), await count('h1'), await count('main')]).toEqual([
      'en',
      1,
      1,
    ]);
    expect(await page.title()).toMatch(/\S/);
    for (const button of await page.getByRole('button').all()) {
      expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    }
  }

  test.each(['light', 'dark'] as const)('can be read in the %s scheme, and taken back there', async (colorScheme) => {
    const page = await openPage({ colorScheme });
    const name = uniqueName(`Photo Printer ${colorScheme}`);
    const url = await buildUrl(name);
    await open(page, url);
    await takeScreenshot(page, `consent-desktop-${colorScheme}`);
    await expectReadable(page);
    expect(await page.getByText('would like to:').textContent()).toContain(name);
    expect(await page.getByRole('listitem').allTextContents()).toEqual([
      'see: name and profile, e-mail address, phone number, postal address, roles',
      'act with your roles in the organization',
    ]);
    await page.getByText('Details').click();
    expect(await page.locator('details').getByRole('listitem').allTextContents()).toEqual(Object.values(meanings));
    await expectReadable(page);
    expect(await page.getByRole('button').allTextContents()).toEqual(['Not you?', 'Allow', 'Do not allow']);

    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.waitForURL(`${app.redirectUri}?*`);
    expect(findReturn(url)?.code).toEqual(expect.any(String));

    await page.goto(`${gatehouse.authUrl}/oauth/consents`);
    await takeScreenshot(page, `consents-desktop-${colorScheme}`);
    await expectReadable(page);
    const entry = page.getByRole('listitem').filter({ hasText: name });
    expect(await entry.count()).toBe(1);
    await entry.getByRole('button', { name: 'Take back' }).click();
    await entry.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/oauth/consents');
    await page.goto(url);
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor();
  });

  test.each(['light', 'dark'] as const)(
    'lists claims asked for by name, to be read in the %s scheme',
    async (colorScheme) => {
      const page = await openPage({ colorScheme });
      const name = uniqueName(`Calendar ${colorScheme}`);
      const claims = JSON.stringify({ userinfo: { email: null, roles: null }, id_token: { given_name: null } });
      const url = await buildUrl(name, { scope: 'openid', claims });
      await open(page, url);
      await takeScreenshot(page, `consent-claims-${colorScheme}`);
      await expectReadable(page);
      const words = [meanings.openid, meanings.email, 'see your roles in the organization', 'see your first name'];
      expect(await page.getByRole('listitem').allTextContents()).toEqual(['see: who you are', ...words.slice(1)]);
      await page.getByRole('button', { name: 'Allow', exact: true }).click();
      await page.waitForURL(`${app.redirectUri}?*`);
      await page.goto(`${gatehouse.authUrl}/oauth/consents`);
      await takeScreenshot(page, `consents-claims-${colorScheme}`);
      await expectReadable(page);
      const entry = page.getByRole('listitem').filter({ hasText: name });
      expect(await entry.textContent()).toContain(`may ${words.join('; ')} – since `);
    },
  );

  test.each([375, 320])('fits a screen %i pixels wide, whatever the name', async (width) => {
    const page = await openPage({ ...phone, viewport: { width, height: 667 } });
    for (const [title, name] of [
      ['short', `Shop ${width}`],
      ['long', 'x'.repeat(128)],
    ] as const) {
      await page.context().clearCookies();
      await open(page, await buildUrl(name));
      await takeScreenshot(page, `consent-${title}-${width}`);
      await expectReadable(page);
      await page.getByRole('button', { name: 'Allow', exact: true }).click();
      await page.waitForURL(`${app.redirectUri}?*`);
    }
    await page.goto(`${gatehouse.authUrl}/oauth/consents`);
    await takeScreenshot(page, `consents-${width}`);
    await expectReadable(page);
  });

  test('works by keyboard alone, with the focus to be seen at every step', async () => {
    const page = await openPage();
    const url = await buildUrl('Keyboard');
    await open(page, url);
    const steps = [];
    for (const name of ['Not you?', 'Details', 'Applications with access', 'Allow', 'Do not allow']) {
      await page.keyboard.press('Tab');
      const { outlineWidth } = await readFocus(page);
      steps.push([name, await page.locator(':focus').textContent(), outlineWidth >= 2]);
    }
    expect(steps).toEqual([
      ['Not you?', 'Not you?', true],
      ['Details', 'Details', true],
      ['Applications with access', 'Applications with access', true],
      ['Allow', 'Allow', true],
      ['Do not allow', 'Do not allow', true],
    ]);
    await takeScreenshot(page, 'consent-keyboard-focus');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${app.redirectUri}?*`);
    expect(findReturn(url)?.error).toBe('access_denied');

    await page.goto(url);
    for (const _step of ['Not you?', 'Details', 'Applications with access', 'Allow']) await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.waitForURL(`${app.redirectUri}?code=*`);
  });

  test('fits a phone without scrolling where three scopes are asked for', async () => {
    const page = await openPage({ ...phone, viewport: { width: 390, height: 844 } });
    await open(page, await buildUrl('Photo Book', { scope: 'openid profile email roles' }));
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(844);
    expect((await page.getByRole('button', { name: 'Do not allow' }).boundingBox())?.y).toBeLessThan(800);
  });

  test('works without scripts, and by form_post', async () => {
    const page = await openPage({ javaScriptEnabled: false });
    const url = await buildUrl('Without scripts', { response_mode: 'form_post' });
    await open(page, url);
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(app.redirectUri);
    expect(findReturn(url)?.code).toEqual(expect.any(String));
    await page.goto(`${gatehouse.authUrl}/oauth/consents`);
    const entry = page.getByRole('listitem').filter({ hasText: 'Without scripts' });
    await entry.getByRole('button', { name: 'Take back' }).click();
    await entry.waitFor({ state: 'detached' });
  });

  test('says who nobody is, and that nobody has anything', async () => {
    const page = await openPage();
    await page.goto(`${gatehouse.authUrl}/oauth/consents`);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('You are not signed in here');
    await takeScreenshot(page, 'consents-not-signed-in');
    await page.goto(await buildUrl('Nothing allowed'));
    await submitSignIn(page, administrator);
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor();
    await page.goto(`${gatehouse.authUrl}/oauth/consents`);
    expect(await page.getByText('You have not given any application access').count()).toBe(1);
    await takeScreenshot(page, 'consents-empty');
    expect(await measureSidewaysScroll(page)).toBe(0);
  });
});
