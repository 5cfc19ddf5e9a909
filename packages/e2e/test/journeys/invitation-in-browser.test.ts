import {
  type Gatehouse,
  linkOf,
  type MailServer,
  quickestDialect,
  startGatehouse,
  startMailServer,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { describeWithChromium, launchChromium, submitSignIn } from '../support/chromium.ts';
import { passwordKind, registerClient } from '../support/clients.ts';
import { getAdministratorToken } from '../support/tokens.ts';
import { uniqueName } from '../support/unique.ts';
import { createUserAdministration } from '../support/users.ts';
import { checkLook, isSeen, looks, press, useVisits } from '../support/visits.ts';
import { addAuthenticator } from './support/authenticator.ts';

const chosen = 'the password that is chosen';

describeWithChromium('an invitation in a browser', () => {
  let gatehouse: Gatehouse;
  let mails: MailServer;
  let browser: Browser;
  let username: string;
  let link: string;

  beforeAll(async () => {
    mails = await startMailServer();
    const ofOrgApi = { MAIL_URL: mails.url, MAIL_FROM: 'no-reply@example.com' };
    [gatehouse, browser] = await Promise.all([
      startGatehouse({ dialect: quickestDialect, env: { 'org-api': ofOrgApi } }),
      launchChromium(),
    ]);
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), gatehouse?.stop()]);
    await mails?.close();
  });
  beforeEach(async () => {
    username = `${uniqueName('invited')}@example.com`;
    const token = await getAdministratorToken(gatehouse, await registerClient(gatehouse, passwordKind()));
    await createUserAdministration(gatehouse, token).create({ username, userType: 'Person', invite: true });
    link = linkOf(await mails.waitFor(username, { subject: 'You are invited' }));
  });

  const openPage = useVisits(() => ({ browser, origins: [gatehouse.authUrl] }));
  const isAtAccount = (page: Page) => page.waitForURL(`${gatehouse.authUrl}/account`);

  test('leads to an account with a passkey, which signs in from then on', async () => {
    const page = await openPage();
    await addAuthenticator(await page.context().newCDPSession(page));
    await page.goto(link);
    await isSeen(page, 'Welcome');
    await press(page, 'Create a passkey');
    await isSeen(page, 'Keep your recovery codes');
    await page.context().clearCookies();
    await page.goto(`${gatehouse.authUrl}/account`);
    // The field of the username offers the passkey, and this browser takes the offer.
    await isAtAccount(page);
    await page.getByText(username).first().waitFor();
    await page.goto(link);
    await isSeen(page, 'This link does not work any more');
  });

  test.each([
    ['with scripts', true],
    ['without scripts', false],
  ])('leads to an account with a password, %s', async (_case, javaScriptEnabled) => {
    const page = await openPage({ javaScriptEnabled });
    await page.goto(link);
    await page.getByLabel('New password').fill('short');
    await press(page, 'Set a password');
    await page.getByText('The new password must have at least 8 characters.').waitFor();
    await page.getByLabel('New password').fill(chosen);
    await press(page, 'Set a password');
    await isAtAccount(page);
    await page.context().clearCookies();
    await page.goto(`${gatehouse.authUrl}/account`);
    await submitSignIn(page, [username, chosen]);
    await isAtAccount(page);
    expect(gatehouse.output()).not.toContain(new URL(link).searchParams.get('token'));
  });

  test.each(looks)('has a page that can be read, %s, at %i', async (colorScheme, width) => {
    const page = await openPage({ colorScheme, viewport: { width, height: 800 } });
    await page.goto(link);
    await isSeen(page, 'Welcome');
    await checkLook(page, `invitation-${colorScheme}-${width}`);
  });
});
