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
import { buildAuthorizeUrl } from '../support/authorization.ts';
import { describeWithChromium, launchChromium, submitSignIn } from '../support/chromium.ts';
import { type ClientApp, startClientApp } from '../support/client-app.ts';
import { passwordKind, registerClient } from '../support/clients.ts';
import { getAdministratorToken } from '../support/tokens.ts';
import { uniqueName } from '../support/unique.ts';
import { createUserAdministration } from '../support/users.ts';
import { checkLook, follow, isSeen, looks, press, useVisits } from '../support/visits.ts';
import { registerWith } from './support/registration.ts';

const forgotten = 'the password that is forgotten';
const next = 'the password that is kept';
const subject = 'Set a new password';

describeWithChromium('a forgotten password in a browser', () => {
  let gatehouse: Gatehouse;
  let mails: MailServer;
  let app: ClientApp;
  let browser: Browser;
  let clientId: string;
  let username: string;

  beforeAll(async () => {
    mails = await startMailServer();
    const ofOrgApi = { MAIL_URL: mails.url, MAIL_FROM: 'no-reply@example.com', DISPLAY_NAME: 'Café & Söhne' };
    [gatehouse, app, browser] = await Promise.all([
      startGatehouse({ dialect: quickestDialect, env: { 'org-api': ofOrgApi } }),
      startClientApp(),
      launchChromium(),
    ]);
    [clientId] = await registerWith(gatehouse, { redirect_uri: app.redirectUri, scope: ['openid'] });
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), app?.stop(), gatehouse?.stop()]);
    await mails?.close();
  });
  beforeEach(async () => {
    username = `${uniqueName('forgetful')}@example.com`;
    const token = await getAdministratorToken(gatehouse, await registerClient(gatehouse, passwordKind()));
    const user = { username, password: forgotten, userType: 'Person', emailVerified: true };
    await createUserAdministration(gatehouse, token).create(user);
  });

  const openPage = useVisits(() => ({ browser, origins: [gatehouse.authUrl, app.origin] }));
  const signInUrl = () => {
    const request = { response_type: 'code', client_id: clientId, redirect_uri: app.redirectUri, scope: 'openid' };
    return buildAuthorizeUrl(gatehouse, { ...request, state: 'of the application' });
  };
  const ask = async (page: Page) => {
    await page.getByLabel('Username or e-mail address').fill(username);
    await press(page, 'Send the link');
    await isSeen(page, 'Look at your mail');
  };
  const readLink = async () => linkOf(await mails.waitFor(username, { subject }));
  const set = async (page: Page, password: string) => {
    await page.getByLabel('New password').fill(password);
    await press(page, 'Save');
  };

  test.each([
    ['with scripts', true],
    ['without scripts', false],
  ])('is replaced by the link of a mail, which leads back to the application, %s', async (_case, javaScriptEnabled) => {
    const page = await openPage({ javaScriptEnabled });
    await page.goto(signInUrl());
    await submitSignIn(page, [username, 'what was it?']);
    await follow(page, 'Forgot your password?');
    await isSeen(page, 'Set a new password');
    await ask(page);
    const link = await readLink();
    await page.goto(link);
    await set(page, 'short');
    await page.getByText('The new password must have at least 8 characters.').waitFor();
    await set(page, next);
    await isSeen(page, 'Your new password is set');
    expect(page.url()).not.toContain('token');
    await follow(page, 'Sign in');
    await submitSignIn(page, [username, next]);
    await page.waitForURL(`${app.redirectUri}?*`);
    expect(app.returns.at(-1)?.parameters).toMatchObject({ code: expect.any(String), state: 'of the application' });
    await page.goto(link);
    await isSeen(page, 'This link does not work any more');
    expect(gatehouse.output()).not.toContain(new URL(link).searchParams.get('token'));
  });

  test('is replaced on another device than the one that asked, by keyboard alone', async () => {
    const page = await openPage();
    await page.goto(signInUrl());
    await follow(page, 'Forgot your password?');
    await page.locator('#username:focus').waitFor();
    await page.keyboard.type(username);
    await page.keyboard.press('Enter');
    await isSeen(page, 'Look at your mail');
    const phone = await openPage({ viewport: { width: 390, height: 800 } });
    await phone.goto(await readLink());
    await phone.getByLabel('New password').focus();
    await phone.keyboard.type(next);
    await phone.keyboard.press('Enter');
    await isSeen(phone, 'Your new password is set');
    await page.goto(signInUrl());
    await submitSignIn(page, [username, next]);
    await page.waitForURL(`${app.redirectUri}?*`);
  });

  test.each(looks)('has pages that can be read, %s, at %i', async (colorScheme, width) => {
    const page = await openPage({ colorScheme, viewport: { width, height: 800 } });
    const look = (name: string) => checkLook(page, `recover-${name}-${colorScheme}-${width}`);
    await page.goto(signInUrl());
    await look('sign-in');
    await follow(page, 'Forgot your password?');
    await look('name');
    await ask(page);
    await look('sent');
    const link = await readLink();
    await page.goto(link);
    await look('reset');
    await set(page, 'short');
    await page.getByRole('alert').waitFor();
    await look('refused');
    await set(page, next);
    await isSeen(page, 'Your new password is set');
    await look('done');
    await page.goto(link);
    await isSeen(page, 'This link does not work any more');
    await look('gone');
  });
});
