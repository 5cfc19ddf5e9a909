import { call } from '@gatehouse/test-kit';
import { beforeAll, expect, test } from '@jest/globals';
import type { Page, Response } from 'playwright-core';
import { describeWithChromium } from '../support/chromium.ts';
import { type ConsolePage, listTabs, useConsole } from '../support/console.ts';
import { administrator, plainUser, robotUsername } from '../support/people.ts';

const places = {
  '/': 'Overview',
  '/clients': 'Applications',
  '/apis': 'APIs',
  '/users': 'Users',
  '/events': 'Events',
  '/refusals': 'Refusals',
  '/registration-tokens': 'Registration tokens',
  '/keys': 'Keys',
  '/settings': 'Settings',
};
type Place = keyof typeof places;
/** A request that auth-server refused; org-api keeps nothing of it. */
const refused = 'refused-while-roles-are-tested';
const user = `/users/${encodeURIComponent(plainUser[0])}`;
const robot = `/users/${encodeURIComponent(robotUsername)}`;
const client = '/clients/gatehouse-console';
const tabsOfClient = ['settings', 'secrets', 'integrate', 'try', 'access', 'events', 'json'].map(
  (tab) => `${client}/${tab}`,
);
const placesOfIdp: Place[] = [
  ...(['/', '/clients', '/apis', '/users', '/events', '/refusals', '/registration-tokens', '/keys'] as const),
];

/** What each role sees; `shut` are addresses below places that are open. */
const roles: [role: string, seen: { open: Place[]; screens: string[]; shut: string[]; tabs: string[] }][] = [
  [
    'SystemAdministrator',
    {
      open: [...placesOfIdp, '/settings'],
      screens: [
        ...['/clients/new', ...tabsOfClient, `/refusals/${refused}`],
        ...['/apis/new', '/users/new', '/registration-tokens/new'],
        ...[`${user}/profile`, `${user}/methods`, `${user}/sessions`, `${user}/access`, `${user}/events`],
        `${robot}/profile`,
      ],
      shut: [],
      tabs: ['Profile', 'Ways to sign in', 'Sessions', 'Access', 'Events'],
    },
  ],
  [
    'IdpAdministrator',
    {
      open: placesOfIdp,
      screens: [
        ...['/clients/new', ...tabsOfClient, `/refusals/${refused}`],
        ...['/apis/new', '/registration-tokens/new', `${user}/profile`, `${user}/access`, `${robot}/profile`],
      ],
      shut: ['/users/new', `${user}/methods`, `${user}/sessions`, `${user}/events`],
      tabs: ['Profile', 'Access'],
    },
  ],
  [
    'DirectoryReader',
    {
      open: ['/users'],
      screens: [`${user}/profile`, `${robot}/profile`],
      shut: [
        ...['/clients/new', ...tabsOfClient, `/refusals/${refused}`, '/apis/new', '/registration-tokens/new'],
        ...['/users/new', `${user}/methods`, `${user}/sessions`, `${user}/access`, `${user}/events`],
      ],
      tabs: ['Profile'],
    },
  ],
];

const isUnknownRefusal = (response: Response) =>
  response.status() === 404 && response.url().endsWith(`/organization/refusals/${refused}`);

describeWithChromium('the console by role', () => {
  const world = useConsole();

  beforeAll(async () => {
    const headers = { 'x-request-id': refused };
    expect((await call(`${world.gatehouse.authUrl}/clients`, { basic: ['nobody', 'wrong'], headers })).status).toBe(
      401,
    );
  });

  const readPlaces = (page: Page) =>
    page.getByRole('navigation', { name: 'Places' }).getByRole('link').allTextContents();
  const readHeading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent();
  /** Everything that a service refused, but for org-api, which knows nothing of the refused request. */
  const listRefusals = async ({ requests }: ConsolePage) => {
    const responses = await Promise.all(requests.map((request) => request.response()));
    return responses.flatMap((response) =>
      response === null || response.ok() || response.status() === 401 || isUnknownRefusal(response)
        ? []
        : [`${response.status()} ${response.url()}`],
    );
  };

  test.each(roles)('shows to %s what the role may, and nothing that a service refuses', async (role, seen) => {
    const person = role === 'SystemAdministrator' ? administrator : await world.makePerson(role);
    const visit = await world.open(person, seen.open[0]);
    const { page, goto, show, settle, expectStatus } = visit;
    if (role === 'SystemAdministrator') expectStatus(404);
    await settle();
    expect(await readPlaces(page)).toEqual(seen.open.map((path) => places[path]));
    for (const path of seen.open) {
      await page.getByRole('link', { name: places[path], exact: true }).click();
      await settle();
      expect([path, await readHeading(page)]).toEqual([path, places[path]]);
      expect(await page.getByRole('link', { name: places[path], exact: true }).getAttribute('aria-current')).toBe(
        'page',
      );
    }
    for (const path of seen.screens) {
      await show(path);
      await settle();
      expect([path, await page.getByRole('alert').allTextContents()]).toEqual([path, []]);
      expect([path, await readHeading(page)]).not.toEqual([path, 'Not for your roles']);
    }
    expect(await listTabs(page)).toEqual(seen.tabs);
    const shut = [...Object.keys(places).filter((path) => !['/', ...seen.open].includes(path)), ...seen.shut];
    for (const path of shut) {
      await show(path);
      await settle();
      expect([path, await readHeading(page)]).toEqual([path, 'Not for your roles']);
    }
    await show('/');
    await settle();
    expect(await readHeading(page)).toBe(places[seen.open[0] ?? '/']);
    await goto(shut[0] ?? '/clients/new');
    await settle();
    expect(await readHeading(page)).toBe(shut.length > 0 ? 'Not for your roles' : 'Register an application');
    expect(await listRefusals(visit)).toEqual([]);
  });

  test('shows to a user without a role the same text at every address, and asks for nothing', async () => {
    const { page, show, settle, requests } = await world.open(await world.makePerson());
    for (const path of [...Object.keys(places), '/clients/new', `${user}/profile`]) {
      await show(path);
      await settle();
      expect([path, await readHeading(page)]).toEqual([path, 'You are signed in, without a role']);
    }
    expect(await readPlaces(page)).toEqual([]);
    const asked = requests.map((request) => new URL(request.url()).pathname);
    expect([...new Set(asked)].sort()).toEqual(['/console/settings.json', '/oauth/token']);
  });

  test('has no control for a reader that would change anything', async () => {
    const { page, goto, settle } = await world.open(await world.makePerson('DirectoryReader'), '/users');
    await page.getByRole('table').waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Make a user' }).count()).toBe(0);
    await goto(`${user}/profile`);
    await settle();
    expect(await page.getByText('Actions', { exact: true }).count()).toBe(0);
    const main = page.getByRole('main');
    expect(await main.locator(':is(input, select, textarea):enabled').count()).toBe(0);
    expect(await main.locator('input').count()).toBeGreaterThan(5);
  });
});
