import { type Gatehouse, quickestDialect, startGatehouse } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser, BrowserContextOptions, CDPSession, Page } from 'playwright-core';
import { buildAuthorizeUrl, createPkce } from '../support/authorization.ts';
import { describeWithChromium, launchChromium, submitSignIn } from '../support/chromium.ts';
import { type ClientApp, startClientApp } from '../support/client-app.ts';
import { passwordKind, registerClient } from '../support/clients.ts';
import { getAdministratorToken } from '../support/tokens.ts';
import { uniqueName } from '../support/unique.ts';
import { createUserAdministration } from '../support/users.ts';
import { checkLook, looks, useVisits } from '../support/visits.ts';
import { addAuthenticator } from './support/authenticator.ts';
import { registerWith } from './support/registration.ts';

const password = 'the-password-of-a-holder';

describeWithChromium('a passkey in a browser', () => {
  let gatehouse: Gatehouse;
  let browser: Browser;
  let app: ClientApp;
  let clientId: string;
  let user: [username: string, password: string];

  beforeAll(async () => {
    [gatehouse, app, browser] = await Promise.all([
      startGatehouse({ dialect: quickestDialect }),
      startClientApp(),
      launchChromium(),
    ]);
    [clientId] = await registerWith(gatehouse, { redirect_uri: app.redirectUri, scope: ['openid', 'profile'] });
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), app?.stop(), gatehouse?.stop()]);
  });
  beforeEach(async () => {
    user = [`${uniqueName('holder')}@example.com`, password];
    const token = await getAdministratorToken(gatehouse, await registerClient(gatehouse, passwordKind()));
    await createUserAdministration(gatehouse, token).create({ username: user[0], password, userType: 'Person' });
  });

  const open = useVisits(() => ({ browser, origins: [gatehouse.authUrl, gatehouse.baseUrl, app.origin] }));
  async function openPage(options: BrowserContextOptions = {}): Promise<{ page: Page; session: CDPSession }> {
    const page = await open(options);
    return { page, session: await page.context().newCDPSession(page) };
  }

  const urlOf = (more: Record<string, string> = {}) =>
    buildAuthorizeUrl(gatehouse, {
      ...{ response_type: 'code', client_id: clientId, redirect_uri: app.redirectUri, scope: 'openid', state: 's' },
      ...{ code_challenge: createPkce().challenge, code_challenge_method: 'S256', ...more },
    });
  const arrive = (page: Page) => page.waitForURL(`${app.redirectUri}?code=*`);

  /** Makes a passkey at a sign-in that asks for one. */
  async function setUp(page: Page): Promise<void> {
    await page.goto(urlOf({ acr_values: 'phr' }));
    await submitSignIn(page, user);
    await page.getByRole('button', { name: 'Create a passkey' }).click();
    await page.getByRole('heading', { name: 'Keep your recovery codes' }).waitFor();
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await arrive(page);
  }

  test('is made at a sign-in, and then signs in by its button, without a word typed', async () => {
    const { page, session } = await openPage();
    const authenticatorId = await addAuthenticator(session);
    await setUp(page);
    const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId });
    expect(credentials).toMatchObject([{ rpId: 'localhost', isResidentCredential: true, userName: user[0] }]);
    await page.context().clearCookies();
    // The browser would answer the offer in the field by itself.
    await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: false });
    await page.goto(urlOf());
    const button = page.getByRole('button', { name: 'Sign in with a passkey' });
    await button.waitFor();
    await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: true });
    await button.click();
    await arrive(page);
  });

  test('is offered in the field of the username', async () => {
    const { page, session } = await openPage();
    await addAuthenticator(session);
    await setUp(page);
    await page.context().clearCookies();
    await page.goto(urlOf());
    await arrive(page);
  });

  test('is the second step after a password', async () => {
    const { page, session } = await openPage();
    const authenticatorId = await addAuthenticator(session);
    await setUp(page);
    await page.context().clearCookies();
    await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: false });
    await page.goto(urlOf());
    await submitSignIn(page, user);
    await page.getByLabel('Code').waitFor();
    await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: true });
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await arrive(page);
  });

  test('that the browser does not have leaves a page that says so, and goes on by a password', async () => {
    const { page, session } = await openPage();
    await addAuthenticator(session);
    await page.goto(urlOf());
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('Your browser has used no passkey.').waitFor();
    await submitSignIn(page, user);
    await arrive(page);
  });

  test('is not shown without scripts, and a password signs in', async () => {
    const { page } = await openPage({ javaScriptEnabled: false });
    await page.goto(urlOf());
    expect(await page.getByRole('button').allTextContents()).toEqual(['Sign in', 'Cancel']);
    await submitSignIn(page, user);
    await arrive(page);
  });

  test.each(looks)('has pages that can be read, %s, at %i', async (colorScheme, width) => {
    const { page, session } = await openPage({ colorScheme, viewport: { width, height: 800 } });
    const look = (name: string) => checkLook(page, `passkey-${name}-${colorScheme}-${width}`);
    const authenticatorId = await addAuthenticator(session);
    await page.goto(urlOf({ acr_values: 'phr' }));
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    await look('sign-in');
    await submitSignIn(page, user);
    const create = page.getByRole('button', { name: 'Create a passkey' });
    await create.waitFor();
    await look('set-up');
    await create.click();
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await arrive(page);
    await page.context().clearCookies();
    await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: false });
    await page.goto(urlOf());
    await submitSignIn(page, user);
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
    await look('second-step');
  });
});
