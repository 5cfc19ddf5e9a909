import { type Gatehouse, quickestDialect, showCode, showEarlierCode, startGatehouse } from '@gatehouse/test-kit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import jsqr from 'jsqr';
import type { Browser, Page } from 'playwright-core';
import { buildAuthorizeUrl, createPkce } from '../support/authorization.ts';
import { describeWithChromium, launchChromium, submitSignIn } from '../support/chromium.ts';
import { type ClientApp, startClientApp } from '../support/client-app.ts';
import { passwordKind, registerClient } from '../support/clients.ts';
import { getAdministratorToken } from '../support/tokens.ts';
import { uniqueName } from '../support/unique.ts';
import { createUserAdministration } from '../support/users.ts';
import { useVisits } from '../support/visits.ts';
import { registerWith } from './support/registration.ts';

const mfa = 'urn:gatehouse:acr:mfa';

/** Reads the picture on a page as the camera of a code app does. */
async function readPicture(browser: Browser, page: Page): Promise<string | undefined> {
  const picture = (await page.getByRole('img', { name: 'QR code with the key' }).screenshot()).toString('base64');
  // A page without a policy turns the file into pixels.
  const reader = await browser.newPage();
  const { data, width, height } = await reader.evaluate(async (source) => {
    const image = new Image();
    image.src = source;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.width, image.height];
    const context = canvas.getContext('2d') as CanvasRenderingContext2D;
    context.drawImage(image, 0, 0);
    const pixels = context.getImageData(0, 0, image.width, image.height);
    return { data: [...pixels.data], width: image.width, height: image.height };
  }, `data:image/png;base64,${picture}`);
  await reader.close();
  return jsqr.default(Uint8ClampedArray.from(data), width, height)?.data;
}

describeWithChromium('a code app in a browser', () => {
  let gatehouse: Gatehouse;
  let browser: Browser;
  let app: ClientApp;
  let clientId: string;

  beforeAll(async () => {
    [gatehouse, app, browser] = await Promise.all([
      startGatehouse({ dialect: quickestDialect, env: { 'auth-server': { DISPLAY_NAME: 'Café & Söhne' } } }),
      startClientApp(),
      launchChromium(),
    ]);
    [clientId] = await registerWith(gatehouse, { redirect_uri: app.redirectUri, scope: ['openid'] });
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), app?.stop(), gatehouse?.stop()]);
  });

  const open = useVisits(() => ({ browser, origins: [gatehouse.authUrl, gatehouse.baseUrl, app.origin] }));
  async function openPage(colorScheme: 'light' | 'dark', parameters: Record<string, string> = {}): Promise<Page> {
    const page = await open({ colorScheme, viewport: { width: 390, height: 800 } });
    const usual = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: app.redirectUri,
      scope: 'openid',
      state: 's',
    };
    const proof = { code_challenge: createPkce().challenge, code_challenge_method: 'S256' };
    await page.goto(buildAuthorizeUrl(gatehouse, { ...usual, ...proof, ...parameters }));
    return page;
  }

  test.each(['light', 'dark'] as const)(
    'is set up by its camera, on a %s page; then its codes, and once a recovery code, sign in',
    async (colorScheme) => {
      const user: [string, string] = [`${uniqueName('user')}@example.com`, 'the-password-of-a-user'];
      const token = await getAdministratorToken(gatehouse, await registerClient(gatehouse, passwordKind()));
      const [username, password] = user;
      await createUserAdministration(gatehouse, token).create({ username, password, userType: 'Person' });

      const page = await openPage(colorScheme, { acr_values: mfa });
      await submitSignIn(page, user);
      const uri = new URL((await readPicture(browser, page)) ?? '');
      const secret = uri.searchParams.get('secret') ?? '';
      expect(`${uri.protocol}//${uri.host}${decodeURIComponent(uri.pathname)}`).toBe(
        `otpauth://totp/Café & Söhne:${username}`,
      );
      expect(uri.searchParams.get('issuer')).toBe('Café & Söhne');
      expect(await page.getByRole('definition').textContent()).toBe(secret.match(/.{4}/g)?.join(' '));
      await page.getByLabel('Six digits that the app shows').fill(await showEarlierCode(secret));
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('heading', { name: 'Keep your recovery codes' }).waitFor();
      const [recoveryCode = ''] = await page.getByRole('listitem').allTextContents();
      await page.getByRole('button', { name: 'I have kept them' }).click();
      await page.waitForURL(`${app.redirectUri}?code=*`);

      for (const code of [showCode(secret), recoveryCode]) {
        const again = await openPage(colorScheme);
        await submitSignIn(again, user);
        await again.getByLabel('Code').fill(code);
        await again.getByRole('button', { name: 'Continue' }).click();
        await again.waitForURL(`${app.redirectUri}?code=*`);
      }
    },
  );
});
