import {
  type Answer,
  type CallOptions,
  call,
  type Gatehouse,
  quickestDialect,
  startGatehouse,
} from '@gatehouse/test-kit';
import { afterAll, afterEach, beforeAll, expect, jest } from '@jest/globals';
import type { Browser, BrowserContextOptions, Locator, Page, Request } from 'playwright-core';
import { launchChromium, startVisit, submitSignIn, type Visit } from './chromium.ts';
import { passwordKind, registerClient } from './clients.ts';
import { administrator } from './people.ts';
import { getAdministratorToken } from './tokens.ts';
import { uniqueName } from './unique.ts';
import { createUserAdministration } from './users.ts';
import { waitFor } from './wait.ts';

export type Person = [username: string, password: string];

/** Enough for all people of the tests, as they are no guessers. */
const password = 'the-password-of-a-person';

/** A page of the console, in a browser profile of its own. */
export interface ConsolePage {
  page: Page;
  /** Goes to a path of the console by the address line: the page is loaded, and signs in from the session. */
  goto(path: string): Promise<void>;
  /** Goes to a path as by a link, without loading the page again. */
  show(path: string): Promise<void>;
  /** Waits until a screen is there with everything that it asked for. */
  settle(): Promise<void>;
  /** Every request so far by which a script of the page called a service. */
  requests: Request[];
  /** Chromium writes a line for each answer of 4xx: these are what the test is about. */
  expectStatus(...statuses: number[]): void;
}

/** Milliseconds that a test may take: some look at every screen, on a machine that does other things. */
const patience = 180_000;
jest.setTimeout(patience);

/** What the tests of a file share. */
export type Console = ReturnType<typeof useConsole>;

interface WatchedVisit extends Visit {
  /** Of answers that are meant. */
  statuses: number[];
  baseUrl: string;
}

/**
 * Both services and one browser for the tests of a file. Pages end with their test; none may write to the browser's console,
 * break its own policy or load anything from elsewhere. `env`: of both services, unless `ofOrgApi` is given; a `beforeAll` before may
 * still fill them.
 */
export function useConsole(env: Record<string, string> = {}, ofOrgApi: Record<string, string> = env) {
  let gatehouse: Gatehouse;
  let browser: Browser;
  let token: string;
  const visits: WatchedVisit[] = [];

  beforeAll(async () => {
    [gatehouse, browser] = await Promise.all([
      startGatehouse({ dialect: quickestDialect, env: { 'auth-server': env, 'org-api': ofOrgApi } }),
      launchChromium(),
    ]);
    // Of a password alone there is none then.
    if (env.ADMINISTRATION_ACR !== undefined) return;
    token = await getAdministratorToken(gatehouse, await registerClient(gatehouse, passwordKind()));
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), gatehouse?.stop()]);
  });
  afterEach(async () => {
    const ended = visits.splice(0);
    await Promise.all(ended.map((visit) => visit.close()));
    expect(ended.flatMap(listProblems)).toEqual([]);
  });

  /** A browser profile that nobody signed in to. */
  const openStranger = async (options: BrowserContextOptions = {}): Promise<ConsolePage> => {
    const origins = [gatehouse.authUrl, gatehouse.baseUrl];
    const visit = await startVisit(browser, { colorScheme: 'light', ...options, origins });
    const statuses: number[] = [];
    visits.push({ ...visit, statuses, baseUrl: gatehouse.baseUrl });
    const { page } = visit;
    page.setDefaultTimeout(patience / 6);
    const requests: Request[] = [];
    const pending = new Set<Request>();
    page.on('request', (request) => {
      if (request.resourceType() !== 'fetch') return;
      requests.push(request);
      pending.add(request);
    });
    // Of an answer whose body nobody reads the request never finishes.
    page.on('response', (response) => void pending.delete(response.request()));
    page.on('requestfailed', (request) => void pending.delete(request));
    await page.addInitScript(() => {
      addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
        // biome-ignore lint/suspicious/noConsole: the visit reads it
        console.error(`securitypolicyviolation: ${effectiveDirective} ${blockedURI}`);
      });
    });
    const goto = async (path: string) => {
      await page.goto(gatehouse.authUrl + consolePath + path);
    };
    const show = async (path: string) => {
      await page.evaluate((url) => history.pushState(null, '', url), consolePath + path);
    };
    const settle = async () => {
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      let known = -1;
      // An answer may lead to another request, a moment later.
      const isQuiet = async () => {
        const isSame = requests.length === known && pending.size === 0;
        known = requests.length;
        return isSame && (await page.locator('.loading, [aria-busy=true]').count()) === 0;
      };
      expect(await waitFor(isQuiet, Boolean)).toBe(true);
    };
    return { page, goto, show, settle, requests, expectStatus: (...meant) => void statuses.push(...meant) };
  };

  return {
    get gatehouse() {
      return gatehouse;
    },
    openStranger,
    /** Signs in on the way to a path. */
    async open(person: Person, path = '', options: BrowserContextOptions = {}): Promise<ConsolePage> {
      const opened = await openStranger(options);
      await opened.goto(path);
      await submitSignIn(opened.page, person);
      await opened.page.locator('main').waitFor();
      return opened;
    },
    /** A request of the administrator to auth-server, which does not refuse it. */
    askAuthServer: (path: string, options: CallOptions = {}) =>
      ask(gatehouse.authUrl + path, { basic: administrator, ...options }),
    /** The same at org-api. */
    askOrgApi: (path: string, options: CallOptions = {}) =>
      ask(`${gatehouse.baseUrl}/organization/api/organization${path}`, { bearer: token, ...options }),
    /** A token of the administrator for commands. */
    get token() {
      return token;
    },
    /** Makes a person with these roles. */
    async makePerson(...roles: string[]): Promise<Person> {
      const username = `${uniqueName('person')}@example.com`;
      await createUserAdministration(gatehouse, token).create({ username, password, userType: 'Person', roles });
      return [username, password];
    },
  };
}

