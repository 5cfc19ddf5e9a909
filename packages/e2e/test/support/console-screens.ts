import type { Answer, CallOptions } from '@gatehouse/test-kit';
import type { Page } from 'playwright-core';
import { type ConsolePage, chooseAct, dialogOf, field } from './console.ts';
import { plainUser, robotUsername } from './people.ts';
import { press } from './visits.ts';

/** A screen of the console, and how to get there. */
export type Screen = [name: string, go: (visit: ConsolePage) => Promise<unknown>];

type Ask = (path: string, options?: CallOptions) => Promise<Answer>;

/** What the screens show. */
export interface Shown {
  clientId: string;
  apiId: string;
}

const userPath = (username: string) => `/users/${encodeURIComponent(username)}`;

/** A PNG image of 16 by 16 pixels. */
export const logo = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mOQ9eskCTGMahjVMHw1AABM6/QBWKQOqAAAAABJRU5ErkJggg==',
  'base64',
);

/** Registers what the screens show: a client with a logo whose old secret still works, an API, a registration token. */
export async function makeShown(ask: Ask): Promise<Shown> {
  const resource = 'https://orders.example.com/api';
  const [client, api] = await Promise.all([
    ask('/clients', {
      headers: { prefer: 'return=representation' },
      json: {
        ...{ client_id: 'shop', client_name: 'The shop', redirect_uris: ['https://shop.example.com/callback'] },
        ...{ scope: ['openid', 'profile'], authorized_grant_types: ['authorization_code', 'refresh_token'] },
        ...{ token_endpoint_auth_method: 'client_secret_basic', require_consent: true },
      },
    }),
    ask('/resources', {
      json: { resource, name: 'Orders', scopes: [{ name: 'orders.read', description: 'Read your orders' }] },
    }),
    ask('/registration-tokens', { json: { uses: 3, expires_in: 3_600, grant_types: ['authorization_code'] } }),
  ]);
  const { client_id } = client.json<{ client: { client_id: string } }>().client;
  await ask(`/clients/${client_id}`, { method: 'PATCH', json: { resources: [resource], default_resource: resource } });
  await ask(`/clients/${client_id}/secret`, { json: { grace_seconds: 3_600 } });
  await ask(`/clients/${client_id}/logo`, { method: 'PUT', headers: { 'content-type': 'image/png' }, body: logo });
  return { clientId: client_id, apiId: api.json<{ id: string }>().id };
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
export function listScreens({ clientId, apiId }: Shown, ask: Ask, username: string): Screen[] {
  const client = `/clients/${clientId}`;
  const api = `/apis/${apiId}`;
  const user = userPath(plainUser[0]);
  return [
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
      'changed application',
      async (visit) => {
        await show(`${client}/settings`)(visit);
        await field(visit.page, 'client_name').fill('The other shop');
        await visit.page.getByText('1 change', { exact: true }).waitFor();
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
    [
      'application to delete',
      async (visit) => {
        await show(`${client}/json`)(visit);
        await chooseAct(visit.page, 'Delete');
        await awaitTrial(visit);
      },
    ],
    ['events of an application', show(`${client}/events`)],
    ['JSON of an application', show(`${client}/json`)],
    ['APIs', show('/apis')],
    ['new API', show('/apis/new')],
    ['API', show(`${api}/settings`)],
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
    ['sessions', show(`${userPath(username)}/sessions`)],
    ['events of a user', show(`${user}/events`)],
    [
      'events',
      async (visit) => {
        await show('/events?outcome=succeeded')(visit);
        await visit.page.getByRole('table').getByText('Details').first().click();
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
        await ask(`/sessions?user=${username}`, { method: 'DELETE' });
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
