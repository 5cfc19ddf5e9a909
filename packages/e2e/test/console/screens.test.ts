import { call } from '@gatehouse/test-kit';
import { beforeAll, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Request } from 'playwright-core';
import { findViolations } from '../support/axe.ts';
import { describeWithChromium, takeScreenshot } from '../support/chromium.ts';
import { type ConsolePage, useConsole } from '../support/console.ts';
import { awaitNumbers, listScreens, makeShown, type Screen, type Shown } from '../support/console-screens.ts';
import { measureSidewaysScroll } from '../support/page-measures.ts';
import { isSeen, press } from '../support/visits.ts';

const looks = {
  light: { colorScheme: 'light', forcedColors: 'none' },
  dark: { colorScheme: 'dark', forcedColors: 'none' },
  forced: { colorScheme: 'light', forcedColors: 'active' },
} as const;
const widths = [1280, 320];

/** As much of an OpenAPI document as is read here. */
interface Interface {
  paths: Record<string, Record<string, { parameters?: { in: string; name: string }[] }>>;
}

/** The visits themselves find what breaks the policy of the page, fails in a script, or is asked of another origin. */
describeWithChromium('the screens of the console', () => {
  const world = useConsole();
  let shown: Shown;
  beforeAll(async () => {
    shown = await makeShown(world);
    await awaitNumbers(world);
  });

  async function start(options: BrowserContextOptions = {}): Promise<{ visit: ConsolePage; screens: Screen[] }> {
    const person = await world.makePerson('SystemAdministrator');
    const screens = listScreens(shown, world, person[0]);
    return { visit: await world.open(person, '', options), screens };
  }

  /** What of WCAG 2.2 AA the page breaks in any look, and whether it scrolls sideways. */
  async function findFaults({ page }: ConsolePage, name: string, width: number): Promise<string[]> {
    const faults: string[] = [];
    // A link that the bar on top hides in part is smaller by that.
    await page.evaluate(() => scrollTo(0, 0));
    for (const [look, media] of Object.entries(looks)) {
      await page.emulateMedia(media);
      const found = await findViolations(page, { colours: look !== 'light' });
      faults.push(...found.map((violation) => `${name}, ${look}: ${violation}`));
      await takeScreenshot(page, `console-${name.replaceAll(/[ ,]+/g, '-')}-${look}-${width}`);
    }
    await page.emulateMedia(looks.light);
    const beyond = await measureSidewaysScroll(page);
    return beyond === 0 ? faults : [...faults, `${name}: ${beyond} px to scroll sideways`];
  }

  test.each(widths)(
    'are good by WCAG 2.2 AA in every look, and do not scroll sideways, %i pixels wide',
    async (width) => {
      const options = { viewport: { width, height: 800 }, reducedMotion: 'reduce' } as const;
      const faults: string[] = [];
      const { visit, screens } = await start(options);
      for (const [name, go] of screens) {
        await go(visit);
        faults.push(...(await findFaults(visit, name, width)));
      }
      const other = await world.open(await world.makePerson(), '', options);
      await isSeen(other.page, 'You are signed in, without a role');
      faults.push(...(await findFaults(other, 'without a role', width)));
      const stranger = await world.openStranger(options);
      await stranger.goto('');
      await press(stranger.page, 'Cancel');
      await isSeen(stranger.page, 'You could not be signed in');
      faults.push(...(await findFaults(stranger, 'sign-in that failed', width)));
      expect(faults).toEqual([]);
    },
    900_000,
  );

  test('send nothing that the interfaces of the services do not have', async () => {
    const { visit, screens } = await start();
    for (const [, go] of screens) await go(visit);
    const { authUrl, baseUrl } = world.gatehouse;
    const documents = await Promise.all(
      [authUrl, baseUrl].map(async (url) =>
        (await call(`${url}/openapi.json`)).json<Interface & Record<string, unknown>>(),
      ),
    );
    const known = new Map([authUrl, baseUrl].map((url, index) => [url, documents[index] as Interface]));
    const calls = visit.requests.filter((request) => !request.url().endsWith('/console/settings.json'));
    const sent = [...new Set(calls.map((request) => describeCall(request, known)))].sort();
    expect(sent.filter((each) => each.includes('unknown'))).toEqual([]);
    expect(sent.length).toBeGreaterThan(20);
  });
});

/** Method, path and query of a request as the interface of its service names them; `unknown` where it does not. */
function describeCall(request: Request, known: ReadonlyMap<string, Interface>): string {
  const { origin, pathname, searchParams } = new URL(request.url());
  const { paths = {} } = known.get(origin) ?? {};
  const [path = `unknown ${pathname}`, methods = {}] =
    Object.entries(paths).find(([template]) =>
      new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
    ) ?? [];
  const operation = methods[request.method().toLowerCase()];
  if (operation === undefined) return `unknown ${request.method()} ${path}`;
  const names = (operation.parameters ?? []).filter((each) => each.in === 'query').map(({ name }) => name);
  const query = [...searchParams.keys()].map((name) => (names.includes(name) ? name : `unknown ${name}`));
  return `${request.method()} ${path} ${query.sort().join(' ')}`;
}
