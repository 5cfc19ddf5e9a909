import { call, createTestBrowser, type Gatehouse } from '@gatehouse/test-kit';
import type { Page } from 'playwright-core';
import { decide } from '../journeys/support/consent-pages.ts';
import { buildAuthorizeUrl, createPkce, getLocation, signIn } from './authorization.ts';
import { type Credentials, redirectUri } from './clients.ts';
import { type Console, type ConsolePage, chooseAct, dialogOf, field, openActs, type Person } from './console.ts';
import { logo } from './logo.ts';
import { idpAdministrator, plainUser, robotUsername } from './people.ts';
import { getTokens } from './tokens.ts';
import { uniqueName } from './unique.ts';
import { press } from './visits.ts';
import { waitFor } from './wait.ts';

/** A screen of the console, and how to get there. */
export type Screen = [name: string, go: (visit: ConsolePage) => Promise<unknown>];

/** What the screens show. */
export interface Shown {
  clientId: string;
  /** Of a machine, by its client_id and its secret. */
  machine: Credentials;
  apiId: string;
  orgApiId: string;
  /** The alias of an upstream. */
  upstream: string;
  /** Of an issuer that a client names. */
  issuerId: string;
  /** Of a group with members. */
  groupId: string;
  /** A request id of which both services keep a refusal. */
  refused: string;
}

const userPath = (username: string) => `/users/${encodeURIComponent(username)}`;

/** Signs a user in at a client of a third party, and allows what it asks for: a consent, and a grant. */
export async function makeGrant(gatehouse: Gatehouse, client: Credentials, user: Person = plainUser): Promise<void> {
  const { verifier, parameters } = createPkce();
  const url = buildAuthorizeUrl(gatehouse, {
    ...{
      response_type: 'code',
      client_id: client[0],
      redirect_uri: redirectUri,
      scope: 'openid profile',
      ...parameters,
    },
  });
  const browser = createTestBrowser();
  const page = await signIn(url, user, browser);
  const code = getLocation(await decide(browser, page, url, 'allow')).searchParams.get('code') ?? '';
  const redemption = { code, redirect_uri: redirectUri, code_verifier: verifier };
  await getTokens(gatehouse, client, { grant_type: 'authorization_code', ...redemption });
}

/** Sends a request to each service, which refuses it, and waits until both say so: gives the id of the requests. */
export async function makeRefusal(
  { gatehouse, askAuthServer, askOrgApi }: Console,
  client: string,
  refused = uniqueName('refused'),
): Promise<string> {
  const headers = { 'x-request-id': refused };
  const form = { grant_type: 'client_credentials' };
  await call(`${gatehouse.authUrl}/oauth/token`, { basic: [client, 'no secret of it'], form, headers });
  await call(`${gatehouse.baseUrl}/organization/api/organization/user`, { headers });
  for (const ask of [askAuthServer, askOrgApi]) {
    const path = `/refusals?request=${refused}`;
    const { refusals } = await waitFor(
      async () => (await ask(path)).json<{ refusals: unknown[] }>(),
      (answer) => answer.refusals.length > 0,
    );
    if (refusals.length === 0) throw new Error(`${path}: not kept`);
  }
  return refused;
}

/** Registers an issuer, and a client that its tokens prove. Gives the id of the issuer. */
export async function makeIssuer(
  { askAuthServer: ask }: Console,
  client_id: string,
  fields: object = {},
): Promise<string> {
  const json = { issuer: `https://${client_id}.example.com`, name: 'Cluster', ...fields };
  const made = (await ask('/issuers', { json })).json<{ id: string; issuer: string }>();
  await ask('/clients', {
    json: {
      ...{ client_id, scope: ['roles'], authorized_grant_types: ['client_credentials'] },
      token_endpoint_auth_method: 'federated_jwt',
      federated_credentials: [{ issuer: made.issuer, subject: 'system:serviceaccount:shop:default' }],
    },
  });
  return made.id;
}

/** Registers an upstream. Gives its alias. */
export async function makeUpstream(
  { askAuthServer: ask }: Console,
  alias: string,
  fields: object = {},
): Promise<string> {
  const upstream = { alias, display_name: 'The company', kind: 'oidc', issuer: 'https://login.example.com' };
  const client = { client_id: 'gatehouse', client_secret: 'the-secret-of-the-upstream' };
  await ask('/upstreams', { json: { ...upstream, ...client, ...fields } });
  return alias;
}

