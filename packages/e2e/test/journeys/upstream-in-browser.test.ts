import { type Gatehouse, quickestDialect, startGatehouse } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { buildAuthorizeUrl, createPkce } from '../support/authorization.ts';
import { findViolations } from '../support/axe.ts';
import { describeWithChromium, launchChromium, submitSignIn } from '../support/chromium.ts';
import { type ClientApp, startClientApp } from '../support/client-app.ts';
import { passwordKind, registerClient } from '../support/clients.ts';
import { startOidcProvider } from '../support/oidc-provider.ts';
import { getAdministratorToken } from '../support/tokens.ts';
import { uniqueName } from '../support/unique.ts';
import { callbackOf, registerUpstream } from '../support/upstreams.ts';
import { createUserAdministration } from '../support/users.ts';
import { checkLook, isSeen, looks, press, useVisits } from '../support/visits.ts';
import { registerWith } from './support/registration.ts';

const password = 'the-password-of-a-person';
const account = { subject: 'ann-there', claims: { email: 'ann@corp.example', email_verified: true, name: 'Ann Corp' } };

describeWithChromium('sign-in at an upstream, in a browser', () => {
  let gatehouse: Gatehouse;
  let provider: Awaited<ReturnType<typeof startOidcProvider>>;
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
    const accounts = [account, ...looks.map((_look, n) => ({ ...account, subject: `other-${n}` }))];
    provider = await startOidcProvider({ redirectUri: callbackOf(gatehouse, 'corp'), accounts });
    const { issuer, client } = provider;
    await registerUpstream(gatehouse, { alias: 'corp', display_name: 'Corp SSO', issuer, ...client });
    [clientId] = await registerWith(gatehouse, { redirect_uri: app.redirectUri, scope: ['openid', 'profile'] });
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), app?.stop(), provider?.stop()]);
    await gatehouse?.stop();
  });
  beforeEach(async () => {
    user = [`${uniqueName('person')}@example.com`, password];
    const token = await getAdministratorToken(gatehouse, await registerClient(gatehouse, passwordKind()));
    await createUserAdministration(gatehouse, token).create({ username: user[0], password, userType: 'Person' });
  });

  const open = useVisits(() => ({
    browser,
    origins: [gatehouse.authUrl, gatehouse.baseUrl, app.origin, provider.issuer],
  }));
  const urlOf = (more: Record<string, string> = {}) =>
    buildAuthorizeUrl(gatehouse, {
      ...{ response_type: 'code', client_id: clientId, redirect_uri: app.redirectUri, scope: 'openid', state: 's' },
      ...{ code_challenge: createPkce().challenge, code_challenge_method: 'S256', ...more },
    });
  const signInThere = async (page: Page, subject: string) => {
    await page.getByLabel('Subject').fill(subject);
    await press(page, 'Sign in there');
  };
  const arrive = (page: Page) => page.waitForURL(`${app.redirectUri}?code=*`);

  test('links an account once, and then signs in by it, without scripts too', async () => {
    const page = await open();
    await page.goto(urlOf());
    await press(page, 'Continue with Corp SSO');
    await signInThere(page, account.subject);
    await page.getByText('ann@corp.example').waitFor();
    await submitSignIn(page, user);
    await isSeen(page, 'Link this account?');
    await press(page, 'Yes, link it');
    await arrive(page);

    const plain = await open({ javaScriptEnabled: false });
    await plain.goto(urlOf());
    await press(plain, 'Continue with Corp SSO');
    await signInThere(plain, account.subject);
    await arrive(plain);
    await plain.goto(`${gatehouse.authUrl}/account`);
    await plain.getByText(user[0]).first().waitFor();
  });

  test.each(looks)('looks right: %s, %i px', async (colorScheme, width) => {
    const page = await open({ colorScheme, viewport: { width, height: 800 } });
    await page.goto(urlOf());
    await checkLook(page, `upstream-button-${colorScheme}-${width}`);
    expect(await findViolations(page)).toEqual([]);
    await press(page, 'Continue with Corp SSO');
    await signInThere(page, `other-${looks.findIndex((look) => look[0] === colorScheme && look[1] === width)}`);
    await page.getByText('ann@corp.example').waitFor();
    await checkLook(page, `upstream-asked-${colorScheme}-${width}`);
    expect(await findViolations(page)).toEqual([]);
    await submitSignIn(page, user);
    await isSeen(page, 'Link this account?');
    await checkLook(page, `upstream-link-${colorScheme}-${width}`);
    expect(await findViolations(page)).toEqual([]);
    await press(page, 'No');
    await arrive(page);
  });
});
