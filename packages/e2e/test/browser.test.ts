import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { call, type Gatehouse, quickestDialect, startGatehouse } from '@gatehouse/test-kit';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import {
  describeWithChromium,
  launchChromium,
  plainHost,
  startVisit,
  takeScreenshot,
  type Visit,
} from './support/chromium.ts';
import { type ClientApp, type ClientReturn, startClientApp } from './support/client-app.ts';
import {
  measureLineContrasts,
  measureSidewaysScroll,
  measureTextContrasts,
  readFocus,
} from './support/page-measures.ts';

const username = 'user@example.com';
const password = 'user-password';
const secret = 'secret-of-the-browser-tests';
/** As long as a client_id may be, without a place to break the line. */
const longClientId = 'x'.repeat(255);
const phone = { viewport: { width: 375, height: 667 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

describeWithChromium('in a browser', () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  let gatehouse: Gatehouse;
  let client: ClientApp;
  let browser: Browser;
  const visits: Visit[] = [];

  beforeAll(async () => {
    [gatehouse, client, browser] = await Promise.all([
      startGatehouse({ dialect: quickestDialect, env: { 'auth-server': { DYNAMIC_REGISTRATION: 'open' } } }),
      startClientApp(),
      launchChromium(),
    ]);
    await registerClient('browser-client');
    await registerClient(longClientId);
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), client?.stop(), gatehouse?.stop()]);
  });
  // No page may write to the console, break its own policy or load anything from elsewhere.
  afterEach(async () => {
    const ended = visits.splice(0);
    await Promise.all(ended.map((visit) => visit.close()));
    expect(ended.flatMap((visit) => visit.findProblems())).toEqual([]);
  });

  async function registerClient(clientId: string): Promise<void> {
    const answer = await call(`${gatehouse.authUrl}/clients`, {
      basic: ['admin@example.com', 'admin-password'],
      json: {
        client_id: clientId,
        client_secret: secret,
        scope: ['openid', 'profile'],
        authorized_grant_types: ['authorization_code'],
        redirect_uri: client.redirectUri,
      },
    });
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('created successfully')]);
  }

  /** A page in a browser profile of its own. */
  async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
    const services = [gatehouse.authUrl, gatehouse.baseUrl];
    const origins = [...services, ...services.map((url) => url.replace('localhost', plainHost)), client.origin];
    const visit = await startVisit(browser, { colorScheme: 'light', ...options, origins });
    visits.push(visit);
    return visit.page;
  }

  function buildAuthorization(parameters: Record<string, string> = {}) {
    const state = randomBytes(8).toString('hex');
    const verifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: 'browser-client',
      redirect_uri: client.redirectUri,
      scope: 'openid profile',
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...parameters,
    });
    return { url: `${gatehouse.authUrl}/oauth/authorize?${query}`, state, verifier };
  }

  function findReturn(state: string): ClientReturn | undefined {
    return client.returns.find(({ parameters }) => parameters.state === state);
  }

  function exchange(code: string, verifier: string) {
    return call(`${gatehouse.authUrl}/oauth/token`, {
      basic: ['browser-client', secret],
      form: { grant_type: 'authorization_code', code, redirect_uri: client.redirectUri, code_verifier: verifier },
    });
  }

  async function fillSignIn(page: Page, name = username, word = password): Promise<void> {
    await page.getByLabel('Username').fill(name);
    await page.getByLabel('Password').fill(word);
  }

  async function pressSignIn(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }

  /** Goes through the sign-in page, back to the client. */
  async function signIn(page: Page): Promise<void> {
    await page.goto(buildAuthorization().url);
    await fillSignIn(page);
    await pressSignIn(page);
    await page.waitForURL(`${client.redirectUri}?*`);
  }

  async function isAskedToSignIn(page: Page): Promise<boolean> {
    return (await page.getByLabel('Password').count()) === 1;
  }

  /** Sends a wrong password, and gives the status of the page that answers. */
  async function failSignIn(page: Page): Promise<number> {
    await page.goto(buildAuthorization().url);
    await fillSignIn(page, username, 'wrong-password');
    const [response] = await Promise.all([page.waitForResponse('**/oauth/sign-in'), pressSignIn(page)]);
    await page.getByRole('alert').waitFor();
    return response.status();
  }

  const wrongRedirectUri = () => buildAuthorization({ redirect_uri: `${client.origin}/elsewhere` });

  /** How to get to each page of the authorization server. */
  const ways: [name: string, go: (page: Page) => Promise<unknown>][] = [
    ['sign-in', (page) => page.goto(buildAuthorization().url)],
    ['sign-in-long-name', (page) => page.goto(buildAuthorization({ client_id: longClientId }).url)],
    ['wrong-password', failSignIn],
    ['error', (page) => page.goto(wrongRedirectUri().url)],
    ['sign-out', (page) => signIn(page).then(() => page.goto(`${gatehouse.authUrl}/oauth/logout`))],
    ['signed-out', (page) => page.goto(`${gatehouse.authUrl}/oauth/logout`)],
  ];

  it('signs in and brings a code back to the client', async () => {
    const page = await openPage();
    const { url, state, verifier } = buildAuthorization();
    await page.goto(url);
    expect(await page.getByText('to continue to').textContent()).toBe('to continue to browser-client');
    await fillSignIn(page);
    await pressSignIn(page);
    await page.waitForURL(`${client.redirectUri}?*`);

    const back = findReturn(state);
    expect(back).toEqual({
      method: 'GET',
      parameters: { code: expect.stringMatching(/^[\w-]{20,}$/), state, iss: gatehouse.authUrl },
    });
    const tokens = await exchange(back?.parameters.code ?? '', verifier);
    expect([tokens.status, tokens.json()]).toEqual([
      200,
      expect.objectContaining({ token_type: 'Bearer', access_token: expect.any(String), id_token: expect.any(String) }),
    ]);
  });

  it('keeps its cookies from scripts and from other sites', async () => {
    const page = await openPage();
    await signIn(page);
    const cookies = await page.context().cookies(gatehouse.authUrl);
    expect(cookies.map(({ name }) => name)).toContain('gatehouse-session');
    for (const cookie of cookies) expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax' });
    // Kept when the browser is closed: who signed in here before, and nothing that signs anybody in.
    const kept = cookies.filter(({ expires }) => expires !== -1).map(({ name }) => name);
    expect(kept).toEqual(['gatehouse-known-browser']);
  });

  it('says that the password is wrong, keeps the username, and takes the right one then', async () => {
    const page = await openPage();
    expect(await failSignIn(page)).toBe(400);

    const alarm = page.getByRole('alert');
    const [name, word] = [page.getByLabel('Username'), page.getByLabel('Password')];
    expect(await alarm.textContent()).toBe('The username or the password is not right. Check both and try again.');
    expect(await page.title()).toMatch(/not successful/);
    expect([await name.inputValue(), await word.inputValue()]).toEqual([username, '']);
    expect(await page.content()).not.toContain('wrong-password');
    // The field that has the focus reads the alarm out as its description, since the page came with the alarm in it.
    expect((await readFocus(page)).name).toBe('password');
    const alarmId = await alarm.getAttribute('id');
    expect(alarmId).toBeTruthy();
    for (const field of [name, word]) expect(await field.getAttribute('aria-describedby')).toBe(alarmId);

    await word.fill(password);
    await pressSignIn(page);
    await page.waitForURL(`${client.redirectUri}?code=*`);
  });

  it('answers a username nobody has as it answers a wrong password', async () => {
    const page = await openPage();
    await page.goto(buildAuthorization().url);
    await fillSignIn(page, 'nobody@example.com');
    await pressSignIn(page);
    expect(await page.getByRole('alert').textContent()).toMatch(/^The username or the password is not right/);
    expect(await page.getByLabel('Username').inputValue()).toBe('nobody@example.com');
  });

  it('shows what was typed as text, never as markup', async () => {
    const page = await openPage();
    const typed = '"><img src=x onerror=alert(1)>@example.com';
    await page.goto(buildAuthorization({ login_hint: typed }).url);
    expect(await page.getByLabel('Username').inputValue()).toBe(typed);
    await page.getByLabel('Password').fill('wrong');
    await pressSignIn(page);
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Username').inputValue()).toBe(typed);
    expect(await page.locator('img').count()).toBe(0);
  });

  it('sends nothing while a field is empty', async () => {
    const page = await openPage();
    const { url } = buildAuthorization();
    await page.goto(url);
    await page.getByLabel('Username').fill(username);
    await pressSignIn(page);
    await page.locator('#password:focus').waitFor();
    expect(page.url()).toBe(url);
  });

  it('puts the login_hint into the username field and the focus into the other', async () => {
    const page = await openPage();
    await page.goto(buildAuthorization({ login_hint: username }).url);
    expect(await page.getByLabel('Username').inputValue()).toBe(username);
    expect((await readFocus(page)).name).toBe('password');
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${client.redirectUri}?code=*`);
  });

  it('shows the page again where the form came without its cookie, and takes the sign-in then', async () => {
    const page = await openPage();
    await page.goto(buildAuthorization().url);
    await page.context().clearCookies();
    await fillSignIn(page);
    const [response] = await Promise.all([page.waitForResponse('**/oauth/sign-in'), pressSignIn(page)]);
    expect(response.status()).toBe(403);
    expect(await page.getByRole('alert').textContent()).toContain('This form has expired');
    await fillSignIn(page);
    await pressSignIn(page);
    await page.waitForURL(`${client.redirectUri}?code=*`);
  });

  it('works by keyboard alone, with the focus to be seen at every step', async () => {
    const page = await openPage();
    await page.goto(buildAuthorization().url);
    const steps = [await readFocus(page)];
    await page.keyboard.type(username);
    await page.keyboard.press('Tab');
    steps.push(await readFocus(page));
    await page.keyboard.type(password);
    await page.keyboard.press('Tab');
    steps.push(await readFocus(page));
    await page.keyboard.press('Tab');
    steps.push(await readFocus(page));
    expect(steps.map(({ name }) => name)).toEqual(['username', 'password', 'show-password', 'button']);
    for (const { outlineWidth } of steps) expect(outlineWidth).toBeGreaterThanOrEqual(2);
    await takeScreenshot(page, 'sign-in-keyboard-focus');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${client.redirectUri}?code=*`);
  });

  it('is announced rightly: language, title, one heading, one main part, buttons, fields by their labels', async () => {
    const page = await openPage();
    for (const [name, go] of ways) {
      await page.context().clearCookies();
      await go(page);
      const count = (selector: string) => page.locator(selector).count();
      expect([name, await page.locator('html').getAttribute('lang')]).toEqual([name, 'en']);
      expect([name, await page.title()]).toEqual([name, expect.stringMatching(/\S/)]);
      expect([name, await count('h1'), await count('main')]).toEqual([name, 1, 1]);
      // The sign-in page has three more: to sign in by a passkey, to cancel, and to show the password.
      const isSignIn = /sign-in|wrong/.test(name);
      // An error page has one, to copy the request id.
      const buttons = isSignIn ? 4 : (await count('form')) + (name === 'error' ? 1 : 0);
      expect([name, await page.getByRole('button').count()]).toEqual([name, buttons]);
      expect([name, await page.getByRole('textbox').count()]).toEqual([name, isSignIn ? 2 : 0]);
    }
  });

  it('tells password managers which field is which', async () => {
    const page = await openPage();
    await page.goto(buildAuthorization().url);
    expect(await page.getByLabel('Username').getAttribute('autocomplete')).toBe('username webauthn');
    expect(await page.getByLabel('Password').getAttribute('autocomplete')).toBe('current-password');
    expect(await page.getByLabel('Password').getAttribute('type')).toBe('password');
  });

  it.each(['light', 'dark'] as const)('can be read in the %s scheme', async (colorScheme) => {
    const page = await openPage({ colorScheme });
    for (const [name, go] of ways) {
      await page.context().clearCookies();
      await go(page);
      await takeScreenshot(page, `${name}-desktop-${colorScheme}`);
      const texts = await measureTextContrasts(page);
      expect(texts.length).toBeGreaterThan(3);
      expect([name, texts.filter(({ ratio }) => ratio < 4.5)]).toEqual([name, []]);
      expect([name, (await measureLineContrasts(page)).filter(({ ratio }) => ratio < 3)]).toEqual([name, []]);
    }
  });

  it.each([375, 320])('fits a screen %i pixels wide', async (width) => {
    const page = await openPage({ ...phone, viewport: { width, height: 667 } });
    for (const [name, go] of ways) {
      await page.context().clearCookies();
      await go(page);
      await takeScreenshot(page, `${name}-${width}`);
      expect([name, await measureSidewaysScroll(page)]).toEqual([name, 0]);
      for (const target of await page.locator('button, input:not([type=hidden])').all()) {
        expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(44);
      }
    }
  });

  it('fits a small screen in the dark scheme as well', async () => {
    const page = await openPage({ ...phone, colorScheme: 'dark' });
    await failSignIn(page);
    await takeScreenshot(page, 'wrong-password-375-dark');
    expect(await measureSidewaysScroll(page)).toBe(0);
  });

  it('works without scripts, up to the button of the form_post page', async () => {
    const page = await openPage({ javaScriptEnabled: false });
    expect(await failSignIn(page)).toBe(400);
    const { url, state, verifier } = buildAuthorization({ response_mode: 'form_post' });
    await page.goto(url);
    await fillSignIn(page);
    await pressSignIn(page);
    const button = page.getByRole('button', { name: 'Continue' });
    await button.waitFor();
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    await takeScreenshot(page, 'form-post-without-scripts');
    expect(findReturn(state)).toBeUndefined();

    await button.click();
    await page.waitForURL(client.redirectUri);
    const back = findReturn(state);
    expect(back).toEqual({ method: 'POST', parameters: { code: expect.any(String), state, iss: gatehouse.authUrl } });
    expect((await exchange(back?.parameters.code ?? '', verifier)).status).toBe(200);
  });

  it('signs out without scripts', async () => {
    const page = await openPage({ javaScriptEnabled: false });
    await signIn(page);
    await page.goto(`${gatehouse.authUrl}/oauth/logout`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  });

  it('submits the form_post page by itself where there are scripts', async () => {
    const page = await openPage();
    const { url, state, verifier } = buildAuthorization({ response_mode: 'form_post' });
    await page.goto(url);
    await fillSignIn(page);
    await pressSignIn(page);
    await page.waitForURL(client.redirectUri);
    const back = findReturn(state);
    expect(back).toEqual({ method: 'POST', parameters: { code: expect.any(String), state, iss: gatehouse.authUrl } });
    expect((await exchange(back?.parameters.code ?? '', verifier)).status).toBe(200);
  });

  it('shows a wrong redirect_uri to the user: what to do, a number to report, and no way to the client', async () => {
    const page = await openPage();
    const { url, state } = wrongRedirectUri();
    const response = await page.goto(url);
    expect(response?.status()).toBe(400);
    expect(page.url()).toBe(url);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('This sign-in link does not work');
    expect(await page.getByRole('alert').textContent()).toContain('redirect_uri');
    expect(await page.getByText('Go back to the application and start again').count()).toBe(1);
    const requestId = response?.headers()['x-request-id'] ?? '';
    expect(requestId).not.toBe('');
    expect(await page.getByText('If you report this').textContent()).toContain(requestId);
    expect(await page.locator('form, meta[http-equiv]').count()).toBe(0);
    expect(await page.locator('code').first().textContent()).toBe(`${client.origin}/elsewhere`);
    expect(await page.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
      '/',
    ]);
    expect(findReturn(state)).toBeUndefined();
  });

  it('does not ask again while the session lasts, unless the client says so', async () => {
    const page = await openPage();
    await signIn(page);

    const second = buildAuthorization();
    await page.goto(second.url);
    expect(page.url().startsWith(client.redirectUri)).toBe(true);
    expect(findReturn(second.state)?.parameters.code).toEqual(expect.any(String));

    const third = buildAuthorization({ prompt: 'login' });
    await page.goto(third.url);
    expect(await isAskedToSignIn(page)).toBe(true);
    expect(findReturn(third.state)).toBeUndefined();
    await fillSignIn(page);
    await pressSignIn(page);
    await page.waitForURL(`${client.redirectUri}?*`);
    expect(findReturn(third.state)?.parameters.code).toEqual(expect.any(String));

    // Another profile knows nothing of this session.
    const other = await openPage();
    await other.goto(buildAuthorization().url);
    expect(await isAskedToSignIn(other)).toBe(true);
  });

  it('asks before it signs out, and asks to sign in from then on', async () => {
    const page = await openPage();
    await signIn(page);
    await page.goto(`${gatehouse.authUrl}/oauth/logout`);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Sign out?');
    expect(await page.getByText(`You are signed in as ${username}.`).count()).toBe(1);
    await page.getByRole('link', { name: 'Stay signed in' }).click();
    await page.getByRole('heading', { name: 'Sign-in service' }).waitFor();

    // Only the button ends the session.
    const meanwhile = buildAuthorization();
    await page.goto(meanwhile.url);
    expect(findReturn(meanwhile.state)?.parameters.code).toEqual(expect.any(String));

    await page.goto(`${gatehouse.authUrl}/oauth/logout`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await page.goto(buildAuthorization().url);
    expect(await isAskedToSignIn(page)).toBe(true);
  });

  it('does not offer to sign out a second time on the way back', async () => {
    const page = await openPage();
    await signIn(page);
    await page.goto(`${gatehouse.authUrl}/oauth/logout`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await page.goBack();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('You are signed out');
  });

  it('cannot be framed', async () => {
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      await signIn(page);
      const targets = [
        buildAuthorization({ prompt: 'login' }).url,
        wrongRedirectUri().url,
        `${gatehouse.authUrl}/oauth/logout`,
      ];
      for (const target of targets) {
        await Promise.all([
          page.waitForEvent('console', (message) => message.text().includes('frame-ancestors')),
          page.goto(client.buildFrameUrl(target)),
        ]);
        const [, frame, ...others] = page.frames();
        await frame?.waitForURL('chrome-error://chromewebdata/');
        expect([await frame?.locator('h1, form').filter({ hasText: 'Sign' }).count(), others]).toEqual([0, []]);
      }
    } finally {
      await context.close();
    }
  });

  it('leads to a website that registered itself in a frame, for prompt=none, and else where the user says so', async () => {
    const redirect_uri = 'https://agent.example.com/callback';
    const registered = await call(`${gatehouse.authUrl}/oauth/register`, { json: { redirect_uris: [redirect_uri] } });
    const { client_id } = registered.json<{ client_id: string }>();
    const { url, state } = buildAuthorization({ client_id, redirect_uri, scope: 'openid', prompt: 'none' });
    // Its own context: that website is out of reach, which a visit would call a problem.
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      const [inFrame] = await Promise.all([
        page.waitForRequest((request) => request.url().startsWith(redirect_uri)),
        page.goto(client.buildFrameUrl(url)),
      ]);
      expect(inFrame.frame()).not.toBe(page.mainFrame());
      const answer = Object.fromEntries(new URL(inFrame.url()).searchParams);
      expect(answer).toMatchObject({ error: 'login_required', state, iss: gatehouse.authUrl });

      expect((await page.goto(url))?.status()).toBe(400);
      const way = page.getByRole('link', { name: 'Go on to agent.example.com' });
      const [afterwards] = await Promise.all([
        page.waitForRequest((request) => request.url().startsWith(redirect_uri)),
        way.click(),
      ]);
      expect(Object.fromEntries(new URL(afterwards.url()).searchParams)).toEqual(answer);
    } finally {
      await context.close();
    }
  });

  it.each([
    ['auth-server', 'localhost'],
    ['auth-server', plainHost],
    ['org-api', 'localhost'],
    ['org-api', plainHost],
  ] as const)('shows the documentation of %s at %s', async (service, host) => {
    const page = await openPage({ viewport: { width: 1280, height: 900 } });
    const url = new URL('/docs', service === 'auth-server' ? gatehouse.authUrl : gatehouse.baseUrl);
    url.hostname = host;
    await page.goto(url.href);
    const operations = page.locator('.swagger-ui .opblock');
    // Swagger UI takes seconds of a core to draw all operations.
    await operations.first().waitFor({ timeout: 45_000 });
    expect(await page.locator('.swagger-ui .info .title').textContent()).toContain(` ${version} `);
    expect(await page.title()).toMatch(/^Gatehouse (authorization server|organization API)$/);
    expect(await operations.count()).toBeGreaterThan(2);
    expect(await page.locator('.swagger-ui .errors-wrapper').count()).toBe(0);
    await operations.first().click();
    await page.locator('.swagger-ui .opblock-body').first().waitFor();
    if (host === 'localhost') await takeScreenshot(page, `docs-${service}`);
  });
});