/** Makes a group of these users. Gives its id. */
export async function makeGroup(
  { askOrgApi: ask }: Console,
  fields: object,
  usernames: readonly string[],
): Promise<string> {
  const { id } = (await ask('/group', { json: fields })).json<{ id: string }>();
  await ask(`/group/${id}/members`, { json: { add: usernames } });
  return id;
}

/** Waits until the numbers of the overview are written. */
export async function awaitNumbers({ askAuthServer }: Console): Promise<void> {
  for (const measure of ['sign_ins&by=outcome', 'tokens&by=client', 'refusals&by=reason']) {
    const path = `/statistics?measure=${measure}&step=hour`;
    const { series } = await waitFor(
      async () => (await askAuthServer(path)).json<{ series: unknown[] }>(),
      (answer) => answer.series.length > 0,
    );
    if (series.length === 0) throw new Error(`${path}: nothing is counted`);
  }
}

/**
 * Registers what the screens show: a client with a logo, a grant and a consent whose old secret still works, a machine, an
 * API, an issuer, an upstream, a group, a registration token, and a refusal.
 */
export async function makeShown(world: Console): Promise<Shown> {
  const ask = world.askAuthServer;
  const resource = 'https://orders.example.com/api';
  const machine: Credentials = ['night-shift', 'the-secret-of-the-machine'];
  const [client, api] = await Promise.all([
    ask('/clients', {
      headers: { prefer: 'return=representation' },
      json: {
        ...{ client_id: 'shop', client_name: 'The shop', redirect_uris: [redirectUri] },
        ...{ scope: ['openid', 'profile'], authorized_grant_types: ['authorization_code', 'refresh_token'] },
        ...{ token_endpoint_auth_method: 'client_secret_basic', require_consent: true },
      },
    }),
    ask('/resources', {
      json: {
        ...{ resource, name: 'Orders', access_token_validity: 600, dynamic_clients: true, groups: ['staff/*'] },
        scopes: [{ name: 'orders.read', description: 'Read your orders' }],
      },
    }),
    ask('/registration-tokens', { json: { uses: 3, expires_in: 3_600, grant_types: ['authorization_code'] } }),
    ask('/clients', {
      // The clients of this administrator have no higher roles.
      basic: idpAdministrator,
      json: {
        ...{ client_id: machine[0], client_secret: machine[1], scope: ['roles'] },
        ...{ authorized_grant_types: ['client_credentials'], allowed_groups: ['Staff/IT'] },
      },
    }),
  ]);
  const issuerId = await makeIssuer(world, 'workload');
  const orgApi = await ask(`/resources?${new URLSearchParams({ resource: world.gatehouse.baseUrl })}`);
  const [{ id: orgApiId }] = orgApi.json<{ resources: [{ id: string }] }>().resources;
  const upstream = await makeUpstream(world, 'company');
  const fields = { name: 'staff/it', description: 'People who keep the machines' };
  const groupId = await makeGroup(world, fields, [plainUser[0], idpAdministrator[0]]);
  const refused = await makeRefusal(world, machine[0]);
  const made = client.json<{ client: { client_id: string }; client_secret: string }>();
  const { client_id } = made.client;
  await makeGrant(world.gatehouse, [client_id, made.client_secret]);
  await ask(`/clients/${client_id}`, { method: 'PATCH', json: { resources: [resource], default_resource: resource } });
  await ask(`/clients/${client_id}/secret`, { json: { grace_seconds: 3_600 } });
  await ask(`/clients/${client_id}/logo`, { method: 'PUT', headers: { 'content-type': 'image/png' }, body: logo });
  const { id: apiId } = api.json<{ id: string }>();
  return { clientId: client_id, machine, apiId, orgApiId, issuerId, upstream, groupId, refused };
}

const show =
  (path: string) =>
  async ({ show: go, settle }: ConsolePage) => {
    await go(path);
    await settle();
  };
