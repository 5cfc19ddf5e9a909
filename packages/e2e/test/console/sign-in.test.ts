import { expect, test } from '@jest/globals';
import type { Page, Request } from 'playwright-core';
import { describeWithChromium, submitSignIn } from '../support/chromium.ts';
import { field, openUserMenu, useConsole } from '../support/console.ts';
import { administrator, plainUser } from '../support/people.ts';
import { isSeen, press } from '../support/visits.ts';

const isTokenRequest = (request: Request) => new URL(request.url()).pathname === '/oauth/token';

/** Everything that the browser keeps for the origin of a page, as one text. */
async function readKept(page: Page): Promise<string> {
  const state = await page.context().storageState({ indexedDB: true });
  const ofPage = await page.evaluate(async () => [
    { ...sessionStorage },
    document.cookie,
    await indexedDB.databases(),
    await caches.keys(),
    (await navigator.serviceWorker.getRegistrations()).length,
  ]);
  return JSON.stringify([state, ofPage]);
}

describeWithChromium('the sign-in of the console', () => {
  const world = useConsole();
  const urlOf = (path: string) => `${world.gatehouse.authUrl}/console${path}`;

  test('leads to the overview', async () => {
    const { page } = await world.open(administrator);
    await isSeen(page, 'Overview');
    expect(page.url()).toBe(urlOf(''));
    expect(await page.title()).toMatch(/^Overview · /);
  });

  test('takes one request for tokens on the way to a list', async () => {
    const { page, requests } = await world.open(administrator, '/clients');
    await isSeen(page, 'Applications');
    expect(page.url()).toBe(urlOf('/clients'));
    expect(await page.title()).toMatch(/^Applications · /);
    await page.getByRole('table').waitFor();
    const calls = requests.filter((request) => !request.url().endsWith('/settings.json'));
    const answered = calls.map(async (request) => {
      const { pathname } = new URL(request.url());
      return `${request.method()} ${pathname} ${(await request.response())?.status()}`;
    });
    expect(await Promise.all(answered)).toEqual(['POST /oauth/token 200', 'GET /clients 200']);
  });

  test('keeps the address, with its query, and a reload signs in from the session', async () => {
    const path = '/clients?search=nothing+of+it&enabled=true&sort=-updated_at';
    const { page } = await world.open(administrator, path);
    const search = page.getByRole('searchbox', { name: 'Search name' });
    for (const again of [false, true]) {
      if (again) await page.reload();
      await page.getByText('Nothing fits').waitFor();
      expect(page.url()).toBe(urlOf(path));
      expect(await search.inputValue()).toBe('nothing of it');
      expect(await page.getByLabel('Enabled').inputValue()).toBe('true');
    }
    await page.getByLabel('Enabled').selectOption('false');
    await page.waitForURL((url) => url.searchParams.get('enabled') === 'false');
    await page.goBack();
    await page.waitForURL(urlOf(path));
  });

  test('leaves no token in anything that the browser keeps', async () => {
    const { page, requests, goto } = await world.open(administrator, '/clients');
    await isSeen(page, 'Applications');
    const [request] = requests.filter(isTokenRequest);
    const tokens = (await (await request?.response())?.json()) as Record<string, string>;
    await goto('/clients/new');
    await page.getByLabel('Web application').check();
    await field(page, 'client_name').fill('A name that is kept');
    const kept = await readKept(page);
    expect(kept).toContain('A name that is kept');
    for (const name of ['access_token', 'refresh_token', 'id_token']) {
      expect(tokens[name]).toMatch(/.{20}/);
      expect([name, kept.includes(tokens[name] ?? '')]).toEqual([name, false]);
    }
    const secrets = JSON.stringify([requests.filter(isTokenRequest).map((each) => each.postData()), kept]);
    const [, verifier] = /code_verifier=([\w-]+)/.exec(secrets) ?? [];
    expect(verifier).toMatch(/.{40}/);
    expect(kept).not.toContain(verifier);
    // Nothing in localStorage and IndexedDB; no cookie that a script reads, no cache, no service worker.
    expect(kept).toContain('"origins":[]');
    expect(kept).toMatch(/"",\[\],\[\],0\]\]$/);
  });

  test('ends with the session by "Sign out", which takes what was typed with it', async () => {
    const person = await world.makePerson('IdpAdministrator');
    const { page, goto } = await world.open(person, '/clients/new');
    await page.getByLabel('Machine').check();
    await field(page, 'client_name').fill('A name that is kept');
    // What would be lost is asked for first.
    page.once('dialog', (dialog) => dialog.dismiss());
    await press(await openUserMenu(page), 'Sign out');
    expect(await field(page, 'client_name').inputValue()).toBe('A name that is kept');
    page.once('dialog', (dialog) => dialog.accept());
    await press(await openUserMenu(page), 'Sign out');
    await page.getByLabel('Password').waitFor();
    expect(await readKept(page)).not.toContain('A name that is kept');
    const { sessions } = (await world.askAuthServer(`/sessions?user=${person[0]}`)).json<{ sessions: unknown[] }>();
    expect(sessions).toEqual([]);
    await goto('/clients/new');
    await submitSignIn(page, person);
    await isSeen(page, 'Register an application');
    expect(await page.getByLabel('Machine').isChecked()).toBe(false);
  });

  test('says to a user without a role who is signed in, and lets another one sign in', async () => {
    const { page, requests } = await world.open(plainUser, '/users');
    await isSeen(page, 'You are signed in, without a role');
    expect(await page.getByRole('navigation', { name: 'Places' }).getByRole('link').count()).toBe(0);
    const menu = await openUserMenu(page);
    await menu.getByText(plainUser[0]).waitFor();
    await menu.getByText('No role', { exact: true }).waitFor();
    expect(requests.filter((request) => !/settings\.json$|\/oauth\/token$/.test(request.url()))).toEqual([]);
    await page.getByRole('main').getByRole('button', { name: 'Sign in as another user' }).click();
    await submitSignIn(page, administrator);
    await isSeen(page, 'Overview');
  });

  test('says why it failed, and tries again', async () => {
    const { page, goto } = await world.openStranger();
    await goto('');
    await press(page, 'Cancel');
    await isSeen(page, 'You could not be signed in');
    await page.getByText('the user cancelled the sign-in').waitFor();
    await press(page, 'Sign in again');
    await submitSignIn(page, administrator);
    await isSeen(page, 'Overview');
  });
});
