import { accessSync, constants } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from '@jest/globals';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { plainUser } from './people.ts';

/** A name of this machine in the browser alone, which it does not trust as it trusts localhost. */
export const plainHost = 'gatehouse.test';

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

/** As `describe`; where Chromium is missing a CI run fails, and any other says so and skips. */
export const describeWithChromium: typeof describe.skip = isExecutable(executablePath) ? describe : handleMissing();

function handleMissing(): typeof describe.skip {
  const text = `Chromium is missing: there is no ${executablePath}. Install it, or name it by CHROMIUM_PATH.`;
  if (process.env.CI) throw new Error(`${text} The browser tests must not be skipped here.`);
  process.stderr.write(`${text} The browser tests are skipped.\n`);
  return describe.skip;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-sync',
      '--disable-quic',
      '--no-first-run',
      '--disable-component-update',
      `--host-resolver-rules=MAP ${plainHost} 127.0.0.1`,
    ],
  });
}

/** A browser profile of its own with one page, under watch. */
export interface Visit {
  page: Page;
  /** What went wrong on any page so far: console errors and warnings, script errors, requests to a foreign origin. */
  findProblems(): string[];
  close(): Promise<void>;
}

export async function startVisit(
  browser: Browser,
  { origins, ...options }: BrowserContextOptions & { origins: string[] },
): Promise<Visit> {
  const context = await browser.newContext(options);
  const problems: { text: string; url: string }[] = [];
  const refusals = new Set<string>();
  context.on('console', (message) => {
    if (!['error', 'warning', 'assert'].includes(message.type())) return;
    problems.push({ text: message.text(), url: message.location().url });
  });
  context.on('weberror', (error) => void problems.push({ text: error.error().message, url: '' }));
  context.on('request', (request) => {
    const url = request.url();
    if (/^https?:/.test(url) && !origins.includes(new URL(url).origin)) problems.push({ text: 'foreign request', url });
  });
  context.on('response', (response) => {
    if (response.status() >= 400 && response.request().isNavigationRequest()) refusals.add(response.url());
  });
  // Chromium writes an error for each page whose status is 4xx: meant, and no fault of the page.
  const isMeant = ({ text, url }: { text: string; url: string }) =>
    /^Failed to load resource: the server responded with a status of 4/.test(text) && refusals.has(url);
  return {
    page: await context.newPage(),
    findProblems: () => problems.filter((problem) => !isMeant(problem)).map(({ text, url }) => `${text} (${url})`),
    close: () => context.close(),
  };
}

/** Fills in the sign-in page that is open, and sends it. */
export async function submitSignIn(page: Page, [username, password] = plainUser): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Saves a picture of the whole page into the folder that `GATEHOUSE_SCREENSHOTS` names, if it does. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.GATEHOUSE_SCREENSHOTS;
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
