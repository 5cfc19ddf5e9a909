import { type Answer, createTestBrowser } from '@gatehouse/test-kit';
import { callback, type PageForm } from './ingredients.ts';
import { readCookie } from './prepare-people.ts';
import { readForms } from './read-forms.ts';

/** The pages for signing in, for allowing, for devices, for taking back and for signing out. */
export async function openForms(
  authUrl: string,
  clients: { app: string; asker: string },
  { user, code }: { user: [string, string]; code: string },
): Promise<PageForm[]> {
  const browser = createTestBrowser();
  const authorize = (client_id: string, more: Record<string, string> = {}) =>
    `${authUrl}/oauth/authorize?${new URLSearchParams({ response_type: 'code', client_id, redirect_uri: callback, ...more })}`;
  const formOf = (path: string, page: Answer): PageForm => {
    const form = readForms(page.text, path, readCookie(browser)).find((each) => each.path === path);
    if (form === undefined) throw new Error(`no form for ${path}: ${page.status} ${page.text}`);
    return form;
  };
  const signInPage = await browser.get(authorize(clients.app));
  const signInForm = formOf('/oauth/sign-in', signInPage);
  const deviceUrl = `${authUrl}/oauth/device?user_code=${code}`;
  const deviceSignInForm = formOf('/oauth/device-sign-in', await browser.get(deviceUrl));
  const consentsSignInUrl = `${authUrl}/oauth/consents-sign-in`;
  const consentsSignInForm = formOf('/oauth/consents-sign-in', await browser.get(consentsSignInUrl));
  const [username, password] = user;
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
