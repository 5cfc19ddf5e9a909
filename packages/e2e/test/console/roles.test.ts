import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeWithChromium } from '../support/chromium.ts';
import { passwordKind, redirectUri } from '../support/clients.ts';
import { type ConsolePage, listTabs, openActs, useConsole } from '../support/console.ts';
import { awaitNumbers, makeGrant, makeRefusal } from '../support/console-screens.ts';
import { administrator, idpAdministrator, plainUser, robotUsername } from '../support/people.ts';

const places = {
  '/': 'Overview',
  '/clients': 'Applications',
  '/apis': 'APIs',
  '/users': 'Users',
  '/groups': 'Groups',
  '/events': 'Events',
  '/refusals': 'Refusals',
  '/registration-tokens': 'Registration tokens',
  '/upstreams': 'Upstreams',
  '/issuers': 'Issuers',
  '/keys': 'Keys',
  '/settings': 'Settings',
};
type Place = keyof typeof places;
/** A request that both services refused. */
const refused = 'refused-while-roles-are-tested';
const user = `/users/${encodeURIComponent(plainUser[0])}`;
const robot = `/users/${encodeURIComponent(robotUsername)}`;
const higherUser = `/users/${encodeURIComponent(administrator[0])}`;
const client = '/clients/gatehouse-console';
const tabsOfHigherClient = ['settings', 'secrets', 'integrate', 'access', 'events', 'json'].map(
  (tab) => `${client}/${tab}`,
);
const tabsOfClient = ['settings', 'secrets', 'integrate', 'try', 'access', 'events', 'json'].map(
  (tab) => `${client}/${tab}`,
);
const tabsOfUser = ['Profile', 'Ways to sign in', 'Groups', 'Sessions', 'Access', 'Events'];
const placesOfIdp: Place[] = [
  ...([
    '/',
    '/clients',
    '/apis',
    '/users',
    '/groups',
    '/events',
    '/refusals',
    '/registration-tokens',
    '/keys',
  ] as const),
];

/** The tabs of a user without a role, of a Robot, and of a SystemAdministrator. */
type Tabs = readonly [user: string[], robot: string[], higher: string[]];

/** What each role sees; `shut` are addresses below places that are open. */
const roles: [role: string, seen: { open: Place[]; screens: string[]; shut: string[]; tabs: Tabs }][] = [
  [
    'SystemAdministrator',
    {
      open: [...placesOfIdp.slice(0, -1), '/upstreams', '/issuers', '/keys', '/settings'],
      screens: [
        ...['/clients/new', ...tabsOfClient, `/refusals/${refused}`],
        ...['/apis/new', '/users/new', '/registration-tokens/new', '/issuers/new', '/groups/new'],
        '/upstreams/new',
        ...[`${user}/profile`, `${user}/methods`, `${user}/groups`, `${user}/sessions`, `${user}/access`],
        ...[`${user}/events`, `${robot}/profile`, `${robot}/groups`],
      ],
      shut: [],
      tabs: [tabsOfUser, ['Profile', 'Groups', 'Events'], tabsOfUser],
    },
  ],
  [
    'IdpAdministrator',
    {
      open: placesOfIdp,
      screens: [
        ...['/clients/new', ...tabsOfHigherClient, `/refusals/${refused}`],
        ...['/apis/new', '/registration-tokens/new', `${user}/profile`, `${user}/access`, `${user}/groups`],
        `${robot}/profile`,
      ],
      shut: [
        ...['/upstreams/new', '/issuers/new', '/groups/new', '/users/new', `${client}/try`],
        ...[`${user}/methods`, `${user}/sessions`, `${higherUser}/access`],
      ],
      tabs: [
        ['Profile', 'Groups', 'Access', 'Events'],
        ['Profile', 'Groups', 'Events'],
        ['Profile', 'Groups', 'Events'],
      ],
    },
  ],
  [
    'DirectoryReader',
    {
      open: ['/users', '/groups'],
      screens: [`${user}/profile`, `${user}/groups`, `${robot}/profile`],
      shut: [
        ...['/clients/new', ...tabsOfClient, `/refusals/${refused}`, '/apis/new', '/registration-tokens/new'],
        ...['/upstreams/new', '/issuers/new', '/groups/new', '/users/new'],
        ...[`${user}/methods`, `${user}/sessions`, `${user}/access`, `${user}/events`],
      ],
      tabs: [
        ['Profile', 'Groups'],
        ['Profile', 'Groups'],
        ['Profile', 'Groups'],
      ],
    },
  ],
];

