import { type Gatehouse, quickestDialect, showCode, startGatehouse } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { describeWithChromium, launchChromium, submitSignIn } from '../support/chromium.ts';
import { passwordKind, registerClient } from '../support/clients.ts';
import { getAdministratorToken } from '../support/tokens.ts';
import { uniqueName } from '../support/unique.ts';
import { createUserAdministration } from '../support/users.ts';
import { checkLook, follow, isSeen, looks, press, useVisits } from '../support/visits.ts';
import { addAuthenticator } from './support/authenticator.ts';

const password = 'the-password-of-a-holder';

describeWithChromium('the account in a browser', () => {
  let gatehouse: Gatehouse;
  let browser: Browser;
  let user: [username: string, password: string];

  beforeAll(async () => {
    [gatehouse, browser] = await Promise.all([startGatehouse({ dialect: quickestDialect }), launchChromium()]);
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), gatehouse?.stop()]);
  });
  beforeEach(async () => {
    user = [`${uniqueName('holder')}@example.com`, password];
    const token = await getAdministratorToken(gatehouse, await registerClient(gatehouse, passwordKind()));
    await createUserAdministration(gatehouse, token).create({ username: user[0], password, userType: 'Person' });
  });

  const urlOf = (path = '') => `${gatehouse.authUrl}/account${path}`;
  const openPage = useVisits(() => ({ browser, origins: [gatehouse.authUrl] }));
  const signIn = async (page: Page, path = '') => {
    await page.goto(urlOf(path));
    await submitSignIn(page, user);
    await page.waitForURL(urlOf(path));
  };

  test('makes a passkey that signs in without a password, which is then removed', async () => {
    const page = await openPage();
    const session = await page.context().newCDPSession(page);
    const authenticatorId = await addAuthenticator(session);
    await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: false });
    await signIn(page, '/methods');
    await follow(page, 'Add a passkey');
    await page.getByLabel('Name').fill('The phone');
    await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: true });
    await press(page, 'Create a passkey');
    await isSeen(page, 'Keep your recovery codes');
    await press(page, 'I have kept them');
    await page.getByText('The phone').waitFor();
    await press(page, 'Remove the password');
    await page.getByText('You have no password: you sign in with a passkey.').waitFor();
    expect(await page.getByRole('button', { name: 'Remove: The phone' }).count()).toBe(0);
    await page.context().clearCookies();
    await page.goto(urlOf('/sessions'));
    await isSeen(page, 'Sessions');
    await page.getByText('by a passkey').first().waitFor();
  });

  test('sees the session of another browser, and ends it', async () => {
    const [page, other] = [await openPage(), await openPage()];
    await Promise.all([signIn(page, '/sessions'), signIn(other)]);
    await page.reload();
    expect(await page.locator('.rows > li').count()).toBe(2);
    await press(page, 'Sign out of all others');
    await page.locator('.rows > li').nth(1).waitFor({ state: 'detached' });
    await other.reload();
    await isSeen(other, 'Sign in');
  });

  test('changes the profile and the password by keyboard alone', async () => {
    const page = await openPage();
    await signIn(page);
    await page.getByLabel('Nickname').focus();
    await page.keyboard.type('Uschi');
    await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
    expect(await page.getByLabel('Nickname').inputValue()).toBe('Uschi');
    await page.goto(urlOf('/password'));
    await page.getByLabel('Password until now').focus();
    await page.keyboard.type(password);
    await page.keyboard.press('Tab');
    await page.keyboard.type('another password of a holder');
    await page.keyboard.press('Enter');
    await isSeen(page, 'Ways to sign in');
    await page.context().clearCookies();
    user = [user[0], 'another password of a holder'];
    await signIn(page, '/activity');
    await page.getByText('Password changed').waitFor();
  });

  test('works without scripts, but for passkeys', async () => {
    const page = await openPage({ javaScriptEnabled: false });
    await signIn(page, '/code-app');
    const secret = await page.locator('[name=secret]').inputValue();
    await page.locator('#code').fill(showCode(secret));
    await press(page, 'Continue');
    await isSeen(page, 'Keep your recovery codes');
    await press(page, 'I have kept them');
    await press(page, 'Remove: Code app');
    await follow(page, 'Set up a code app');
    await isSeen(page, 'Code app');
  });

  test.each(looks)('has pages that can be read, %s, at %i', async (colorScheme, width) => {
    const page = await openPage({ colorScheme, viewport: { width, height: 800 } });
    await signIn(page);
    for (const path of ['', '/methods', '/passkeys', '/code-app', '/password', '/sessions', '/activity']) {
      await page.goto(urlOf(path));
      await checkLook(page, `account-${path.slice(1) || 'profile'}-${colorScheme}-${width}`);
    }
  });
});
