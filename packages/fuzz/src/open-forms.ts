import type { Answer } from '@gatehouse/test-kit';
import { createTestBrowser, plainUser, readHiddenFields } from '@gatehouse/test-kit';
import { callback, type Ingredients } from './ingredients.ts';

/** The pages for signing in, for allowing, for devices, for taking back and for signing out. */
export async function openForms(
  authUrl: string,
  clients: { app: string; asker: string },
  userCode: string,
): Promise<Ingredients['forms']> {
  const browser = createTestBrowser();
  const authorize = (client_id: string, more: Record<string, string> = {}) =>
    `${authUrl}/oauth/authorize?${new URLSearchParams({ response_type: 'code', client_id, redirect_uri: callback, ...more })}`;
  const formOf = (path: string, page: Answer) => ({
    path,
    cookie: Object.entries(browser.cookies())
      .map(([name, value]) => `${name}=${value}`)
      .join('; '),
    fields: readHiddenFields(page.text),
  });
  const signInPage = await browser.get(authorize(clients.app));
  const signInForm = formOf('/oauth/sign-in', signInPage);
  const deviceUrl = `${authUrl}/oauth/device?user_code=${userCode}`;
  const deviceSignInForm = formOf('/oauth/device-sign-in', await browser.get(deviceUrl));
  const consentsSignInUrl = `${authUrl}/oauth/consents-sign-in`;
  const consentsSignInForm = formOf('/oauth/consents-sign-in', await browser.get(consentsSignInUrl));
  const [username, password] = plainUser;
  await browser.submit(signInPage, authorize(clients.app), { username, password });
  const consentUrl = authorize(clients.asker, { scope: 'openid profile' });
  const consentPage = await browser.get(consentUrl);
  const consentForm = formOf('/oauth/consent', consentPage);
  await browser.submit(consentPage, consentUrl, { decision: 'allow' });
  const deviceForm = formOf('/oauth/device', await browser.get(deviceUrl));
  const consentsForm = formOf('/oauth/consents', await browser.get(`${authUrl}/oauth/consents`));
  const logoutForm = formOf('/oauth/logout', await browser.get(`${authUrl}/oauth/logout`));
  return [signInForm, deviceSignInForm, consentsSignInForm, consentForm, deviceForm, consentsForm, logoutForm];
}
