import { administrator, call, type Gatehouse, plainUser, quickestDialect, startGatehouse } from '@gatehouse/test-kit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { findViolations } from './support/axe.ts';
import {
  describeWithChromium,
  launchChromium,
  startVisit,
  submitSignIn,
  takeScreenshot,
  type Visit,
} from './support/chromium.ts';
import { measureSidewaysScroll } from './support/page-measures.ts';

/** Milliseconds: Swagger UI is a large script, and a machine may have much else to do. */
const patience = 180_000;
const usersPath = '/organization/api/organization/user';

describeWithChromium('the API references', () => {
  let browser: Browser;
  let gatehouse: Gatehouse;
  const visits: Visit[] = [];

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
  });
  afterEach(async () => {
    const ended = visits.splice(0);
    await Promise.all(ended.map((visit) => visit.close()));
    // Chromium writes an error for each answer of 4xx: some are wanted here.
    const problems = ended.flatMap((visit) => visit.findProblems());
    expect(problems.filter((problem) => !/^Failed to load resource: .* status of 40[13]/.test(problem))).toEqual([]);
  });

  /** The page of a service, once it shows its operations. Nothing may break its policy. */
  async function openReference(url: string, options: BrowserContextOptions = {}): Promise<Page> {
    const origins = [gatehouse.authUrl, gatehouse.baseUrl];
    const visit = await startVisit(browser, { origins, viewport: { width: 1280, height: 900 }, ...options });
    visits.push(visit);
    visit.page.setDefaultTimeout(60_000);
    await visit.page.goto(`${url}/docs`);
    await visit.page.locator('.opblock').first().waitFor();
    return visit.page;
  }

  const findOperation = (page: Page, method: string, path: string): Locator =>
    page.locator(`.opblock-${method}`).filter({ has: page.locator(`.opblock-summary-path[data-path="${path}"]`) });

  /** Sends the example of an operation as it stands. Gives the status and the body of the answer. */
  async function sendExample(page: Page, method: string, path: string): Promise<[status: string, body: string]> {
    const operation = findOperation(page, method, path);
    if (!(await operation.locator('.opblock-body').isVisible())) {
      await operation.locator('button.opblock-summary-control').click();
    }
    const answer = operation.locator('.live-responses-table .response').first();
    // The answer of the request before is shown until the next one comes.
    if (await answer.isVisible()) await operation.getByRole('button', { name: 'Clear' }).click();
    await answer.waitFor({ state: 'detached' });
    await operation.getByRole('button', { name: 'Execute' }).click();
    await answer.waitFor();
    const status = (await answer.locator('.response-col_status').textContent()) ?? '';
    const body = answer.locator('.highlight-code pre').first();
    return [status.trim().slice(0, 3), (await body.count()) > 0 ? ((await body.textContent()) ?? '') : ''];
  }

  const openAuthorize = async (page: Page): Promise<Locator> => {
    await page.locator('.auth-wrapper .btn.authorize').click();
    return page.locator('.auth-container').filter({ hasText: 'authorizationCode with PKCE' });
  };

  /** "Authorize": signs in in the window that opens, which closes by itself. */
  async function signIn(page: Page, user: [string, string], clientId?: string): Promise<void> {
    const form = await openAuthorize(page);
    if (clientId !== undefined) await form.getByLabel('client_id:').fill(clientId);
    const [window] = await Promise.all([page.waitForEvent('popup'), form.locator('button.authorize').click()]);
    await window.getByText('to continue to API reference').waitFor();
    await Promise.all([window.waitForEvent('close'), submitSignIn(window, user)]);
    await form.getByRole('button', { name: 'Remove authorization' }).waitFor();
    await page.getByRole('button', { name: 'Close' }).last().click();
  }

  describe('with demo data, as npm start has it', () => {
    beforeAll(async () => {
      gatehouse = await startGatehouse({ dialect: quickestDialect, env: { 'auth-server': { DEMO_DATA: 'true' } } });
    });
    afterAll(() => gatehouse?.stop());

    it(
      'of org-api sign a user in by the authorization code flow with PKCE, and read the details of that user',
      async () => {
        const page = await openReference(gatehouse.baseUrl);
        const path = `${usersPath}/allDetails/userId/{username}`;
        expect((await sendExample(page, 'get', path))[0]).toBe('401');
        await signIn(page, plainUser);
        const [status, body] = await sendExample(page, 'get', path);
        expect([status, JSON.parse(body)]).toEqual(['200', expect.objectContaining({ username: 'user@example.com' })]);
        await takeScreenshot(page, 'docs-signed-in');
      },
      patience,
    );

    it(
      'of org-api let an administrator send the example of each operation on users as it stands',
      async () => {
        const page = await openReference(gatehouse.baseUrl);
        await signIn(page, administrator);
        const one = `${usersPath}/userId/{username}`;
        for (const [method, path, expected] of [
          ['post', usersPath, '201'],
          ['get', usersPath, '200'],
          ['patch', one, '200'],
          ['put', `${one}/password`, '204'],
          ['delete', one, '204'],
        ] as const) {
          expect([method, path, await sendExample(page, method, path)]).toEqual([
            ...[method, path],
            [expected, expect.any(String)],
          ]);
        }
      },
      patience,
    );

    it(
      'of auth-server register a client, and get and use a token, without any typing',
      async () => {
        const page = await openReference(gatehouse.authUrl);
        expect(await sendExample(page, 'post', '/clients')).toEqual([
          '200',
          expect.stringContaining('client my-app created successfully'),
        ]);
        const [status, tokens] = await sendExample(page, 'post', '/oauth/token');
        expect([status, JSON.parse(tokens)]).toEqual(['200', expect.objectContaining({ token_type: 'Bearer' })]);
        expect((await sendExample(page, 'get', '/clients/{client_id}'))[0]).toBe('200');
        expect((await sendExample(page, 'patch', '/clients/{client_id}'))[0]).toBe('200');
        await signIn(page, plainUser);
        expect(await sendExample(page, 'get', '/oauth/userinfo')).toEqual([
          '200',
          expect.stringContaining('Ursula User'),
        ]);
        // From here on requests are those of the user who signed in, who administers nothing.
        expect((await sendExample(page, 'get', '/clients/{client_id}'))[0]).toBe('403');
      },
      patience,
    );

    it(
      'show first what a newcomer needs first, and fit on a phone',
      async () => {
        const firstOf = async (url: string, count: number) => {
          const page = await openReference(url);
          const paths = await page
            .locator('.opblock-summary-path')
            .evaluateAll((all) => all.map((each) => each.textContent));
          await page.setViewportSize({ width: 320, height: 720 });
          expect([url, await measureSidewaysScroll(page)]).toEqual([url, 0]);
          await takeScreenshot(page, `docs-phone-${new URL(url).port}`);
          return paths.slice(0, count).map((path) => path?.replaceAll('\u200b', ''));
        };
        expect(await firstOf(gatehouse.authUrl, 1)).toEqual(['/clients']);
        expect(await firstOf(gatehouse.baseUrl, 1)).toEqual([`${usersPath}/allDetails/userId/{username}`]);
      },
      patience,
    );

    it.each([
      { service: 'auth-server', look: 'light', path: '/clients' },
      { service: 'org-api', look: 'dark', path: usersPath },
    ] as const)(
      'of $service are good by WCAG 2.2 AA, where the system is $look and after a change of the look, in every width',
      async ({ service, look, path }) => {
        const url = service === 'auth-server' ? gatehouse.authUrl : gatehouse.baseUrl;
        const phone = { isMobile: true, viewport: { width: 320, height: 720 } };
        const page = await openReference(url, { colorScheme: look, ...phone });
        const check = async (what: string, width: number) => {
          await page.setViewportSize({ width, height: 720 });
          // A page that does not say that it fits a phone is laid out for a width of 980.
          expect([what, width, await page.evaluate<number>('window.innerWidth')]).toEqual([what, width, width]);
          expect([what, width, await measureSidewaysScroll(page)]).toEqual([what, width, 0]);
          expect([what, width, await findViolations(page)]).toEqual([what, width, []]);
          await takeScreenshot(page, `docs-${service}-${what}-${width}`);
        };
        expect(await page.locator('html.dark-mode').count()).toBe(look === 'dark' ? 1 : 0);
        await check('closed', 320);
        await findOperation(page, 'post', path).locator('button.opblock-summary-control').click();
        await sendExample(page, 'get', path);
        await check('sent', 375);
        await page.evaluate("document.documentElement.classList.toggle('dark-mode')");
        await check('changed', 320);
        await openAuthorize(page);
        await check('authorize', 375);
        await check('authorize', 1280);
      },
      patience,
    );
  });

  describe('without demo data, as in production', () => {
    beforeAll(async () => {
      gatehouse = await startGatehouse({ dialect: quickestDialect });
      const redirectUri = `${gatehouse.authUrl}/docs/static/oauth2-redirect.html`;
      const answer = await call(`${gatehouse.authUrl}/clients`, {
        basic: administrator,
        json: {
          ...{ client_id: 'reader', client_name: 'API reference', redirect_uri: redirectUri },
          ...{ scope: ['openid', 'profile', 'email', 'roles'], authorized_grant_types: ['authorization_code'] },
        },
      });
      expect(answer.status).toBe(200);
    });
    afterAll(() => gatehouse?.stop());

    it(
      'start without credentials, ask for a client_id, and sign in at a public client that was registered for the page',
      async () => {
        const page = await openReference(gatehouse.authUrl);
        expect(await page.locator('.authorization__btn.locked').count()).toBe(0);
        const form = await openAuthorize(page);
        expect(await form.getByLabel('client_id:').inputValue()).toBe('');
        await page.getByRole('button', { name: 'Close' }).last().click();
        await signIn(page, plainUser, 'reader');
        expect((await sendExample(page, 'get', '/oauth/userinfo'))[0]).toBe('200');
      },
      patience,
    );
  });
});
