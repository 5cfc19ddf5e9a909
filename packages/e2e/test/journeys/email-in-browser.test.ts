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
import { checkLook, follow, isSeen, looks, press, useVisits } from '../support/visits.ts';

const password = 'the password that stays';

describeWithChromium('a change of the own e-mail address in a browser', () => {
  let gatehouse: Gatehouse;
  let mails: MailServer;
  let browser: Browser;
  let username: string;
  let before: string;
  let after: string;

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
    const name = uniqueName('mover');
    username = `${name}@example.com`;
    [before, after] = [`${name}@old.example.net`, `${name}@new.example.net`];
    const token = await getAdministratorToken(gatehouse, await registerClient(gatehouse, passwordKind()));
    const user = { username, email: before, emailVerified: true, password, userType: 'Person' };
    await createUserAdministration(gatehouse, token).create(user);
  });

  const openPage = useVisits(() => ({ browser, origins: [gatehouse.authUrl] }));
  const isAtAccount = (page: Page) => page.waitForURL(`${gatehouse.authUrl}/account`);
  const ask = async (page: Page, email = after) => {
    await page.getByLabel('New e-mail address').fill(email);
    await press(page, 'Send the link');
  };
  const openEmailPage = async (page: Page) => {
    await page.goto(`${gatehouse.authUrl}/account`);
    await submitSignIn(page, [username, password]);
    await isAtAccount(page);
    await follow(page, 'Change the e-mail address');
    await isSeen(page, 'E-mail address');
  };
  const readLinks = async () => ({
    toOld: linkOf(await mails.waitFor(before, { subject: 'Confirm the change of your e-mail address' })),
    toNew: linkOf(await mails.waitFor(after, { subject: 'Confirm your new e-mail address' })),
  });

  test.each([
    ['with scripts', true],
    ['without scripts', false],
  ])('counts once both sides have confirmed, each by its mail, %s', async (_case, javaScriptEnabled) => {
    const page = await openPage({ javaScriptEnabled });
    await openEmailPage(page);
    await ask(page);
    await page.getByText(`A change to ${after} waits`).waitFor();
    const { toOld, toNew } = await readLinks();
    await page.goto(toOld);
    await isSeen(page, 'Change of an e-mail address');
    await press(page, 'Confirm');
    await isAtAccount(page);
    await page.getByText('The new address is not confirmed yet.').waitFor();
    // The mail to the new address is read on another device, where nobody is signed in.
    const phone = await openPage({ javaScriptEnabled, viewport: { width: 390, height: 800 } });
    await phone.goto(toNew);
    expect(await phone.content()).not.toContain(username);
    await press(phone, 'Sign in and confirm');
    await submitSignIn(phone, [username, password]);
    await isSeen(phone, 'Change of an e-mail address');
    await press(phone, 'Confirm');
    await isAtAccount(phone);
    await page.reload();
    for (const each of [page, phone]) {
      await each.getByText(`${after} verified`).waitFor();
      expect(await each.content()).not.toContain(before);
    }
    for (const address of [before, after]) {
      await mails.waitFor(address, { subject: 'Your e-mail address was changed' });
    }
    await page.goto(toNew);
    await isSeen(page, 'This link does not work any more');
    for (const link of [toOld, toNew]) {
      expect(gatehouse.output()).not.toContain(new URL(link).searchParams.get('token'));
    }
  });

  test('is refused with the username alone, by keyboard', async () => {
    const page = await openPage();
    await openEmailPage(page);
    await ask(page);
    const { toOld } = await readLinks();
    const elsewhere = await openPage();
    await elsewhere.goto(toOld);
    await elsewhere.getByLabel('Username').focus();
    await elsewhere.keyboard.type('nobody');
    await elsewhere.keyboard.press('Enter');
    await elsewhere.getByText('This is not the username of the account.').waitFor();
    await elsewhere.getByLabel('Username').focus();
    await elsewhere.keyboard.type(username);
    await elsewhere.keyboard.press('Enter');
    await isSeen(elsewhere, 'The address stays as it is');
    await page.reload();
    await page.getByText(before).waitFor();
    expect(await page.content()).not.toContain(after);
  });

  test.each(looks)('has pages that can be read, %s, at %i', async (colorScheme, width) => {
    const viewport = { width, height: 800 };
    const page = await openPage({ colorScheme, viewport });
    const look = (name: string, seen = page) => checkLook(seen, `email-${name}-${colorScheme}-${width}`);
    await openEmailPage(page);
    await look('form');
    await ask(page, before);
    await page.getByRole('alert').waitFor();
    await look('fault');
    await ask(page);
    await page.getByText(`A change to ${after} waits`).waitFor();
    await look('waiting');
    await follow(page, 'Back');
    await look('profile');
    const { toOld, toNew } = await readLinks();
    await page.goto(toOld);
    await look('old');
    const stranger = await openPage({ colorScheme, viewport });
    await stranger.goto(toNew);
    await look('new', stranger);
    const confirm = await stranger.getByRole('button', { name: 'Sign in and confirm' }).boundingBox();
    const hint = await stranger.getByText('To refuse without signing in').boundingBox();
    expect((hint?.y ?? 0) - ((confirm?.y ?? 0) + (confirm?.height ?? 0))).toBeGreaterThan(8);
    await stranger.getByLabel('Username').fill('nobody');
    await press(stranger, 'Refuse');
    await stranger.getByRole('alert').waitFor();
    await look('wrong', stranger);
    await press(page, 'Refuse');
    await isSeen(page, 'The address stays as it is');
    await look('refused');
  });
});
