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
} finally {
  await browser.close();
  demo.kill();
  await gatehouse.stop();
}

/** @param {string} url */
async function untilAnswers(url) {
  for (let tries = 0; tries < 400; tries += 1) {
    if (await fetch(url).catch(() => undefined)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${url} did not answer in time`);
}
