// npm run docs:pictures: takes the pictures of docs/pictures, of both services and the demo application as they are. It
// needs Chromium, at /usr/bin/chromium or where CHROMIUM_PATH says.
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { findFreePort, startGatehouse } from '@gatehouse/test-kit';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = `${root}docs/pictures`;
const settings = {
  viewport: { width: 1000, height: 640 },
  locale: 'en-GB',
  colorScheme: /** @type {const} */ ('light'),
};

// As npm start shows it.
const env = { 'auth-server': { DISPLAY_NAME: 'Example' }, 'org-api': { DISPLAY_NAME: 'Example' } };
const gatehouse = await startGatehouse({ dialect: 'sqlite', env });
const demoUrl = `http://localhost:${await findFreePort()}`;
const { authUrl, baseUrl } = gatehouse;
const demo = spawn(process.execPath, [`${root}packages/demo/dist/application/main.js`], {
  env: { ...process.env, DEMO_URL: demoUrl, AUTH_URL: authUrl, BASE_URL: baseUrl },
  stdio: 'inherit',
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  await untilAnswers(demoUrl);
  await mkdir(folder, { recursive: true });
  const page = await browser.newPage(settings);
  await page.goto(demoUrl);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByLabel('Username').fill('user@example.com');
  await page.getByLabel('Password').fill('user-password');
  await page.screenshot({ path: `${folder}/sign-in.png` });
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Hello, Ursula User' }).waitFor();
  await page.screenshot({ path: `${folder}/demo-application.png` });
  await takeConsole();
} finally {
  await browser.close();
  demo.kill();
  await gatehouse.stop();
}

/** The console as an administrator has it who registered a few clients. */
async function takeConsole() {
  const redirects = { authorized_grant_types: ['authorization_code', 'refresh_token'], scope: ['openid', 'profile'] };
  const clients = [
    { ...redirects, client_id: 'web-shop', client_name: 'Web shop', redirect_uri: 'https://shop.example.com/callback' },
    { ...redirects, client_id: 'forum', client_name: 'Forum', redirect_uri: 'https://forum.example.com/callback' },
    {
      ...{ ...redirects, client_id: 'app', client_name: 'Shop app', redirect_uri: 'com.example.shop:/callback' },
      token_endpoint_auth_method: 'none',
    },
    {
      client_id: 'night-report',
      client_name: 'Night report',
      authorized_grant_types: ['client_credentials'],
      scope: ['roles'],
    },
    {
      ...redirects,
      client_id: 'partner',
      client_name: 'Partner',
      redirect_uri: 'https://partner.example/cb',
      require_consent: true,
    },
  ];
  for (const client of clients) {
    const secret = 'token_endpoint_auth_method' in client ? {} : { client_secret: 'a-secret-that-is-long-enough' };
    const answer = await fetch(`${authUrl}/clients`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa('admin@example.com:admin-password')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ ...client, ...secret }),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }
  const page = await browser.newPage(settings);
  await page.goto(`${authUrl}/console/clients`);
  await page.getByLabel('Username').fill('admin@example.com');
  await page.getByLabel('Password').fill('admin-password');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('link', { name: 'Web shop' }).waitFor();
  await page.screenshot({ path: `${folder}/console.png` });
  await page.getByRole('link', { name: 'Web shop' }).click();
  await page.getByLabel('Name client_name').fill('Example shop');
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('button', { name: 'Save' }).waitFor();
  await page.waitForFunction(() => document.querySelector('dialog .changes') !== null);
  await page.screenshot({ path: `${folder}/console-review.png` });
}

/** @param {string} url */
async function untilAnswers(url) {
  for (let tries = 0; tries < 400; tries += 1) {
    if (await fetch(url).catch(() => undefined)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${url} did not answer in time`);
}
