import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, repositoryRoot } from '@gatehouse/test-kit';
import { expect, test } from '@jest/globals';
import { describeWithChromium, launchChromium } from './support/chromium.ts';
import { waitFor } from './support/wait.ts';

describeWithChromium('npm run dev', () => {
  test('restarts a service whose bundle changes, and an open page reloads', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-dev-'));
    const [authPort, basePort, demoPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
    const authUrl = `http://localhost:${authPort}`;
    const env = {
      ...{ PATH: process.env.PATH, AUTH_URL: authUrl },
      ...{ BASE_URL: `http://localhost:${basePort}`, DEMO_URL: `http://localhost:${demoPort}` },
    };
    const command = [join(repositoryRoot, 'packages/demo/dev.mjs'), '--built'];
    const dev = spawn(process.execPath, command, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(dev, 'close');
    const browser = await launchChromium();
    try {
      let output = '';
      for (const stream of [dev.stdout, dev.stderr])
        stream.on('data', (chunk: Buffer) => {
          output += chunk;
        });
      const isReady = await waitFor(async () => output.includes('Gatehouse is ready.'), Boolean, 30_000);
      expect([isReady, output]).toEqual([true, expect.any(String)]);

      const page = await browser.newPage();
      const faults: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') faults.push(message.text());
      });
      await page.goto(authUrl);
      await page.evaluate(() => Object.assign(globalThis, { isOld: true }));
      expect(faults).toEqual([]);

      const now = new Date();
      await utimes(join(repositoryRoot, 'apps/auth-server/.dev/main.js'), now, now);
      await page.waitForFunction(() => !('isOld' in globalThis));
      expect(await page.locator('h1').count()).toBe(1);
    } finally {
      await browser.close();
      dev.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    }
  });
});
