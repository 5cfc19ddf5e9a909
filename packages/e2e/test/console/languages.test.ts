import { expect, test } from '@jest/globals';
import { describeWithChromium } from '../support/chromium.ts';
import { useConsole } from '../support/console.ts';
import { measureSidewaysScroll } from '../support/page-measures.ts';
import { administrator } from '../support/people.ts';

/** Each with the heading of the list of applications. */
const headings = [
  ['en-GB', 'en', 'Applications'],
  ['de-AT', 'de', 'Anwendungen'],
  ['fr', 'fr', 'Applications'],
  ['es-MX', 'es', 'Aplicaciones'],
  ['pt-BR', 'pt', 'Aplicativos'],
  ['it', 'it', 'Applicazioni'],
  ['nl', 'nl', 'Toepassingen'],
  ['pl', 'pl', 'Aplikacje'],
  ['ja', 'ja', 'アプリケーション'],
  ['zh-CN', 'zh', '应用'],
  ['sv', 'en', 'Applications'],
] as const;

describeWithChromium('the languages of the console', () => {
  const world = useConsole();

  test.each(headings)('are chosen by the browser: %s', async (locale, language, heading) => {
    const { page, goto, show, settle } = await world.openStranger({ locale, viewport: { width: 320, height: 800 } });
    const [username, password] = administrator;
    await goto('/clients');
    await page.locator('[name=username]').fill(username);
    await page.locator('[name=password]').fill(password);
    await page.keyboard.press('Enter');
    await page.locator('main').waitFor();
    await settle();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(heading);
    expect(await page.locator('html').getAttribute('lang')).toBe(language);
    for (const path of ['/', '/clients', '/clients/new', '/users', '/refusals', '/events']) {
      await show(path);
      await settle();
      for (const width of [1280, 1125, 840, 320]) {
        await page.setViewportSize({ width, height: 800 });
        expect([path, width, await measureSidewaysScroll(page)]).toEqual([path, width, 0]);
      }
    }
  });
});
