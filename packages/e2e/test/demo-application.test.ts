import { type Gatehouse, quickestDialect, useSharedGatehouse } from '@gatehouse/test-kit';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { findViolations } from './support/axe.ts';
import {
  describeWithChromium,
  launchChromium,
  startVisit,
  submitSignIn,
  takeScreenshot,
  type Visit,
} from './support/chromium.ts';
import { startDemoApplication } from './support/demo-application.ts';
import { measureSidewaysScroll, measureTextContrasts } from './support/page-measures.ts';

describeWithChromium('the demo application of npm start', () => {
  let gatehouse: Gatehouse;
  let demo: Awaited<ReturnType<typeof startDemoApplication>>;
  let browser: Browser;
  const visits: Visit[] = [];

  beforeAll(async () => {
    [gatehouse, browser] = await Promise.all([useSharedGatehouse(quickestDialect), launchChromium()]);
    demo = await startDemoApplication(gatehouse);
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), demo?.stop()]);
    await gatehouse?.stop();
  });
  afterEach(async () => {
    const ended = visits.splice(0);
    await Promise.all(ended.map((visit) => visit.close()));
    expect(ended.flatMap((visit) => visit.findProblems())).toEqual([]);
  });

  async function openPage(): Promise<Page> {
    const visit = await startVisit(browser, { origins: [gatehouse.authUrl, gatehouse.baseUrl, demo.url] });
    visits.push(visit);
    await visit.page.goto(demo.url);
    return visit.page;
  }

  async function signIn(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('to continue to Demo application').waitFor();
    await submitSignIn(page);
    await page.getByRole('heading', { name: 'Hello, Ursula User' }).waitFor();
  }

  it('signs in, shows claims, decoded tokens and user details, and signs out', async () => {
    const page = await openPage();
    await signIn(page);
    await takeScreenshot(page, 'demo-application');
    expect(await page.getByRole('definition').allTextContents()).toEqual(['Ursula User', 'user@example.com']);
    expect(await page.locator('pre').first().isVisible()).toBe(false);
    for (const summary of await page.locator('summary').all()) await summary.click();
    const rows = await page.getByRole('row').allTextContents();
    expect(rows).toContain('emailuser@example.com');
    expect(rows).toContain(`iss${gatehouse.authUrl}`);
    const [details, header, claims] = await page.locator('pre').allTextContents();
    expect(JSON.parse(details ?? '')).toMatchObject({ username: 'user@example.com', userType: 'Person' });
    expect(JSON.parse(header ?? '')).toMatchObject({ typ: 'at+jwt' });
    expect(JSON.parse(claims ?? '')).toMatchObject({ aud: gatehouse.baseUrl, client_id: 'demo-application' });
    expect((await measureTextContrasts(page)).filter(({ ratio }) => ratio < 4.5)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await measureSidewaysScroll(page)).toBe(0);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    // The session at auth-server is over too.
    await page.getByLabel('Password').waitFor();
  });

  it('is good by WCAG 2.2 AA, each page in light and dark, and in every width', async () => {
    const page = await openPage();
    const check = async (what: string, views: [colorScheme: 'light' | 'dark', width: number][]) => {
      for (const [colorScheme, width] of views) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 640 });
        const view = [what, colorScheme, width];
        expect([...view, await measureSidewaysScroll(page)]).toEqual([...view, 0]);
        expect([...view, await findViolations(page)]).toEqual([...view, []]);
        await takeScreenshot(page, `demo-${view.join('-')}`);
      }
    };
    await check('welcome', [
      ['light', 320],
      ['dark', 375],
      ['light', 1280],
    ]);
    await signIn(page);
    await check('signed-in', [
      ['dark', 320],
      ['light', 375],
      ['dark', 1280],
    ]);
    await page.goto(`${demo.url}/nothing`);
    await check('failure', [['dark', 320]]);
  });

  it('says so where the user does not want to sign in, and takes the sign-in then', async () => {
    const page = await openPage();
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByRole('status').textContent()).toBe('You did not sign in.');
    await signIn(page);
  });

  it('starts again beside what it registered before, and ends at SIGTERM', async () => {
    const other = await startDemoApplication(gatehouse);
    expect(await other.stop()).toBe(0);
    await demo.stop();
    demo = await startDemoApplication(gatehouse);
    await signIn(await openPage());
  });
});
