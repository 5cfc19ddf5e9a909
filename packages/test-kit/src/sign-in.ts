import { createTestBrowser, type TestBrowser } from './browser-session.ts';
import type { Answer } from './call.ts';

/** Opens an address of auth-server that asks who the user is, and fills in the form; gives the answer to the form. */
export async function signIn(
  url: string,
  fields: Record<string, string>,
  browser: TestBrowser = createTestBrowser(),
): Promise<Answer> {
  const page = await browser.get(url);
  if (!page.text.includes('name="password"')) {
    throw new Error(`no sign-in page: ${page.status} ${page.headers.location} ${page.text}`);
  }
  return browser.submit(page, url, fields);
}