async function ask(url: string, options: CallOptions): Promise<Answer> {
  const answer = await call(url, options);
  if (answer.status >= 300) throw new Error(`${url}: ${answer.status} ${answer.text}`);
  return answer;
}

const consolePath = '/console';
const refusal = 'Failed to load resource: the server responded with a status of';

/** The first proof for org-api has no nonce yet (RFC 9449 9): its 401 is no fault. */
function listProblems({ findProblems, statuses, baseUrl }: WatchedVisit): string[] {
  const isMeant = (problem: string) =>
    statuses.some((status) => problem.startsWith(`${refusal} ${status}`)) ||
    (problem.startsWith(`${refusal} 401`) && problem.includes(`(${baseUrl}/`));
  return findProblems().filter((problem) => !isMeant(problem));
}

/** The field of a form by the name that the API has for it, which stands at the end of its label. */
export const field = (page: Page | Locator, name: string): Locator => page.getByLabel(new RegExp(`(^|\\s)${name}$`));

/** The dialog that is open. */
export const dialogOf = (page: Page): Locator => page.getByRole('dialog');

/** Opens the "Actions" of an object. */
export async function openActs(page: Page): Promise<Locator> {
  const menu = page.getByRole('main').locator('details', { hasText: 'Actions' });
  if ((await menu.getAttribute('open')) === null) await menu.getByText('Actions', { exact: true }).click();
  return menu.locator('.sheet');
}

/** Chooses one of the "Actions" of an object. */
export async function chooseAct(page: Page, name: string): Promise<void> {
  await (await openActs(page)).getByRole('button', { name, exact: true }).click();
}

/** Opens the menu of the user. */
export async function openUserMenu(page: Page): Promise<Locator> {
  await page.locator('summary', { hasText: 'Your account' }).click();
  return page.getByRole('banner').locator('.sheet');
}

/** What the table of a review says, a row each: field, now, then. */
export async function readReview(page: Page): Promise<string[][]> {
  const rows = dialogOf(page).getByRole('table').locator('tbody tr');
  await rows.first().waitFor();
  return rows.evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent ?? '')));
}

export const listTabs = (page: Page): Promise<string[]> => page.locator('.tabs').getByRole('link').allTextContents();