/** What can be done to the rows that are chosen. A search for a name may find others, whose words begin like its own. */
async function listActs(page: Page): Promise<string[]> {
  const buttons = await page.locator('.selection').getByRole('button').allTextContents();
  return buttons.filter((text) => text !== 'Choose all of this page');
}

describeWithChromium('the console by role', () => {
  const [BOOTSTRAP_ADMIN_USERNAME, BOOTSTRAP_ADMIN_PASSWORD] = administrator;
  // So there is a finding about a SystemAdministrator.
  const world = useConsole({ BOOTSTRAP_ADMIN_USERNAME, BOOTSTRAP_ADMIN_PASSWORD });

  beforeAll(async () => {
    await makeRefusal(world, 'nobody', refused);
  });

  const readPlaces = (page: Page) =>
    page.getByRole('navigation', { name: 'Places' }).getByRole('link').allTextContents();
  const readHeading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent();
  /** Everything that a service refused. */
  const listRefusals = async ({ requests }: ConsolePage) => {
    const responses = await Promise.all(requests.map((request) => request.response()));
    return responses.flatMap((response) =>
      response === null || response.ok() || response.status() === 401 ? [] : [`${response.status()} ${response.url()}`],
    );
  };

  /** Looks at each tab of a user: these are there, and none has an alarm. */
  const visitTabs = async ({ page, show, settle }: ConsolePage, path: string, tabs: string[] = []) => {
    await show(`${path}/profile`);
    await settle();
    for (const name of tabs) {
      expect([path, name, await listTabs(page)]).toEqual([path, name, tabs]);
      await page.locator('.tabs').getByRole('link', { name, exact: true }).click();
      await settle();
      expect([path, name, await page.getByRole('alert').allTextContents()]).toEqual([path, name, []]);
    }
  };

  test.each(roles)('shows to %s what the role may, and nothing that a service refuses', async (role, seen) => {
    const person = role === 'SystemAdministrator' ? administrator : await world.makePerson(role);
    const visit = await world.open(person, seen.open[0]);
    const { page, goto, show, settle } = visit;
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
    const shut = [...Object.keys(places).filter((path) => !['/', ...seen.open].includes(path)), ...seen.shut];
    for (const path of shut) {
      await show(path);
      await settle();
      expect([path, await readHeading(page)]).toEqual([path, 'Not for your roles']);
      expect([path, await page.title()]).toEqual([path, expect.stringMatching(/^Not for your roles · /)]);
    }
    await show('/');
    await settle();
    expect(await readHeading(page)).toBe(places[seen.open[0] ?? '/']);
    await goto(shut[0] ?? '/clients/new');
    await settle();
    expect(await readHeading(page)).toBe(shut.length > 0 ? 'Not for your roles' : 'Register an application');
    expect(await listRefusals(visit)).toEqual([]);
  });

  test.each(roles)('has the tabs of a user that a %s may look at, each without an alarm', async (role, { tabs }) => {
    const visit = await world.open(role === 'SystemAdministrator' ? administrator : await world.makePerson(role));
    for (const [index, path] of [user, robot, higherUser].entries()) await visitTabs(visit, path, tabs[index]);
    expect(await listRefusals(visit)).toEqual([]);
  });

  test('has no page of what a Robot has not', async () => {
    const visit = await world.open(administrator, '/users');
    await visit.settle();
    for (const tab of ['methods', 'sessions', 'access']) {
      await visit.show(`${robot}/${tab}`);
      await visit.settle();
      expect([tab, await readHeading(visit.page)]).toEqual([tab, 'There is no such page']);
    }
    expect(await listRefusals(visit)).toEqual([]);
  });

  test('shows to a user without a role the same text at every address, and asks for nothing', async () => {
    const { page, show, settle, requests } = await world.open(await world.makePerson());
    for (const path of [...Object.keys(places), '/clients/new', `${user}/profile`]) {
      await show(path);
      await settle();
      expect([path, await readHeading(page)]).toEqual([path, 'You are signed in, without a role']);
      expect([path, await page.title()]).toEqual([
        path,
        expect.stringMatching(/^You are signed in, without a role · /),
      ]);
    }
    expect(await readPlaces(page)).toEqual([]);
    const asked = requests.map((request) => new URL(request.url()).pathname);
    expect([...new Set(asked)].sort()).toEqual(['/console/settings.json', '/oauth/token']);
  });

  test('says in its title, too, that there is no such page', async () => {
    const { page, show, settle } = await world.open(administrator);
    await show('/nothing-is-here');
    await settle();
    expect(await readHeading(page)).toBe('There is no such page');
    expect(await page.title()).toMatch(/^There is no such page · /);
  });

  test.each(['SystemAdministrator', 'IdpAdministrator'])(
    'leads a %s from each finding and number of the overview to what is behind it',
    async (role) => {
      await awaitNumbers(world);
      const visit = await world.open(await world.makePerson(role));
      const { page, show, settle } = visit;
      await settle();
      const links = page.locator('.findings a, .cards a');
      const paths = await links.evaluateAll((all) => all.map((each) => each.getAttribute('href') ?? ''));
      expect(paths.length).toBeGreaterThan(5);
      for (const path of paths) {
        await show(path.slice('/console'.length));
        await settle();
        expect([path, await page.getByRole('alert').allTextContents()]).toEqual([path, []]);
        expect([path, await readHeading(page)]).not.toEqual([path, 'Not for your roles']);
        expect([path, await page.locator('.nothing').allTextContents()]).toEqual([path, []]);
      }
      expect(await listRefusals(visit)).toEqual([]);
    },
  );

  test('leaves a client as it is that may use roles which an IdpAdministrator lacks', async () => {
    const { client_id: clientId, client_secret = '' } = passwordKind();
    const grants = { authorized_grant_types: ['authorization_code', 'refresh_token'], scope: ['openid', 'profile'] };
    const kind = { client_id: clientId, client_secret, redirect_uri: redirectUri, require_consent: true };
    await world.askAuthServer('/clients', { json: { ...kind, ...grants } });
    await makeGrant(world.gatehouse, [clientId, client_secret]);
    const { page, settle, show } = await world.open(await world.makePerson('IdpAdministrator'));
    const main = page.getByRole('main');
    for (const tab of ['settings', 'secrets']) {
      await show(`/clients/${clientId}/${tab}`);
      await settle();
      expect([tab, await page.getByText('Actions', { exact: true }).count()]).toEqual([tab, 0]);
      expect([tab, await main.getByRole('button', { name: /secret|logo/i }).allTextContents()]).toEqual([tab, []]);
    }
    expect(await listTabs(page)).not.toContain('Preview');
    await show(`/clients/${clientId}/access`);
    await main.getByText('signed in').waitFor();
    expect(await main.getByRole('button', { name: /^End/ }).allTextContents()).toEqual(['End']);
    await show(`/clients?search=${clientId}`);
    await settle();
    await page.getByRole('checkbox', { name: `Choose ${clientId}`, exact: true }).check();
    expect(await listActs(page)).toEqual(['Export as JSON']);
    await show(`/clients/${clientId}/settings`);
    await page.getByText('It may use roles that you lack: ask a SystemAdministrator to change it.').waitFor();
    expect(await main.locator(':is(input, select, textarea):enabled').count()).toBe(0);
    const own = passwordKind();
    await world.askAuthServer('/clients', { basic: idpAdministrator, json: own });
    await show(`/clients/${own.client_id}/settings`);
    await settle();
    expect(await main.locator(':is(input, select, textarea):enabled').count()).toBeGreaterThan(20);
    await (await openActs(page)).getByRole('button', { name: 'Disable' }).waitFor();
    // More roles than one's own are not given away.
    expect(await page.getByRole('button', { name: 'Allow all roles' }).count()).toBe(0);
    expect(await listTabs(page)).toContain('Preview');
    await show(`/clients?search=${own.client_id}`);
    await settle();
    await page.getByRole('checkbox', { name: `Choose ${own.client_id}`, exact: true }).check();
    expect(await listActs(page)).toEqual(['Disable', 'Enable', 'Delete', 'Export as JSON']);
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
