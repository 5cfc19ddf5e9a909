import { readdirSync, statSync } from 'node:fs';
import { repositoryRoot } from '@gatehouse/test-kit';
import { describe, expect, test } from '@jest/globals';
import { describeWithChromium } from '../support/chromium.ts';
import { useConsole } from '../support/console.ts';
import { administrator } from '../support/people.ts';

/** Bytes, as they are sent. */
const budgets = { firstLoad: 60_000, file: 45_000, console: 200_000 };

describeWithChromium('the first load of the console', () => {
  const world = useConsole();

  test('takes no more than its budget until the list of applications is there', async () => {
    const { page, goto } = await world.open(administrator);
    await page.getByRole('table').waitFor();
    const client = await page.context().newCDPSession(page);
    await client.send('Network.clearBrowserCache');
    const files: [path: string, bytes: number][] = [];
    page.on('requestfinished', async (request) => {
      const { pathname } = new URL(request.url());
      if (!pathname.startsWith('/console')) return;
      files.push([pathname, (await request.sizes()).responseBodySize]);
      expect([pathname, (await request.response())?.status()]).toEqual([pathname, 200]);
    });
    await goto('/clients');
    await page.getByRole('table').waitFor();
    const names = files.map(([path]) => path);
    expect(names).toContain('/console/start.js');
    expect(names.filter((path) => path.startsWith('/console/assets/')).length).toBeGreaterThan(5);
    expect(files.filter(([, bytes]) => bytes > budgets.file)).toEqual([]);
    // A file that the browser has already counts as less than nothing there.
    const sum = files.reduce((total, [, bytes]) => total + Math.max(0, bytes), 0);
    expect(sum).toBeGreaterThan(20_000);
    expect(sum).toBeLessThanOrEqual(budgets.firstLoad);
  });
});

describe('the files of the console', () => {
  test('take no more than their budget', () => {
    const folder = `${repositoryRoot}/packages/console/dist/assets`;
    const sizes = readdirSync(folder)
      .filter((name) => name.endsWith('.br'))
      .map((name) => statSync(`${folder}/${name}`).size);
    expect(sizes.length).toBeGreaterThan(10);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(budgets.file);
    expect(sizes.reduce((total, size) => total + size, 0)).toBeLessThanOrEqual(budgets.console);
  });
});
