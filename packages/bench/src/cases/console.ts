import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import type { Lab } from '../lab.ts';
import { untilWordsAreWritten } from '../large/words.ts';
import { median } from '../measurement/statistics.ts';
import type { CaseResult } from '../report/case-result.ts';
import { formatColumns, formatCount } from '../report/table.ts';
import type { BenchCase } from './bench-case.ts';

interface Row {
  what: string;
  unit: 'ms' | 'MB';
  /** The most that it may be. */
  goal: number;
  values: number[];
}

/** Pages of which each shows 50 clients. */
const pagesWalked = 100;

const rows = 'table.list:not([aria-busy=true]) tbody tr';
/** A processor of a quarter of the speed, 10 Mbit/s, and 40 ms until an answer begins. */
const slowProcessor = { rate: 4 };
const slowNetwork = { offline: false, latency: 40, downloadThroughput: 1_250_000, uploadThroughput: 1_250_000 };

/** Measures what an administrator waits for, in Chromium (CHROMIUM_PATH). The list has the clients of the population. */
export const consoleInBrowser: BenchCase = {
  name: 'console',
  title: 'The console in Chromium: its list of clients',
  isExtra: true,
  async run(lab) {
    await untilWordsAreWritten(lab.writers.auth, 'clients');
    const [person] = lab.population.people;
    const username = person?.username ?? '';
    await lab.writers.org.run(`UPDATE users SET roles = 'SystemAdministrator' WHERE username = '${username}'`);
    // A browser has a machine of its own.
    for (const { pid } of [process, lab.product.authServer, lab.product.orgApi]) lab.cores.release(pid);
    const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
    try {
      return buildResult(await measure(lab, browser, username));
    } finally {
      await browser.close();
    }
  },
};

async function measure({ product, population, options, say }: Lab, browser: Browser, username: string): Promise<Row[]> {
  const list = `http://127.0.0.1:${product.authServer.port}/console/clients`;
  const signedIn = await signIn(browser, list, username, population.password);
  const measured: Row[] = [];
  const add = async (what: string, goal: number, times: () => Promise<number[]>, unit: Row['unit'] = 'ms') => {
    const row = { what, unit, goal, values: await times() };
    say(`  ${what}: ${formatCount(median(row.values))} ${unit}`);
    measured.push(row);
  };
  const repeat = async (once: (round: number) => Promise<number>) => {
    const values: number[] = [];
    for (let round = 0; round < options.rounds; round += 1) values.push(await once(round));
    return values;
  };
  /** A browser that knows the session, and no file of the console. */
  const openCold = async (prepare?: (page: Page) => Promise<void>) => {
    const context = await browser.newContext({ storageState: await signedIn.storageState() });
    const page = await context.newPage();
    await prepare?.(page);
    const time = await timeLoad(page, () => page.goto(list, { waitUntil: 'commit' }));
    await context.close();
    return time;
  };

  await add('the list, cold', 800, () => repeat(() => openCold()));
  await add('the list, cold, on a slow machine and network', 2_500, () => repeat(() => openCold(slowDown)));
  const page = await signedIn.newPage();
  await timeLoad(page, () => page.goto(list));
  await add('the list, loaded again with its sign-in', 400, () =>
    repeat(() => timeLoad(page, () => page.reload({ waitUntil: 'commit' }))),
  );
  await add('another place', 150, () => repeat(() => timeAnotherPlace(page)));
  await add('the next page of the list', 150, () => repeat(() => timeNextPage(page)));
  await add('a letter that is typed, until the list follows', 300, () => repeat((round) => timeLetter(page, round)));
  await add(`heap after ${pagesWalked} pages`, 50, async () => [await measureHeap(page, list)], 'MB');
  return measured;
}

async function signIn(browser: Browser, url: string, username: string, password: string): Promise<BrowserContext> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.locator(rows).first().waitFor();
  await page.close();
  return context;
}

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', slowProcessor);
  await session.send('Network.emulateNetworkConditions', slowNetwork);
}

/** Milliseconds until a page that is loaded shows the list. */
async function timeLoad(page: Page, load: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await load();
  await page.locator(rows).first().waitFor();
  return performance.now() - startedAt;
}

/** Milliseconds until the list begins with another row than before. */
async function timeChange(page: Page, act: () => Promise<unknown>): Promise<number> {
  const first = page.locator(rows).first();
  const hasNotText = (await first.textContent()) ?? '';
  const startedAt = performance.now();
  await act();
  await first.filter({ hasNotText }).waitFor();
  return performance.now() - startedAt;
}

/** To the users and back: the time of the way there. */
async function timeAnotherPlace(page: Page): Promise<number> {
  const follow = (name: string) => timeChange(page, () => page.getByRole('link', { name, exact: true }).click());
  const time = await follow('Users');
  await follow('Applications');
  return time;
}

function timeNextPage(page: Page): Promise<number> {
  return timeChange(page, () => page.getByRole('button', { name: 'Next', exact: true }).click());
}

/** The third letter of a number that clients have in their names. */
async function timeLetter(page: Page, round: number): Promise<number> {
  const field = page.locator('#list-search');
  await timeChange(page, () => field.fill('service-40'));
  const time = await timeChange(page, () => field.pressSequentially(String(1 + (round % 9))));
  await timeChange(page, () => field.fill(''));
  return time;
}

/** Megabytes of JavaScript after so many pages, or all that there are, and a collection of garbage. */
async function measureHeap(page: Page, list: string): Promise<number> {
  await timeLoad(page, () => page.goto(list));
  const next = page.getByRole('button', { name: 'Next', exact: true });
  for (let walked = 1; walked < pagesWalked && (await next.isEnabled()); walked += 1) await timeNextPage(page);
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  return (await session.send('Runtime.getHeapUsage')).usedSize / 1_000_000;
}

function buildResult(measured: readonly Row[]): CaseResult {
  const cells = measured.map(({ what, unit, goal, values }) => [
    what,
    `${formatCount(median(values))} ${unit}`,
    `${formatCount(Math.min(...values))} … ${formatCount(Math.max(...values))}`,
    `${formatCount(goal)} ${unit}`,
  ]);
  return {
    table: formatColumns([['', 'median', 'min–max', 'goal'], ...cells]),
    goals: measured.map(({ what, unit, goal, values }) => ({
      text: `${what}: at most ${formatCount(goal)} ${unit}: ${formatCount(median(values))} ${unit}`,
      met: median(values) <= goal,
    })),
    bars: {
      unit: 'ms',
      values: measured
        .filter(({ unit }) => unit === 'ms')
        .map(({ what, values }) => ({ label: what, value: median(values) })),
    },
    measured,
    valid: true,
  };
}
