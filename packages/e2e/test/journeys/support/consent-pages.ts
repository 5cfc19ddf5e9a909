import type { Answer, TestBrowser } from '@gatehouse/test-kit';

/** What the page says of each scope. */
export const meanings = {
  openid: 'confirm who you are',
  profile: 'see your profile: names, picture, web pages, gender, date of birth, language and time zone',
  email: 'see your e-mail address',
  phone: 'see your phone number',
  address: 'see your postal address',
  roles: 'see your roles in the organization, and act with them',
};

/** The sentences of the page, those on demand too, as its reader sees them. */
export function readItems(page: Answer): string[] {
  return [...page.text.matchAll(/<li>([^<]*)<\/li>/g)].map(([, item = '']) => item);
}

/** The name each form on a page gives, by the hidden field of that name. */
export function readHidden(page: Answer, name: string): string[] {
  const fields = page.text.matchAll(new RegExp(`<input type="hidden" name="${name}" value="([^"]*)">`, 'g'));
  return [...fields].map(([, value = '']) => value);
}

/** Presses one of the two buttons of the consent page. */
export function decide(browser: TestBrowser, page: Answer, url: string, decision: 'allow' | 'deny'): Promise<Answer> {
  return browser.submit(page, url, { decision });
}
