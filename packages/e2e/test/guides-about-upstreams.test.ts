import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { createRelay, type Gatehouse, quickestDialect, startGatehouse } from '@gatehouse/test-kit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { describeWithChromium, launchChromium, submitSignIn } from './support/chromium.ts';
import { startDemoApplication } from './support/demo-application.ts';
import { parseSteps, readGuide } from './support/guide.ts';
import { doSteps } from './support/guide-terminal.ts';
import { plainUser } from './support/people.ts';
import { press } from './support/visits.ts';

describeWithChromium('docs/guides/sign-in-by-another-server.md', () => {
  const guide = readGuide('sign-in-by-another-server.md');
  let here: Gatehouse;
  let there: Gatehouse | undefined;
  let relay: Server;
  let addressThere: string;
  let demo: Awaited<ReturnType<typeof startDemoApplication>>;
  let browser: Browser;

  beforeAll(async () => {
    // Cookies know no ports: the other server has an address of its own.
    const { accept } = createRelay(() => Number(new URL(there?.authUrl ?? '').port));
    relay = createServer(accept).listen(0, '127.0.0.1');
    await once(relay, 'listening');
    addressThere = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
    const env = { AUTH_URL: addressThere };
    [here, there, browser] = await Promise.all([
      startGatehouse({ dialect: quickestDialect }),
      startGatehouse({ dialect: quickestDialect, env: { 'auth-server': env, 'org-api': env } }),
      launchChromium(),
    ]);
    demo = await startDemoApplication(here);
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), demo?.stop()]);
    await Promise.all([here?.stop(), there?.stop()]);
    relay?.close();
  });

  /** Presses a button that the guide names. */
  const pressSaid = async (page: Page, name: string) => {
    expect(guide.replaceAll('\n', ' ')).toContain(`**${name}**`);
    await press(page, name);
  };
  const goThere = async () => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(demo.url);
    await press(page, 'Sign in');
    await pressSaid(page, 'Continue with Partner');
    await page.waitForURL(`${addressThere}/**`);
    await submitSignIn(page, plainUser);
    return page;
  };

  test('its commands run as they stand, and a user of another Gatehouse signs in as it says', async () => {
    const text = guide.replaceAll('http://localhost:9000', here.authUrl);
    const steps = parseSteps(text.replaceAll('https://login.partner.example', addressThere));
    expect(steps.length).toBe(8);
    await doSteps(steps, { folder: '/', env: process.env }, 50_000);

    const first = await goThere();
    await first.waitForURL(`${here.authUrl}/**`);
    await first.getByText(plainUser[0]).first().waitFor();
    await submitSignIn(first, plainUser);
    await pressSaid(first, 'Yes, link it');
    await first.getByRole('heading', { name: /^Hello, / }).waitFor();

    const again = await goThere();
    await again.getByRole('heading', { name: /^Hello, / }).waitFor();
  });
});
