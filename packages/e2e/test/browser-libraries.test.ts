import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { findFreePort, type Gatehouse, quickestDialect, repositoryRoot, useSharedGatehouse } from '@gatehouse/test-kit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { registerPublic, registerWith } from './journeys/support/registration.ts';
import { describeWithChromium, launchChromium, startVisit, submitSignIn, type Visit } from './support/chromium.ts';
import { passwordKind, registerClient } from './support/clients.ts';
import { type LibraryPages, startLibraryPages } from './support/library-pages.ts';
import { plainUser } from './support/people.ts';
import { getUserTokens, readClaims } from './support/tokens.ts';
import { userDetailsUrl } from './support/users.ts';

describeWithChromium('libraries of others, unmodified, with a person at the browser', () => {
  let gatehouse: Gatehouse;
  let pages: LibraryPages;
  let browser: Browser;
  let subject: unknown;
  let token: string;
  const visits: Visit[] = [];

  beforeAll(async () => {
    [gatehouse, pages, browser] = await Promise.all([
      useSharedGatehouse(quickestDialect),
      startLibraryPages(),
      launchChromium(),
    ]);
    const app = await registerClient(gatehouse, passwordKind());
    token = (await getUserTokens(gatehouse, app)).access_token;
    subject = readClaims(token).sub;
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), pages?.stop(), gatehouse?.stop()]);
  });
  afterEach(async () => {
    await Promise.all(visits.splice(0).map((visit) => visit.close()));
  });

  async function startVisiting(origin: string): Promise<Visit> {
    const visit = await startVisit(browser, { origins: [gatehouse.authUrl, gatehouse.baseUrl, origin] });
    visits.push(visit);
    return visit;
  }
  /** What a page wrote, once it did. */
  async function readOutput(page: Page): Promise<Record<string, unknown>> {
    const output = page.locator('output:not(:empty)');
    await output.waitFor();
    return JSON.parse((await output.textContent()) ?? '');
  }
  const registerPage = (path: string, metadata: Record<string, unknown> = {}) =>
    registerPublic(gatehouse, {
      ...metadata,
      redirect_uri: `${pages.origin}${path}`,
      post_logout_redirect_uris: [`${pages.origin}/bye`],
    });
  const ofAuthJs = (hasName: boolean) => ({
    user: hasName ? expect.objectContaining({ name: 'Ursula User', email: plainUser[0] }) : {},
    expires: expect.any(String),
  });
  const ofPassport = (hasName: boolean) =>
    hasName
      ? expect.objectContaining({ id: subject, displayName: 'Ursula User', emails: [{ value: plainUser[0] }] })
      : { id: subject };
  const detailsUrl = () => userDetailsUrl(gatehouse, plainUser[0]);

  test('keycloak-js signs in, reads userinfo, refreshes and signs out', async () => {
    const { page, findProblems } = await startVisiting(pages.origin);
    pages.settings = { authority: gatehouse.authUrl, clientId: await registerPage('/keycloak') };
    await page.goto(`${pages.origin}/keycloak`);
    await submitSignIn(page);
    expect(await readOutput(page)).toEqual({ subject, email: plainUser[0], isRefreshed: true });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Bye' }).waitFor();
    expect(findProblems()).toEqual([]);
    await page.goto(`${pages.origin}/keycloak`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  test.each([
    ['bearer tokens', false],
    ['tokens that are bound to a key of the page', true],
  ])('oidc-client-ts signs in, refreshes, reads user details and revokes, with %s', async (_what, isBound) => {
    const { page } = await startVisiting(pages.origin);
    const clientId = await registerPage('/oidc-client-ts', { id_token_scope_claims: isBound });
    pages.settings = { authority: gatehouse.authUrl, clientId, isBound, userDetails: detailsUrl() };
    await page.goto(`${pages.origin}/oidc-client-ts`);
    await submitSignIn(page);
    expect(await readOutput(page)).toEqual({
      subject,
      email: plainUser[0],
      type: isBound ? 'DPoP' : 'Bearer',
      isRefreshed: true,
      ...{ details: 200, username: plainUser[0] },
    });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Bye' }).waitFor();
  });

  test('a plain page reads user details by fetch, and why it may not; administration is closed to it', async () => {
    const { page } = await startVisiting(pages.origin);
    const administration = `${gatehouse.baseUrl}/organization/api/organization/user`;
    pages.settings = { token, userDetails: detailsUrl(), administration };
    await page.goto(`${pages.origin}/plain`);
    expect(await readOutput(page)).toEqual({
      own: [200, plainUser[0]],
      refused: [401, expect.stringContaining('error="invalid_token"')],
      // The details of everybody are for pages of every origin, so not with credentials.
      withCredentials: 'TypeError',
      administration: 'TypeError',
    });
  });

  // Where the library finds name and e-mail address: docs/guides/no-name-or-email.md says so of each.
  describe.each([
    ['auth-js', 'the ID token'],
    ['auth-js', 'userinfo'],
    ['auth-js', 'nothing'],
    ['passport', 'the ID token'],
    ['passport', 'userinfo'],
    ['passport', 'nothing'],
  ])('%s on a server, with %s to tell it of the person', (name, source) => {
    let program: ChildProcess;
    let origin: string;

    beforeAll(async () => {
      const port = await findFreePort();
      origin = `http://127.0.0.1:${port}`;
      const callbackPath = name === 'auth-js' ? '/auth/callback/gatehouse' : '/callback';
      const [clientId, secret] = await registerWith(gatehouse, {
        redirect_uri: origin + callbackPath,
        authorized_grant_types: ['authorization_code'],
        id_token_scope_claims: source === 'the ID token',
      });
      const env = {
        ...{ PATH: process.env.PATH, ISSUER: gatehouse.authUrl, PORT: String(port) },
        ...{ CLIENT_ID: clientId, CLIENT_SECRET: secret },
        ...(source === 'userinfo' ? { ASKS_USERINFO: 'true' } : {}),
      };
      const file = join(repositoryRoot, 'packages/e2e/programs', `${name}.mjs`);
      program = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      const [line] = await once(program.stdout ?? program, 'data');
      expect(String(line)).toMatch(/^listening at /);
    });
    afterAll(async () => {
      program.kill('SIGTERM');
      if (program.exitCode === null) await once(program, 'exit');
    });

    test(`signs a person in and knows ${source === 'nothing' ? 'no ' : ''}name and e-mail address`, async () => {
      const { page } = await startVisiting(origin);
      await page.goto(origin + (name === 'auth-js' ? '/auth/signin' : '/sign-in'));
      if (name === 'auth-js') await page.getByRole('button', { name: 'Sign in with Gatehouse' }).click();
      await submitSignIn(page);
      await page.waitForURL(`${origin}/`);
      const known = JSON.parse(await page.locator('body').innerText());
      expect(known).toEqual(name === 'auth-js' ? ofAuthJs(source !== 'nothing') : ofPassport(source !== 'nothing'));
    });
  });
});