const openReview = async (page: Page) => {
  await press(page, 'Review');
  await dialogOf(page).getByRole('table').waitFor();
};
/** Until what an act would end is known. */
const awaitTrial = async ({ page, settle }: ConsolePage) => {
  await dialogOf(page).waitFor();
  await settle();
};

/** Every screen of an administrator, and every part of one that opens. The last ones end the sessions of `username`, who looks. */
export function listScreens(shown: Shown, { askAuthServer }: Console, username: string): Screen[] {
  const { clientId, machine, apiId, issuerId, upstream, groupId, refused } = shown;
  const client = `/clients/${clientId}`;
  const api = `/apis/${apiId}`;
  const issuer = `/issuers/${issuerId}`;
  const group = `/groups/${groupId}`;
  const user = userPath(plainUser[0]);
  return [
    ['overview', show('/')],
    [
      'overview of 30 days, with its numbers',
      async ({ page, settle }) => {
        await press(page, '30 days');
        await settle();
        for (const numbers of await page.getByText('Numbers', { exact: true }).all()) await numbers.click();
        await page.getByText('The same by curl').click();
      },
    ],
    ['applications', show('/clients')],
    [
      'applications, filtered, and the command',
      async (visit) => {
        await show('/clients?enabled=true')(visit);
        await visit.page.getByText('The same by curl').click();
      },
    ],
    [
      'many applications to disable',
      async (visit) => {
        await show('/clients')(visit);
        await visit.page.getByRole('checkbox', { name: `Choose ${clientId}` }).check();
        await press(visit.page, 'Disable');
        await dialogOf(visit.page).waitFor();
      },
    ],
    ['nothing found', show('/clients?search=nothing')],
    ['kinds of applications', show('/clients/new')],
    [
      'new application',
      async (visit) => {
        await show('/clients/new')(visit);
        await visit.page.getByLabel('Web application').check();
      },
    ],
    [
      'review of a new application',
      async ({ page }) => {
        await field(page, 'client_name').fill('The second shop');
        await field(page, 'redirect_uris').fill('https://shop2.example.com/callback');
        await openReview(page);
      },
    ],
    [
      'fault of a new application',
      async ({ page, expectStatus }) => {
        expectStatus(400);
        await press(page, 'Back');
        await field(page, 'redirect_uris').fill('no address');
        await press(page, 'Review');
        await dialogOf(page).getByRole('listitem').filter({ hasText: 'redirect_uris entry 1 must be' }).waitFor();
      },
    ],
    ['application', show(`${client}/settings`)],
    [
      'logo of an application',
      async ({ page }) => {
        await page.getByText('Logo', { exact: true }).click();
        await page.getByRole('img', { name: 'Logo' }).waitFor();
      },
    ],
    [
      'logo to take away',
      async ({ page }) => {
        await press(page, 'Take the logo away');
        await dialogOf(page).waitFor();
      },
    ],
    [
      'picture of the consent page',
      async ({ page, settle }) => {
        await press(page, 'Cancel');
        await page.getByText('Consent page', { exact: true }).click();
        await page.getByText('Allow access?').waitFor();
        await settle();
      },
    ],
    [
      'acts of an application',
      async ({ page }) => {
        await openActs(page);
      },
    ],
    [
      'changed application',
      async ({ page }) => {
        await page.keyboard.press('Escape');
        await field(page, 'client_name').fill('The other shop');
        await page.getByText('1 change', { exact: true }).waitFor();
      },
    ],
    ['review of an application', ({ page }) => openReview(page)],
    [
      'fault of an application',
      async ({ page, expectStatus }) => {
        expectStatus(400);
        await press(page, 'Back');
        await field(page, 'client_name').fill('The shop');
        await field(page, 'policy_uri').fill('no address');
        await press(page, 'Review');
        await dialogOf(page).getByRole('alert').waitFor();
        await press(page, 'Back');
        await page.locator('.fault').waitFor();
      },
    ],
    ['application of the configuration', show('/clients/gatehouse-console/settings')],
    ['secrets', show(`${client}/secrets`)],
    [
      'old secret to end',
      async ({ page }) => {
        await page.getByRole('button', { name: 'End the old secret now' }).first().click();
        await dialogOf(page).waitFor();
      },
    ],
    ['secrets of a client of issuers', show('/clients/workload/secrets')],
    [
      'code of a web application',
      async (visit) => {
        await show(`${client}/integrate`)(visit);
        await visit.page.getByLabel('Code for').waitFor();
      },
    ],
    ['code of a machine', show(`/clients/${machine[0]}/integrate`)],
    [
      'preview of tokens',
      async (visit) => {
        await show(`${client}/try`)(visit);
        await field(visit.page, 'username').fill(plainUser[0]);
        await press(visit.page, 'Preview');
        await visit.page.getByRole('heading', { name: 'Access token' }).waitFor();
      },
    ],
    [
      'preview that is refused',
      async ({ page }) => {
        await field(page, 'scope').fill('openid orders.write');
        await press(page, 'Preview');
        await page.getByRole('heading', { name: 'No token would be issued' }).waitFor();
      },
    ],
    [
      'fault of a preview',
      async ({ page, expectStatus }) => {
        expectStatus(400);
        await field(page, 'resource').fill('no URI');
        await press(page, 'Preview');
        await page.getByRole('main').getByRole('alert').waitFor();
      },
    ],
    [
      'answer to a machine',
      async (visit) => {
        await show(`/clients/${machine[0]}/try`)(visit);
        await field(visit.page, 'client_secret').fill(machine[1]);
        await press(visit.page, 'Ask for a token');
        await visit.page.getByRole('heading', { name: 'Access token' }).waitFor();
      },
    ],
    ['access of an application', show(`${client}/access`)],
    [
      'grant to end',
      async ({ page }) => {
        await press(page, 'End');
        await dialogOf(page).waitFor();
      },
    ],
    [
      'consent to withdraw',
      async (visit) => {
        await press(visit.page, 'Cancel');
        await press(visit.page, 'Withdraw');
        await dialogOf(visit.page).waitFor();
      },
    ],
    ['access that nobody has', show(`/clients/${machine[0]}/access`)],
    [
      'application to trust',
      async (visit) => {
        await chooseAct(visit.page, 'Allow all roles');
        await awaitTrial(visit);
      },
    ],
    [
      'application to delete',
      async (visit) => {
        await show(`${client}/json`)(visit);
        await chooseAct(visit.page, 'Delete');
        await awaitTrial(visit);
      },
    ],
    ['events of an application', show(`${client}/events`)],
    ['events and refusals of a machine', show(`/clients/${machine[0]}/events`)],
    ['JSON of an application', show(`${client}/json`)],
    ['APIs', show('/apis')],
    ['new API', show('/apis/new')],
    ['API', show(`${api}/settings`)],
    [
      'code of an API',
      async (visit) => {
        await show(`${api}/integrate`)(visit);
        await visit.page.getByLabel('Code for').waitFor();
      },
    ],
    ['applications of an API', show(`${api}/clients`)],
    ['JSON of an API', show(`${api}/json`)],
    [
      'API to delete',
      async (visit) => {
        // A client may ask for it.
        visit.expectStatus(409);
        await press(visit.page, 'Delete');
        await dialogOf(visit.page).getByRole('alert').waitFor();
      },
    ],
    ['users', show('/users')],
    ['new user', show('/users/new')],
    ['user', show(`${user}/profile`)],
    ['Robot', show(`${userPath(robotUsername)}/profile`)],
    ['ways to sign in', show(`${user}/methods`)],
    [
      'ways to sign in to reset',
      async ({ page }) => {
        await press(page, 'Reset all ways to sign in');
        await dialogOf(page).waitFor();
      },
    ],
    ['groups of a user', show(`${user}/groups`)],
    [
      'user to add to a group',
      async ({ page }) => {
        await press(page, 'Add to a group');
        await dialogOf(page).waitFor();
      },
    ],
    ['sessions', show(`${userPath(username)}/sessions`)],
    ['access of a user', show(`${user}/access`)],
    ['events of a user', show(`${user}/events`)],
    ['groups', show('/groups')],
    ['new group', show('/groups/new')],
    [
      'group, and users to take out',
      async (visit) => {
        await show(`${group}/members`)(visit);
        await visit.page.getByRole('checkbox', { name: `Choose ${plainUser[0]}` }).check();
        await press(visit.page, 'Remove from the group');
        await dialogOf(visit.page).waitFor();
      },
    ],
    [
      'users to put in',
      async ({ page }) => {
        await press(page, 'Cancel');
        await press(page, 'Add users');
        await dialogOf(page).waitFor();
      },
    ],
    ['applications and APIs of a group', show(`${group}/uses`)],
    ['settings of a group', show(`${group}/settings`)],
    ['events of a group', show(`${group}/events`)],
    [
      'group to delete',
      async (visit) => {
        await show(`${group}/json`)(visit);
        await press(visit.page, 'Delete');
        await awaitTrial(visit);
      },
    ],
    [
      'events',
      async (visit) => {
        await show('/events?outcome=succeeded')(visit);
        await visit.page.getByRole('table').getByText('Details').first().click();
      },
    ],
    ['refusals', show('/refusals')],
    [
      'refusals, filtered, and the command',
      async (visit) => {
        await show(`/refusals?client=${machine[0]}&status=401`)(visit);
        await visit.page.getByText('The same by curl').click();
      },
    ],
    ['refusals, none', show('/refusals?client=nobody')],
    [
      'refusal',
      async (visit) => {
        await show('/refusals')(visit);
        await visit.page.locator(`a[href$="/refusals/${refused}"]`).first().click();
        await visit.settle();
        await visit.page.getByText('What to do:').nth(1).waitFor();
      },
    ],
    [
      'refusal that is not kept',
      async (visit) => {
        visit.expectStatus(404);
        await show('/refusals/no-such-request')(visit);
      },
    ],
    ['registration tokens', show('/registration-tokens')],
    ['new registration token', show('/registration-tokens/new')],
    [
      'made registration token',
      async ({ page }) => {
        await press(page, 'Make a token');
        await page.getByText('Shown this once').waitFor();
      },
    ],
    ['upstreams', show('/upstreams')],
    ['new upstream', show('/upstreams/new')],
    ['upstream', show(`/upstreams/${upstream}/settings`)],
    [
      'upstream with another secret, to review',
      async ({ page }) => {
        await field(page, 'client_secret').fill('another-secret');
        await openReview(page);
      },
    ],
    ['events of an upstream', show(`/upstreams/${upstream}/events`)],
    [
      'upstream to disable',
      async (visit) => {
        await show(`/upstreams/${upstream}/settings`)(visit);
        await chooseAct(visit.page, 'Disable');
        await awaitTrial(visit);
      },
    ],
    ['issuers', show('/issuers')],
    ['new issuer', show('/issuers/new')],
    ['issuer', show(`${issuer}/settings`)],
    [
      'issuer to delete',
      async (visit) => {
        // A client names it.
        visit.expectStatus(409);
        await press(visit.page, 'Delete');
        await dialogOf(visit.page).getByRole('alert').waitFor();
      },
    ],
    [
      'signing keys',
      async (visit) => {
        await show('/keys')(visit);
        await visit.page.getByText('Public key (JWK)').first().click();
      },
    ],
    [
      'signing keys to rotate',
      async ({ page }) => {
        await press(page, 'Rotate');
        await dialogOf(page).waitFor();
      },
    ],
    ['settings', show('/settings')],
    ['no such page', show('/nothing')],
    [
      'menu of the user',
      async (visit) => {
        await show('/nothing')(visit);
        await visit.page.locator('summary', { hasText: 'Your account' }).click();
      },
    ],
    [
      'keys',
      async (visit) => {
        await show('/apis')(visit);
        await visit.page.keyboard.press('?');
        await dialogOf(visit.page).waitFor();
      },
    ],
    [
      'signed out elsewhere',
      async ({ page, show: go, expectStatus }) => {
        expectStatus(400, 401);
        await askAuthServer(`/sessions?user=${username}`, { method: 'DELETE' });
        await go('/registration-tokens?usable=true');
        await page.getByRole('button', { name: 'Sign in again' }).waitFor();
      },
    ],
    [
      'signed out elsewhere, in a dialog',
      async ({ page }) => {
        await page.keyboard.press('?');
        await dialogOf(page).getByRole('button', { name: 'Sign in again' }).waitFor();
      },
    ],
  ];
}
