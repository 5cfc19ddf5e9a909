import type { Dispatcher } from 'undici';
import { type Answer, call } from './call.ts';

/** A browser without a screen: keeps cookies, reads forms, does not follow redirects by itself. */
export interface TestBrowser {
  get(url: string): Promise<Answer>;
  post(url: string, form: Record<string, string>): Promise<Answer>;
  /** Posts the first form of a page, its hidden fields as they are and the given ones filled in. */
  submit(page: Answer, pageUrl: string, fields?: Record<string, string>): Promise<Answer>;
  cookies(): Record<string, string>;
}

/** `dispatcher`: connections of its own, instead of those that all calls share. */
export function createTestBrowser(dispatcher?: Dispatcher): TestBrowser {
  const cookies = new Map<string, string>();
  const send = async (url: string, options: Parameters<typeof call>[1]) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await call(url, {
      ...options,
      headers: cookie === '' ? {} : { cookie },
      ...(dispatcher === undefined ? {} : { dispatcher }),
    });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) keepCookie(cookies, line);
    return answer;
  };
  const post = (url: string, form: Record<string, string>) => send(url, { form });
  return {
    get: (url) => send(url, {}),
    post,
    submit(page, pageUrl, fields = {}) {
      const action = /<form[^>]* action="([^"]*)"/.exec(page.text)?.[1] ?? '';
      return post(new URL(unescapeHtml(action), pageUrl).href, { ...readHiddenFields(page.text), ...fields });
    },
    cookies: () => Object.fromEntries(cookies),
  };
}

function keepCookie(cookies: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split('; ');
  const [name = '', value = ''] = pair.split('=', 2);
  const ended = attributes.some((attribute) => /^(max-age=0|expires=thu, 01 jan 1970)/i.test(attribute));
  if (ended) cookies.delete(name);
  else cookies.set(name, value);
}

/** The hidden fields of the forms of a page. */
export function readHiddenFields(page: string): Record<string, string> {
  const fields = page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  return Object.fromEntries([...fields].map(([, name = '', value = '']) => [name, unescapeHtml(value)]));
}

function unescapeHtml(text: string): string {
  const characters: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (entity) => characters[entity] as string);
}
