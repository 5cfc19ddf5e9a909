import {
  type Gatehouse,
  linkOf,
  type MailServer,
  quickestDialect,
  showCode,
  showEarlierCode,
  startGatehouse,
  startMailServer,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { addAuthenticator } from './journeys/support/authenticator.ts';
import { describeWithChromium, launchChromium, submitSignIn } from './support/chromium.ts';
import { type ClientApp, startClientApp } from './support/client-app.ts';
import { parseSteps, readGuide, readSection } from './support/guide.ts';
import { doSteps } from './support/guide-terminal.ts';
import { useVisits } from './support/visits.ts';

const chosen = 'a sentence of the person';

describeWithChromium('guides about accounts, followed with a browser', () => {
  let gatehouse: Gatehouse;
  let mails: MailServer;
  let browser: Browser;
  let apps: [shop: ClientApp, forum: ClientApp];
  let guide: string;

  beforeAll(async () => {
    mails = await startMailServer();
    const env = {
      'org-api': { MAIL_URL: mails.url, MAIL_FROM: 'no-reply@example.com' },
      'auth-server': { REQUIRE_MFA: 'DirectoryReader' },
    };
    [gatehouse, browser, ...apps] = await Promise.all([
      startGatehouse({ dialect: quickestDialect, env }),
      launchChromium(),
      startClientApp(),
      startClientApp(),
    ]);
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), gatehouse?.stop(), ...(apps ?? []).map((app) => app.stop())]);
    await mails?.close();
  });
  beforeEach(() => {
    guide = '';
  });

  /** Reads a guide, with the addresses of this run in the place of those of `npm start`. */
  function open(name: string): void {
    const [shop, forum] = apps.map(({ origin }) => origin) as [string, string];
    guide = [
      ['http://localhost:9000', gatehouse.authUrl],
      ['http://localhost:9001', gatehouse.baseUrl],
      ['http://127.0.0.1:8081', shop],
      ['http://127.0.0.1:8082', forum],
      [encodeURIComponent('http://127.0.0.1:8081'), encodeURIComponent(shop)],
      [encodeURIComponent('http://127.0.0.1:8082'), encodeURIComponent(forum)],
    ].reduce((text, [from = '', to = '']) => text.replaceAll(from, to), readGuide(name));
  }
  /** Types the commands of one part of the guide. */
  const type = (heading: string) =>
    doSteps(parseSteps(readSection(guide, heading)), { folder: '/', env: process.env }, 30_000);
  const addressOf = (client: string) =>
    [...guide.matchAll(/^<(http.*)>$/gm)]
      .map(([, url = '']) => url)
      .find((url) => url.includes(`client_id=${client}&`)) ?? '';
  const accountUrl = (path = '') => `${gatehouse.authUrl}/account${path}`;

  const openPage = useVisits(() => ({ browser, origins: [gatehouse.authUrl, ...apps.map(({ origin }) => origin)] }));
  /** Follows what the guide says in bold, and nothing that it does not say. */
  async function press(page: Page, name: string, role: 'button' | 'link' = 'button'): Promise<void> {
    expect(guide.replaceAll('\n', ' ')).toContain(`**${name}**`);
    await page.getByRole(role, { name, exact: true }).click();
  }
  const isAtAccount = (page: Page) => page.waitForURL(accountUrl());
  async function keepCodes(page: Page): Promise<string[]> {
    await page.getByRole('heading', { name: 'Keep your recovery codes' }).waitFor();
    const codes = await page
      .getByRole('listitem')
      .filter({ hasText: /^(\w{4}-){3}\w{4}$/ })
      .allTextContents();
    await press(page, 'I have kept them');
    return codes;
  }
  async function typeCode(page: Page, code: string): Promise<void> {
    await page.getByLabel('Code', { exact: true }).fill(code);
    await press(page, 'Continue');
  }
  const readLink = async (address: string, subject: string) => linkOf(await mails.waitFor(address, { subject }));
  async function recover(page: Page, address: string): Promise<void> {
    await page.getByLabel('Username or e-mail address').fill(address);
    await press(page, 'Send the link');
    await page.goto(await readLink(address, 'Set a new password'));
  }
  async function choosePassword(page: Page): Promise<void> {
    await page.getByLabel('New password').fill(chosen);
    await press(page, 'Save');
    await page.getByRole('heading', { name: 'Your new password is set' }).waitFor();
  }

  test('people-with-passkeys.md: from an address to two applications, a lost device, and a change of address', async () => {
    open('people-with-passkeys.md');
    const [shop, forum] = apps;
    const username = 'paula@example.com';
    await type('## 1. Invite the person');
    const page = await openPage();
    const session = await page.context().newCDPSession(page);
    await addAuthenticator(session);
    await page.goto(await readLink(username, 'You are invited'));
    await press(page, 'Create a passkey');
    const codes = await keepCodes(page);
    expect(codes).toHaveLength(10);
    await page.getByRole('heading', { name: 'Ways to sign in' }).waitFor();
    await page.goto(accountUrl());
    await page.getByText(`${username} verified`).waitFor();

    await page.goto(`${gatehouse.authUrl}/oauth/logout`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    // The browser takes the offer in the field of the username.
    await page.goto(addressOf('shop'));
    await page.waitForURL(`${shop.redirectUri}?code=*`);
    await page.goto(addressOf('forum'));
    await page.waitForURL(`${forum.redirectUri}?code=*`);

    const other = await openPage();
    await other.goto(addressOf('shop'));
    await press(other, 'Forgot your password?', 'link');
    await recover(other, username);
    await other.getByLabel('Recovery code').fill(codes[0] ?? '');
    await choosePassword(other);
    await other.goto(accountUrl());
    await submitSignIn(other, [username, chosen]);
    await typeCode(other, codes[1] ?? '');
    await isAtAccount(other);
    await other.goto(accountUrl('/methods'));
    await addAuthenticator(await other.context().newCDPSession(other));
    await press(other, 'Add a passkey', 'link');
    await other.getByLabel('Name').fill('The new device');
    await press(other, 'Create a passkey');
    await other.getByText('The new device').waitFor();
    await other
      .getByRole('button', { name: /^Remove: / })
      .first()
      .click();
    await other.waitForURL(accountUrl('/methods'));
    // The lost device has a passkey that nobody takes any more.
    await page.goto(addressOf('shop'));
    await page.getByText('This passkey was not accepted.').waitFor();

    const second = await openPage();
    await second.goto(accountUrl());
    await submitSignIn(second, [username, chosen]);
    await typeCode(second, codes[2] ?? '');
    await isAtAccount(second);
    await other.goto(accountUrl('/sessions'));
    await press(other, 'Sign out of all others');
    await other.locator('.rows > li').nth(1).waitFor({ state: 'detached' });
    await second.reload();
    await second.getByLabel('Password').waitFor();

    const address = 'paula@new.example.com';
    await other.goto(accountUrl('/email'));
    await other.getByLabel('New e-mail address').fill(address);
    await press(other, 'Send the link');
    await other.goto(await readLink(address, 'Confirm your new e-mail address'));
    await press(other, 'Confirm');
    await isAtAccount(other);
    // The span of 72 hours is played in process: apps/org-api/test/email-changes.test.ts.
    await other.getByText('Until then the present address can refuse it.').waitFor();
    const refusal = await readLink(username, 'Your e-mail address will change');
    await second.goto(refusal);
    await second.getByRole('button', { name: 'Refuse' }).waitFor();
  });

  test('demand-a-second-step.md: the holder of a role sets one up, and an administrator helps after its loss', async () => {
    open('demand-a-second-step.md');
    const user: [string, string] = ['rita@example.com', 'a-first-password'];
    await type('## 1. Give a person the role');
    const page = await openPage();
    await page.goto(accountUrl());
    await submitSignIn(page, user);
    const secret = await page.locator('[name=secret]').inputValue();
    await page.getByLabel('Six digits that the app shows').fill(await showEarlierCode(secret));
    await press(page, 'Continue');
    await keepCodes(page);
    await isAtAccount(page);
    const again = await openPage();
    await again.goto(accountUrl());
    await submitSignIn(again, user);
    await typeCode(again, showCode(secret));
    await isAtAccount(again);

    await type('## 3. The person has lost everything');
    await again.reload();
    await again.getByLabel('Password').waitFor();
  });

  test('mail.md: a forgotten password, and the audit trail', async () => {
    open('mail.md');
    const username = 'martha@example.com';
    await type('## 1. A person with a confirmed address');
    const page = await openPage();
    await page.goto(accountUrl('/recover'));
    await recover(page, username);
    await choosePassword(page);
    await mails.waitFor(username, { subject: 'Your password was changed' });
    await type('## 3. See that it was sent');
  });
});
