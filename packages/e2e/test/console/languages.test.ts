import { expect, test } from '@jest/globals';
import { describeWithChromium } from '../support/chromium.ts';
import { useConsole } from '../support/console.ts';
import { measureSidewaysScroll } from '../support/page-measures.ts';
import { administrator } from '../support/people.ts';

/** Each with the heading of the list of applications, and a finding of the overview. */
const headings = [
  ['en-GB', 'en', 'Applications', 'demo users can sign in, by passwords that everybody knows'],
  ['de-AT', 'de', 'Anwendungen', 'Demo-Benutzer mit Passwörtern, die jeder kennt: 3'],
  ['fr', 'fr', 'Applications', 'Utilisateurs de démonstration dont tout le monde connaît le mot de passe\u00a0: 3'],
  ['es-MX', 'es', 'Aplicaciones', 'Usuarios de demostración con contraseñas que todos conocen: 3'],
  ['pt-BR', 'pt', 'Aplicativos', 'Usuários de demonstração com senhas que todos conhecem: 3'],
  ['it', 'it', 'Applicazioni', 'Utenti dimostrativi con password note a tutti: 3'],
  ['nl', 'nl', 'Toepassingen', 'Demogebruikers met wachtwoorden die iedereen kent: 3'],
  ['pl', 'pl', 'Aplikacje', 'Użytkownicy demonstracyjni z hasłami, które każdy zna: 3'],
  ['ja', 'ja', 'アプリケーション', '誰もが知るパスワードのデモユーザー：3'],
  ['zh-CN', 'zh', '应用', '使用众所周知密码的演示用户：3'],
  ['sv', 'en', 'Applications', 'demo users can sign in, by passwords that everybody knows'],
] as const;

describeWithChromium('the languages of the console', () => {
  const world = useConsole();

  test.each(headings)('are chosen by the browser: %s', async (locale, language, heading, finding) => {
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
    await show('/');
    await page.locator('.findings').waitFor();
    expect(await page.locator('.findings').textContent()).toContain(finding);
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
