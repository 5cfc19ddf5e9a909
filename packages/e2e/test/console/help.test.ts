import { call } from '@gatehouse/test-kit';
import { expect, test } from '@jest/globals';
import { describeWithChromium } from '../support/chromium.ts';
import { useConsole } from '../support/console.ts';
import { administrator } from '../support/people.ts';

interface Interface {
  paths: Record<string, Record<string, { tags?: string[] }>>;
}

describeWithChromium('the documentation of a screen', () => {
  const world = useConsole();

  test('is a link of each place, to a part that the reference has', async () => {
    const { page, show, settle } = await world.open(administrator);
    await settle();
    const places = await page
      .getByRole('navigation', { name: 'Places' })
      .getByRole('link')
      .evaluateAll((all) => all.map((each) => (each.getAttribute('href') ?? '').replace('/console', '')));
    expect(places).toHaveLength(12);
    const found: string[] = [];
    for (const path of places) {
      await show(path || '/');
      const link = page.getByRole('link', { name: 'Documentation of this page' });
      const [url = '', tag = ''] = ((await link.getAttribute('href')) ?? '').split('/docs#/');
      expect(await link.getAttribute('rel')).toBe('noopener');
      const { paths } = (await call(`${url}/openapi.json`)).json<Interface>();
      const tags = Object.values(paths).flatMap((path) =>
        Object.values(path).flatMap((operation) => operation.tags ?? []),
      );
      expect([path, tags]).toEqual([path, expect.arrayContaining([tag])]);
      found.push(tag);
    }
    expect(new Set(found).size).toBeGreaterThan(10);
    await show('/clients/gatehouse-console/settings');
    const href = await page.getByRole('link', { name: 'Documentation of this page' }).getAttribute('href');
    expect(href).toBe(`${world.gatehouse.authUrl}/docs#/clients`);
  });
});
