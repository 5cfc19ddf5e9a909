import { readFile } from 'node:fs/promises';
import { call, createClientKey, credentialsKey, keyEncryptionKey } from '@gatehouse/test-kit';
import { expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { withRows } from '../journeys/support/open-rows.ts';
import { buildAuthorizeUrl, signIn } from '../support/authorization.ts';
import { describeWithChromium, submitSignIn } from '../support/chromium.ts';
import { type Credentials, redirectUri, registerClient, serviceAccountKind } from '../support/clients.ts';
import { chooseAct, dialogOf, field, openActs, readReview, useConsole } from '../support/console.ts';
import { makeGrant } from '../support/console-screens.ts';
import { logo } from '../support/logo.ts';
import { startOidcProvider } from '../support/oidc-provider.ts';
import { administrator, idpAdministrator, plainUser, robotUsername } from '../support/people.ts';
import { postToken } from '../support/tokens.ts';
import { uniqueName } from '../support/unique.ts';
import { callbackOf, registerUpstream } from '../support/upstreams.ts';
import { follow, isSeen, press } from '../support/visits.ts';
import { waitFor } from '../support/wait.ts';

const orgPath = (username: string) => `/user/userId/${encodeURIComponent(username)}`;
const userPath = (username: string) => `/users/${encodeURIComponent(username)}`;

/** The secret of the screen, which is hidden until it is asked for. */
async function readSecret(page: Page): Promise<string> {
  const secret = page.locator('.secret code');
  expect(await secret.textContent()).toMatch(/^•+$/);
  await press(page.locator('.secret'), 'Show');
  return (await secret.textContent()) ?? '';
}

describeWithChromium('the work of an administrator at the console', () => {
  const world = useConsole();

  /** Whether a secret is right now. */
  async function works(clientId: string, secret: string): Promise<boolean> {
    const answer = await world.askAuthServer(`/clients/${clientId}/secret-checks`, { json: { secret } });
    return answer.json<{ matches: boolean }>().matches;
  }
  const readClient = async (clientId: string) =>
    (await world.askAuthServer(`/clients/${clientId}`)).json<Record<string, string>>();
  async function makeClient(): Promise<[clientId: string, secret: string]> {
    const [client_id, client_secret] = [uniqueName('client'), 'the-secret-of-a-client'];
    const grants = { authorized_grant_types: ['client_credentials'], scope: ['roles'] };
    await world.askAuthServer('/clients', { json: { ...grants, client_id, client_secret } });
    return [client_id, client_secret];
  }

  /** The access tokens that end with these clients, as far as the service counts them. */
  async function countTokens(...clientIds: string[]): Promise<number> {
    const trials = clientIds.map((id) => world.askAuthServer(`/clients/${id}?dry_run=true`, { method: 'DELETE' }));
    const ends = (await Promise.all(trials)).flatMap(
      (answer) => answer.json<{ ends: { what: string; count: number }[] }>().ends,
    );
    const counts = ends.filter(({ what }) => what === 'access_tokens').map(({ count }) => count);
    expect(counts).toEqual(clientIds.map(() => expect.any(Number)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** A web application of a third party. */
  async function makeShop(): Promise<Credentials> {
    const [client_id, client_secret] = [uniqueName('shop'), 'the-secret-of-a-client'];
    const grants = { authorized_grant_types: ['authorization_code', 'refresh_token'], scope: ['openid', 'profile'] };
    const json = { ...grants, client_id, client_secret, redirect_uri: redirectUri, require_consent: true };
    await world.askAuthServer('/clients', { json });
    return [client_id, client_secret];
  }

  test('says, before a change and in its review, that an object belongs to a project of files', async () => {
    const [clientId] = await makeClient();
    const change = { method: 'PATCH', json: { managed_by: 'the-shop' } };
    await world.askAuthServer(`/clients/${clientId}`, change);
    const { page } = await world.open(administrator, `/clients/${clientId}/settings`);
    const drift = 'A change here is drift for the project the-shop: change its files, too.';
    await page.getByText(drift).waitFor();
    await field(page, 'client_name').fill('Mine');
    await press(page, 'Review');
    await dialogOf(page).getByText(drift).waitFor();
    await press(dialogOf(page), 'Save');
    await page.getByText('Saved').waitFor();
    expect(await readClient(clientId)).toMatchObject({ client_name: 'Mine', managed_by: 'the-shop' });
  });

  test('says to which project of files an object belongs, and no copy of it does', async () => {
    const [clientId] = await makeClient();
    const json = { resource: `https://${uniqueName('api')}.example.com`, name: 'Orders' };
    const { id } = (await world.askAuthServer('/resources', { json })).json<{ id: string }>();
    const { page, goto, expectStatus } = await world.open(administrator);
    for (const path of [`/apis/${id}`, `/clients/${clientId}`]) {
      await goto(`${path}/settings`);
      expect(await page.getByLabel('Project').getAttribute('id')).toBe('managed_by');
      await field(page, 'managed_by').fill('the-shop');
      await press(page, 'Review');
      expect(await readReview(page)).toContainEqual(['managed_by', 'none', 'the-shop']);
      await press(dialogOf(page), 'Save');
      // The dialog says it, too, until it is gone.
      await dialogOf(page).waitFor({ state: 'detached' });
      await page.getByText('A change here is drift for the project the-shop').waitFor();
    }
    expect((await world.askAuthServer(`/resources/${id}`)).json()).toMatchObject({ managed_by: 'the-shop' });
    expect(await readClient(clientId)).toMatchObject({ managed_by: 'the-shop' });
    await field(page, 'managed_by').fill('configuration');
    expectStatus(400);
    await press(page, 'Review');
    await dialogOf(page).getByRole('listitem').filter({ hasText: 'managed_by' }).waitFor();
    await press(dialogOf(page), 'Back');
    expect(await field(page, 'managed_by').getAttribute('aria-invalid')).toBe('true');
    await field(page, 'managed_by').fill('the-shop');
    await chooseAct(page, 'Copy as new');
    await field(page, 'client_name').fill('Another one');
    await press(page, 'Review');
    const names = (await readReview(page)).map(([name]) => name);
    expect([names.includes('scope'), names.includes('managed_by')]).toEqual([true, false]);
  });

  test('registers an application, whose secret is shown this once', async () => {
    const clientId = 'the-shop-of-zoe';
    const { page } = await world.open(administrator, '/clients');
    await follow(page, 'Register an application');
    await page.getByLabel('Web application').check();
    await field(page, 'client_name').fill('The Shop of Zoë');
    expect(await field(page, 'client_id').inputValue()).toBe(clientId);
    const uris = 'https://shop.example.com/callback\nhttps://shop.example.com/second';
    await field(page, 'redirect_uris').fill(uris);
    await press(page, 'Review');
    expect(await readReview(page)).toContainEqual(['redirect_uris', uris]);
    await dialogOf(page).getByText('Nothing that works now ends by this.').waitFor();
    // The review has tried it, no more.
    await expect(readClient(clientId)).rejects.toThrow('404');
    await press(dialogOf(page), 'Register an application');
    await isSeen(page, 'The Shop of Zoë is registered');
    const secret = await readSecret(page);
    expect(await works(clientId, secret)).toBe(true);
    await press(page, 'Go on with its code');
    await isSeen(page, 'The Shop of Zoë');
    expect(new URL(page.url()).pathname).toBe(`/console/clients/${clientId}/integrate`);
    await page.goBack();
    await isSeen(page, 'Register an application');
    expect(await page.content()).not.toContain(secret);
  });

  test('adds an issuer, and is told which application names it before it can be deleted', async () => {
    const { page, expectStatus } = await world.open(administrator, '/issuers');
    await follow(page, 'Add an issuer');
    await field(page, 'issuer').fill('https://ci.example.com');
    await field(page, 'name').fill('Pipelines');
    const { jwk } = createClientKey('ES256', 'one');
    await field(page, 'jwks').fill(JSON.stringify({ keys: [jwk] }));
    await page.getByRole('checkbox', { name: 'ES256' }).check();
    await press(page, 'Review');
    expect(await readReview(page)).toContainEqual(['signature_algorithms', 'ES256']);
    await press(dialogOf(page), 'Add an issuer');
    await isSeen(page, 'Pipelines');
    const id = new URL(page.url()).pathname.split('/').at(-2) ?? '';
    const read = async () => (await world.askAuthServer(`/issuers/${id}`)).json<Record<string, unknown>>();
    expect(await read()).toMatchObject({ issuer: 'https://ci.example.com', kind: 'oidc', jwks: { keys: [jwk] } });
    const clientId = uniqueName('pipeline');
    await world.askAuthServer('/clients', {
      json: {
        ...{ client_id: clientId, scope: ['roles'], authorized_grant_types: ['client_credentials'] },
        token_endpoint_auth_method: 'federated_jwt',
        federated_credentials: [{ issuer: 'https://ci.example.com', subject: 'main' }],
      },
    });
    await field(page, 'name').fill('Pipelines of the shop');
    await press(page, 'Review');
    expect(await readReview(page)).toEqual([['name', 'Pipelines', 'Pipelines of the shop']]);
    await press(dialogOf(page), 'Save');
    await isSeen(page, 'Pipelines of the shop');
    expectStatus(409);
    await press(page, 'Delete');
    await dialogOf(page).getByRole('alert').getByText(clientId).waitFor();
    expect(await dialogOf(page).getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    await press(dialogOf(page), 'Cancel');
    await follow(page.getByRole('navigation', { name: 'Pipelines of the shop' }), 'Applications');
    await follow(page.getByRole('main'), clientId);
    await isSeen(page, clientId);
    await world.askAuthServer(`/clients/${clientId}`, { method: 'DELETE' });
    await page.goBack();
    await press(page, 'Delete');
    await dialogOf(page).getByLabel('to go on').fill('Pipelines of the shop');
    await press(dialogOf(page), 'Delete');
    await isSeen(page, 'Issuers');
    await expect(read()).rejects.toThrow('404');
  });

  test('adds an upstream, replaces its secret, which is never shown, and takes it away', async () => {
    const { page, expectStatus } = await world.open(administrator, '/upstreams');
    const alias = uniqueName('company');
    const check = async (secret: string) => {
      const answer = await world.askAuthServer(`/upstreams/${alias}/secret-checks`, { json: { secret } });
      return answer.json<{ matches: boolean }>().matches;
    };
    await follow(page, 'Add an upstream');
    const typed = { alias, display_name: 'The company', issuer: 'https://login.example.com', client_id: 'gatehouse' };
    const texts = { ...typed, client_secret: 'the-first-secret', scope: 'openid\nemail', email_domains: 'example.com' };
    for (const [name, value] of Object.entries(texts)) await field(page, name).fill(value);
    await field(page, 'link').selectOption('verified_email');
    await field(page, 'groups').fill('{ "claim": "groups", "map": { "/it": "staff/it" } }');
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).toContain('The company');
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('the-first-secret');
    await press(page, 'Review');
    const review = await readReview(page);
    expect(review).toContainEqual(['scope', 'openid\nemail']);
    expect(review).toContainEqual(['client_secret', 'as typed']);
    await press(dialogOf(page), 'Add an upstream');
    await isSeen(page, 'The company');
    expect(new URL(page.url()).pathname).toBe(`/console/upstreams/${alias}/settings`);
    await page.getByText(`/oauth/upstreams/${alias}/callback`).first().waitFor();
    await page.getByText('One is set. Type another to replace it.').waitFor();
    expect(await check('the-first-secret')).toBe(true);
    await field(page, 'client_secret').fill('the-second-secret');
    await press(page, 'Review');
    expect(await readReview(page)).toEqual([['client_secret', 'not shown', 'as typed']]);
    expect(await dialogOf(page).textContent()).not.toContain('the-second-secret');
    await press(dialogOf(page), 'Save');
    await page.getByText('Saved').waitFor();
    expect(await field(page, 'client_secret').inputValue()).toBe('');
    expect(await check('the-second-secret')).toBe(true);
    await field(page, 'domains').fill(`${alias}.example.com`);
    await field(page, 'local_methods').selectOption('refused');
    await field(page, 'groups').fill('');
    await press(page, 'Review');
    expect((await readReview(page)).map(([name]) => name)).toEqual(['domains', 'local_methods', 'groups']);
    await press(dialogOf(page), 'Save');
    await page.getByText('Saved').waitFor();
    const stored = (await world.askAuthServer(`/upstreams/${alias}`)).json<object>();
    expect(stored).toMatchObject({ kind: 'oidc', link: 'verified_email', domains: [`${alias}.example.com`] });
    expect(stored).not.toHaveProperty('groups');
    await page.getByLabel('Secret secret').fill('the-second-secret');
    await press(page, 'Check the secret');
    await page.getByText('It is the one that is set.').waitFor();
    // Linked users may be unknown to another client, so the change says that it is meant.
    await field(page, 'client_id').fill('another');
    expectStatus(409);
    await press(page, 'Review');
    await dialogOf(page).getByRole('alert').getByText('rekey').first().waitFor();
    await press(dialogOf(page), 'Back');
    await page.getByRole('checkbox', { name: 'The client ID changes on purpose' }).check();
    await press(page, 'Review');
    expect(await readReview(page)).toEqual([['client_id', 'gatehouse', 'another']]);
    await press(dialogOf(page), 'Save');
    await page.getByText('Saved').waitFor();
    await chooseAct(page, 'Disable');
    await press(dialogOf(page), 'Disable');
    await page.locator('.mark', { hasText: 'Disabled' }).waitFor();
    await chooseAct(page, 'Delete');
    await dialogOf(page).getByLabel('to go on').fill(alias);
    await press(dialogOf(page), 'Delete');
    await isSeen(page, 'Upstreams');
    await expect(world.askAuthServer(`/upstreams/${alias}`)).rejects.toThrow('404');
  });

  test('changes a setting after a review that says what ends', async () => {
    const [clientId, secret] = await makeClient();
    await postToken(world.gatehouse, { basic: [clientId, secret], form: { grant_type: 'client_credentials' } });
    const { page } = await world.open(administrator, `/clients/${clientId}/settings`);
    await field(page, 'client_name').fill('Night shift');
    await page.getByRole('checkbox', { name: 'Tokens are bound to a key' }).check();
    await page.getByText('2 changes', { exact: true }).waitFor();
    await press(page, 'Review');
    expect(await readReview(page)).toEqual([
      ['client_name', 'none', 'Night shift'],
      ['dpop_bound_access_tokens', 'none', 'true'],
    ]);
    await dialogOf(page).locator('.ends, .quiet').first().waitFor();
    await press(dialogOf(page), 'Save');
    await page.getByText('Saved', { exact: true }).waitFor();
    await isSeen(page, 'Night shift');
    expect(await readClient(clientId)).toMatchObject({ client_name: 'Night shift', dpop_bound_access_tokens: true });
  });

  test('overwrites no change of another administrator, and loses nothing that was typed', async () => {
    const [clientId] = await makeClient();
    const { page, expectStatus } = await world.open(administrator, `/clients/${clientId}/settings`);
    await field(page, 'client_name').fill('Mine');
    await world.askAuthServer(`/clients/${clientId}`, { method: 'PATCH', json: { client_name: 'Theirs' } });
    expectStatus(412);
    await press(page, 'Review');
    await dialogOf(page).getByText('This was changed meanwhile').waitFor();
    expect(await dialogOf(page).getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await press(dialogOf(page), 'Back');
    expect(await field(page, 'client_name').inputValue()).toBe('Mine');
    page.on('dialog', (dialog) => dialog.accept());
    await page.reload();
    await isSeen(page, 'Theirs');
    expect(await field(page, 'client_name').inputValue()).toBe('Mine');
    await press(page, 'Review');
    expect(await readReview(page)).toEqual([['client_name', 'Theirs', 'Mine']]);
    await press(dialogOf(page), 'Save');
    await isSeen(page, 'Mine');
  });

  test('replaces a secret without an outage', async () => {
    const [clientId, old] = await makeClient();
    const { page } = await world.open(administrator, `/clients/${clientId}/secrets`);
    await page.getByText('None works any more.').waitFor();
    await press(page, 'Make a new secret');
    await field(dialogOf(page), 'grace_seconds').selectOption('1 hour');
    await press(dialogOf(page), 'Make a new secret');
    const made = await readSecret(page);
    await page.getByText('Neither was used since.').waitFor();
    expect([await works(clientId, old), await works(clientId, made)]).toEqual([true, true]);
    const getToken = (secret: string) =>
      postToken(world.gatehouse, { basic: [clientId, secret], form: { grant_type: 'client_credentials' } });
    expect((await getToken(old)).status).toBe(200);
    await waitFor(
      () => readClient(clientId),
      (client) => client.previous_secret_last_used_at !== undefined,
    );
    await page.reload();
    await page.getByText('The old one is still used.').waitFor();
    expect(await page.content()).not.toContain(made);
    await page.getByRole('button', { name: 'End the old secret now' }).first().click();
    await dialogOf(page).getByText('something still has it, and stops working').waitFor();
    await press(dialogOf(page), 'End the old secret now');
    await page.getByText('None works any more.').waitFor();
    expect([await works(clientId, old), await works(clientId, made)]).toEqual([false, true]);
    await page.getByLabel('Secret', { exact: false }).and(page.locator('[type=password]')).fill(old);
    await press(page, 'Check a secret');
    await page.getByText('It does not work.').waitFor();
  });

  test('invites a colleague by a link, with a role', async () => {
    const { page } = await world.open(administrator, '/users');
    const username = `${uniqueName('colleague')}@example.com`;
    await follow(page, 'Make a user');
    await field(page, 'username').fill(username);
    await field(page, 'firstName').fill('Carla');
    await page.getByLabel('DirectoryReader').check();
    // No mails are sent.
    expect(await page.getByLabel('Invite by mail').count()).toBe(0);
    await page.getByLabel('Invite by a link').check();
    await press(page, 'Review');
    expect(await readReview(page)).toContainEqual(['roles', 'DirectoryReader']);
    await press(dialogOf(page), 'Make a user');
    await isSeen(page, `${username} is there`);
    const link = await readSecret(page);
    const other = await world.openStranger();
    await other.page.goto(link);
    const password = 'the-password-of-a-colleague';
    for (const each of await other.page.locator('[autocomplete=new-password]').all()) await each.fill(password);
    await other.page.locator('main form button[type=submit]').first().click();
    await other.page.locator('[autocomplete=new-password]').first().waitFor({ state: 'detached' });
    await other.page.context().clearCookies();
    await other.goto('');
    await submitSignIn(other.page, [username, password]);
    await isSeen(other.page, 'Users');
  });

  test('makes a group, puts users in, takes one out, and deletes it', async () => {
    const { page } = await world.open(administrator, '/groups');
    const [member, other] = [plainUser[0], idpAdministrator[0]];
    await follow(page, 'Make a group');
    await field(page, 'name').fill('staff/it');
    await press(page, 'Review');
    await press(dialogOf(page), 'Make a group');
    await isSeen(page, 'staff/it');
    const id = new URL(page.url()).pathname.split('/').at(-2) ?? '';
    const listMembers = async () => {
      const answer = await world.askOrgApi(`/group/${id}/members`);
      return answer.json<{ members: { username: string }[] }>().members.map(({ username }) => username);
    };
    await press(page, 'Add users');
    await field(dialogOf(page), 'add').fill(`${member}\n  ${other}\n`);
    await press(dialogOf(page), 'Add users');
    await follow(page.getByRole('main'), member);
    expect(await field(page, 'groups').inputValue()).toBe('staff/it');
    expect((await listMembers()).toSorted()).toEqual([member, other].toSorted());

    await page.goBack();
    await page.getByRole('checkbox', { name: `Choose ${other}`, exact: true }).check();
    await press(page, 'Remove from the group');
    await press(dialogOf(page), 'Remove from the group');
    await press(dialogOf(page), 'Close');
    await page.getByRole('main').getByRole('link', { name: other }).waitFor({ state: 'detached' });
    expect(await listMembers()).toEqual([member]);

    await follow(page.getByRole('navigation', { name: 'staff/it' }), 'Events');
    await page.getByRole('table').getByText('Details').first().waitFor();
    await press(page, 'Delete');
    await dialogOf(page).getByLabel('to go on').fill('staff/it');
    await press(dialogOf(page), 'Delete');
    await isSeen(page, 'Groups');
    await expect(listMembers()).rejects.toThrow('404');
  });

  test('takes a user out of all groups on the screen of the user', async () => {
    const name = uniqueName('group');
    const [username] = await world.makePerson('DirectoryReader');
    const { id } = (await world.askOrgApi('/group', { json: { name } })).json<{ id: string }>();
    await world.askOrgApi(`/group/${id}/members`, { json: { add: [username] } });
    const { page } = await world.open(administrator, `${userPath(username)}/profile`);
    await field(page, 'groups').fill('');
    await press(page, 'Review');
    expect(await readReview(page)).toEqual([['groups', name, 'none']]);
    await press(dialogOf(page), 'Save');
    await dialogOf(page).waitFor({ state: 'detached' });
    expect((await world.askOrgApi(`/group/${id}/members`)).json()).toEqual({ members: [] });
  });

  test('ends a session of a user', async () => {
    const person = await world.makePerson('DirectoryReader');
    const theirs = await world.open(person);
    const { page } = await world.open(administrator, `${userPath(person[0])}/sessions`);
    await press(page, 'End');
    await dialogOf(page).getByText('The browser is signed out').waitFor();
    await press(dialogOf(page), 'End');
    await page.getByText('This user is signed in nowhere.').waitFor();
    await theirs.page.reload();
    await theirs.page.getByLabel('Password').waitFor();
  });

  test('takes away the access of a Robot', async () => {
    const robot = await registerClient(world.gatehouse, serviceAccountKind());
    // What one service learnt of a user holds there for a second at most.
    const getsToken = async (wished: number) => {
      const form = { grant_type: 'client_credentials' };
      const ask = async () => (await postToken(world.gatehouse, { basic: robot, form })).status;
      expect(await waitFor(ask, (status) => status === wished, 1_000)).toBe(wished);
    };
    await getsToken(200);
    const { page } = await world.open(administrator, `${userPath(robotUsername)}/profile`);
    await page.getByRole('link', { name: robot[0] }).waitFor();
    await chooseAct(page, 'Disable');
    await press(dialogOf(page), 'Disable');
    await page.getByText('Disabled', { exact: true }).waitFor();
    await getsToken(400);
    await chooseAct(page, 'Enable');
    await press(dialogOf(page), 'Enable');
    await page.getByText('Disabled', { exact: true }).waitFor({ state: 'detached' });
    await getsToken(200);
  });

  test('finds a refused sign-in among the events, and by its request id', async () => {
    const stranger = await world.openStranger();
    await stranger.goto('');
    const answer = stranger.page.waitForResponse('**/oauth/sign-in');
    await submitSignIn(stranger.page, [plainUser[0], 'a-wrong-password']);
    const request = (await (await answer).headerValue('x-request-id')) ?? '';
    const { page, expectStatus } = await world.open(administrator, '/events');
    await page.getByText('Filters', { exact: true }).click();
    await page.getByLabel('Outcome').selectOption('Refused');
    const row = page.getByRole('row').filter({ hasText: request });
    await row.getByText('Wrong credentials').waitFor();
    await row.getByText(plainUser[0]).first().waitFor();
    // It is no client.
    expectStatus(404);
    await page.getByLabel('Find a client, a user or a request').fill(request);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/refusals/${request}`);
    await isSeen(page, request);
    await page.getByText('What to do:').waitFor();
    await follow(page, 'Events of this request');
    await page.waitForURL((url) => url.searchParams.get('request') === request);
    await page.getByText('Wrong credentials').and(page.locator('.mark')).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
  });

  test('explains a refused request by its id, and leads to what it is about', async () => {
    const [clientId] = await makeClient();
    const form = { grant_type: 'client_credentials' };
    const answer = await postToken(world.gatehouse, { basic: [clientId, 'not its secret'], form });
    const request = String(answer.headers['x-request-id']);
    const { page, expectStatus } = await world.open(administrator);
    // It is no client, and org-api refused nothing.
    expectStatus(404);
    const { refusals } = await waitFor(
      async () =>
        (await world.askAuthServer(`/refusals?request=${request}`)).json<{ refusals: { reason: string }[] }>(),
      (answered) => answered.refusals.length > 0,
    );
    const [{ reason } = { reason: '' }] = refusals;
    await page.getByLabel('Find a client, a user or a request').fill(request);
    await page.keyboard.press('Enter');
    await isSeen(page, request);
    const card = page.locator('.refusal');
    await card.getByRole('heading', { name: reason, exact: true }).waitFor();
    await card.getByText('What to do: ').waitFor();
    await card.getByText('invalid_client').waitFor();
    await follow(page, clientId);
    await isSeen(page, clientId);
  });

  test('finds a request that org-api alone refused', async () => {
    const request = uniqueName('refused-by-org-api');
    const headers = { 'x-request-id': request };
    await call(`${world.gatehouse.baseUrl}/organization/api/organization/user`, { headers });
    await waitFor(
      async () => (await world.askOrgApi(`/refusals?request=${request}`)).json<{ refusals: unknown[] }>(),
      (answered) => answered.refusals.length > 0,
    );
    const { page, expectStatus } = await world.open(administrator);
    // It is no client, and auth-server refused nothing.
    expectStatus(404);
    await page.getByLabel('Find a client, a user or a request').fill(request);
    await page.keyboard.press('Enter');
    await isSeen(page, request);
    await page.locator('.refusal').getByText('org-api').waitFor();
  });

  test('sees by the overview what happens, and goes on to it', async () => {
    const [clientId, secret] = await makeClient();
    for (const each of [secret, 'not its secret']) {
      await postToken(world.gatehouse, { basic: [clientId, each], form: { grant_type: 'client_credentials' } });
    }
    await waitFor(
      async () => (await world.askAuthServer('/statistics?measure=tokens&by=client&step=hour')).text,
      (text) => text.includes(clientId),
    );
    const { page, settle } = await world.open(administrator);
    const month = page.getByRole('button', { name: '30 days' });
    const colour = () => month.evaluate((button) => getComputedStyle(button).borderColor);
    const released = await colour();
    await month.click();
    await settle();
    expect([await month.getAttribute('aria-pressed'), await colour()]).not.toEqual(['true', released]);
    await page.reload();
    await settle();
    expect([new URL(page.url()).search, await month.getAttribute('aria-pressed')]).toEqual(['?span=month', 'true']);
    const busiest = page.locator('.bars', { hasText: 'Busiest applications' });
    const row = busiest.getByRole('listitem').filter({ hasText: clientId });
    expect(await row.locator('span').textContent()).toBe('1');
    await busiest.getByText('Numbers', { exact: true }).click();
    const numbers = busiest.getByRole('table').getByRole('row');
    expect(await numbers.count()).toBeGreaterThan(29);
    const { version } = (await world.askAuthServer('/configuration')).json<{ version: string }>();
    for (const service of ['auth-server', 'org-api']) {
      const card = page.locator('section', { has: page.getByRole('heading', { name: service, exact: true }) });
      await card.locator('dd').getByText(version, { exact: true }).waitFor();
    }
    await follow(page.locator('.bars', { hasText: 'Refusals by reason' }), 'invalid_client');
    await isSeen(page, 'Refusals');
    const since = new URL(page.url()).searchParams.get('from') ?? '';
    expect(Math.round((Date.now() - Date.parse(since)) / 86_400_000)).toBe(30);
    await page.getByRole('row').getByRole('link', { name: clientId }).waitFor();
  });

  test('goes on from sign-ins that the limit refused to the refusals', async () => {
    const [clientId] = await makeShop();
    const parameters = { response_type: 'code', client_id: clientId, redirect_uri: redirectUri };
    const url = buildAuthorizeUrl(world.gatehouse, { ...parameters, scope: 'openid' });
    const person: [string, string] = [`${uniqueName('nobody')}@example.com`, 'not-it'];
    for (let count = 0; count < 11; count += 1) await signIn(url, person);
    await waitFor(
      async () => (await world.askAuthServer('/statistics?measure=sign_ins&by=outcome&step=hour')).text,
      (text) => text.includes('rate_limited'),
    );
    await waitFor(
      async () => (await world.askAuthServer('/refusals?status=429')).json<{ refusals: unknown[] }>().refusals.length,
      (count) => count > 0,
    );
    const { page } = await world.open(administrator);
    await follow(page.locator('.bars', { hasText: 'Sign-ins' }), 'Too many tries');
    await isSeen(page, 'Refusals');
    await page.getByRole('row').getByRole('link', { name: clientId }).first().waitFor();
  });

  test('sees what a token would say, and what it would take', async () => {
    const shop = await makeShop();
    const { page } = await world.open(administrator, `/clients/${shop[0]}/try`);
    await field(page, 'username').fill(plainUser[0]);
    await press(page, 'Preview');
    const idToken = page.locator('section', { hasText: 'ID token' }).locator('pre');
    await idToken.waitFor();
    expect(JSON.parse((await idToken.textContent()) ?? '')).toMatchObject({
      ...{ aud: shop[0], acr: 'urn:gatehouse:acr:password' },
    });
    await page.getByRole('heading', { name: 'Consent' }).waitFor();
    await field(page, 'scope').fill('openid orders.write');
    await press(page, 'Preview');
    await isSeen(page, 'No token would be issued');
    await page.locator('.refusal').getByText('invalid_scope').waitFor();
    expect(await idToken.count()).toBe(0);
    // Nothing was issued.
    expect((await world.askAuthServer(`/grants?client=${shop[0]}`)).json()).toEqual({ grants: [] });
  });

  test('ends what an application may do for a user', async () => {
    const shop = await makeShop();
    await makeGrant(world.gatehouse, shop);
    const { page, goto } = await world.open(administrator, `/clients/${shop[0]}/access`);
    await page.getByRole('link', { name: plainUser[0] }).first().waitFor();
    await page.getByRole('listitem').getByText('APIs: the organization API').waitFor();
    const read = async (what: 'grants' | 'consents') =>
      (await world.askAuthServer(`/${what}?client=${shop[0]}`)).json<Record<string, unknown[]>>()[what];
    expect([await read('grants'), await read('consents')]).toEqual([[expect.anything()], [expect.anything()]]);
    await press(page, 'End');
    await dialogOf(page).getByText('Its refresh token and its access tokens end.').waitFor();
    await press(dialogOf(page), 'End');
    await page.getByText('No grant is live.').waitFor();
    expect([await read('grants'), await read('consents')]).toEqual([[], [expect.anything()]]);
    await press(page, 'Withdraw');
    await press(dialogOf(page), 'Withdraw');
    await page.getByText('No consent was given.').waitFor();
    expect(await read('consents')).toEqual([]);
    // The same from the side of the user, who is asked again.
    await makeGrant(world.gatehouse, shop);
    await goto(`/users/${encodeURIComponent(plainUser[0])}/access`);
    const row = page.getByRole('listitem').filter({ hasText: shop[0] });
    await row.getByRole('button', { name: 'End' }).click();
    await press(dialogOf(page), 'End');
    await row.getByRole('button', { name: 'End' }).waitFor({ state: 'detached' });
    expect(await read('grants')).toEqual([]);
  });

  test('reads the configuration in force, without secrets', async () => {
    const { page } = await world.open(administrator, '/settings');
    for (const service of ['auth-server', 'org-api']) {
      const section = page.locator('section', { has: page.getByRole('heading', { name: service, exact: true }) });
      const row = (name: string) => section.getByRole('row').filter({ has: page.getByText(name, { exact: true }) });
      await row('BASE_URL').getByText(world.gatehouse.baseUrl, { exact: true }).waitFor();
      await row('BASE_URL').getByText('environment', { exact: true }).waitFor();
      await section.getByText('ok', { exact: true }).waitFor();
      await section.getByText(/^(sqlite|mysql|mariadb) \d/i).waitFor();
    }
    const text = (await page.getByRole('main').textContent()) ?? '';
    for (const secret of [administrator[1], credentialsKey, keyEncryptionKey]) expect(text).not.toContain(secret);
  });

  test('rotates the keys', async () => {
    const { page } = await world.open(administrator, '/keys');
    const signs = page.locator('.rows li').filter({ has: page.getByText('Signs', { exact: true }) });
    await signs.first().waitFor();
    const signing = await signs.locator('code').allTextContents();
    await press(page, 'Rotate');
    await dialogOf(page).getByText('A new key is published now').waitFor();
    await press(dialogOf(page), 'Rotate');
    const waiting = page.locator('.rows li').filter({ has: page.getByText('Waits', { exact: true }) });
    await waiting.first().waitFor();
    const published = await waiting.locator('code').allTextContents();
    expect(published.filter((kid) => signing.includes(kid))).toEqual([]);
    const shown = [...published, ...signing];
    const keySet = await waitFor(
      async () => (await call(`${world.gatehouse.authUrl}/.well-known/jwks.json`)).text,
      (text) => shown.every((kid) => text.includes(kid)),
    );
    for (const kid of shown) expect(keySet).toContain(kid);
  });

  test('gives an application a logo, and takes it away', async () => {
    const [clientId] = await makeClient();
    const { page, expectStatus } = await world.open(administrator, `/clients/${clientId}/settings`);
    // There is none yet, and none at the end.
    expectStatus(404);
    await page.getByText('Logo', { exact: true }).click();
    await page.getByText('None yet.').waitFor();
    const file = { name: 'logo.png', mimeType: 'image/png', buffer: logo };
    await page.getByLabel('A PNG image').setInputFiles(file);
    await press(dialogOf(page), 'Use this logo');
    const image = page.getByRole('img', { name: 'Logo' });
    await image.waitFor();
    expect(await image.evaluate((each: HTMLImageElement) => each.decode().then(() => each.naturalWidth))).toBe(16);
    await press(page, 'Take the logo away');
    await press(dialogOf(page), 'Take the logo away');
    await page.getByText('None yet.').waitFor();
    await expect(world.askAuthServer(`/clients/${clientId}/logo`)).rejects.toThrow('404');
  });

  test('sees what is wrong at the field of a new application', async () => {
    const { page, expectStatus } = await world.open(administrator, '/clients/new');
    await page.getByLabel('Web application').check();
    await field(page, 'client_name').fill('The Shop of Yves');
    await field(page, 'redirect_uris').fill('no address');
    expectStatus(400);
    await press(page, 'Review');
    await dialogOf(page).getByRole('listitem').filter({ hasText: 'redirect_uris' }).waitFor();
    expect(await dialogOf(page).getByRole('button', { name: 'Register an application' }).isDisabled()).toBe(true);
    await press(dialogOf(page), 'Back');
    const wrong = field(page, 'redirect_uris');
    expect(await wrong.getAttribute('aria-invalid')).toBe('true');
    const described = (await wrong.getAttribute('aria-describedby'))?.split(' ') ?? [];
    expect(described).toContain('redirect_uris-fault');
    await page.locator('#redirect_uris-fault').getByText('must be an absolute URL').waitFor();
    await wrong.fill('https://shop.example.com/callback');
    await press(page, 'Review');
    await readReview(page);
  });

  test('allows an application all roles', async () => {
    const client_id = uniqueName('client');
    const grants = { authorized_grant_types: ['client_credentials'], scope: ['roles'] };
    const json = { ...grants, client_id, client_secret: 'the-secret-of-a-client' };
    await world.askAuthServer('/clients', { basic: idpAdministrator, json });
    const { page } = await world.open(administrator, `/clients/${client_id}/settings`);
    await chooseAct(page, 'Allow all roles');
    await press(dialogOf(page), 'Allow all roles');
    await page.getByText('All roles', { exact: true }).waitFor();
    expect((await readClient(client_id)).ceiling).toContain('SystemAdministrator');
  });

  test('settles the finding about a client that has all roles from before', async () => {
    const [clientId] = await makeClient();
    await withRows(world.gatehouse, 'auth-server', (query) =>
      query('UPDATE clients SET ceiling_given_at = NULL WHERE client_id = ?', [clientId]),
    );
    await world.askAuthServer(`/clients/${clientId}`, { method: 'PATCH', json: { client_name: 'From before' } });
    const { page } = await world.open(administrator);
    const finding = page.locator('.findings > li').filter({ hasText: clientId });
    await follow(finding, 'Look');
    await isSeen(page, 'From before');
    await chooseAct(page, 'Allow all roles');
    await dialogOf(page).getByText('now you do').waitFor();
    await press(dialogOf(page), 'Allow all roles');
    await page.getByText('All roles since', { exact: true }).waitFor();
    expect(await (await openActs(page)).getByRole('button', { name: 'Allow all roles' }).count()).toBe(0);
    await follow(page.getByRole('navigation', { name: 'Places' }), 'Overview');
    await page.locator('.findings > li').first().waitFor();
    await finding.waitFor({ state: 'detached' });
  });

  test('saves applications that were chosen, without secrets', async () => {
    const [clientId, secret] = await makeClient();
    const { page } = await world.open(administrator, `/clients?search=${clientId}`);
    await page.getByRole('checkbox', { name: `Choose ${clientId}`, exact: true }).check();
    const saved = page.waitForEvent('download');
    await press(page, 'Export as JSON');
    const text = await readFile(await (await saved).path(), 'utf8');
    expect(JSON.parse(text)).toEqual([await readClient(clientId)]);
    expect(text).not.toContain(secret);
  });

  test('is told what ends before many applications are deleted, and types their number where one was used', async () => {
    const [[used, secret], [other, itsSecret], [gone]] = [await makeClient(), await makeClient(), await makeClient()];
    const form = { grant_type: 'client_credentials' };
    const getToken = (...basic: Credentials) => postToken(world.gatehouse, { basic, form });
    await getToken(used, secret);
    await waitFor(
      () => readClient(used),
      (client) => client.last_used_at !== undefined,
    );
    const { page, expectStatus } = await world.open(administrator, '/clients?sort=-updated_at');
    for (const id of [used, other, gone])
      await page.getByRole('checkbox', { name: `Choose ${id}`, exact: true }).check();
    await press(page, 'Disable');
    await dialogOf(page)
      .getByText(`${await countTokens(used)} access tokens`)
      .waitFor();
    await press(dialogOf(page), 'Cancel');
    await getToken(other, itsSecret);
    await world.askAuthServer(`/clients/${gone}`, { method: 'DELETE' });
    expectStatus(404);
    await press(page, 'Delete');
    await dialogOf(page)
      .getByText(`${await countTokens(used, other)} access tokens`)
      .waitFor();
    const rows = dialogOf(page).getByRole('listitem');
    await rows.filter({ hasText: gone }).getByText('no client has this client_id').waitFor();
    const button = dialogOf(page).getByRole('button', { name: 'Delete' });
    expect(await button.isDisabled()).toBe(true);
    expect(await dialogOf(page).locator('.command .code').count()).toBe(2);
    await dialogOf(page).getByLabel('Type 2 to go on').fill('2');
    await button.click();
    await press(dialogOf(page), 'Close');
    await page.getByRole('checkbox', { name: `Choose ${used}`, exact: true }).waitFor({ state: 'detached' });
    for (const id of [used, other]) await expect(readClient(id)).rejects.toThrow('404');
  });

  test('disables many users once they were shown', async () => {
    const people = [await world.makePerson(), await world.makePerson('DirectoryReader')].map(([name]) => name);
    const { page } = await world.open(administrator, '/users?userType=Person');
    for (const name of people) await page.getByRole('checkbox', { name: `Choose ${name}`, exact: true }).check();
    await press(page, 'Disable');
    await dialogOf(page).getByText('all sessions').waitFor();
    await press(dialogOf(page), 'Disable');
    await press(dialogOf(page), 'Close');
    for (const name of people) {
      await page.getByRole('row').filter({ hasText: name }).getByText('Disabled', { exact: true }).waitFor();
    }
  });

  test('takes an account elsewhere away from a user', async () => {
    const { authUrl } = world.gatehouse;
    const person = await world.makePerson();
    const claims = { email: 'ann@corp.example', email_verified: true };
    const provider = await startOidcProvider({
      ...{ redirectUri: callbackOf(world.gatehouse, 'corp'), accounts: [{ subject: 'ann-there', claims }] },
    });
    const { issuer, client } = provider;
    await registerUpstream(world.gatehouse, { alias: 'corp', display_name: 'Corp SSO', issuer, ...client });
    const { page } = await world.open(administrator, `${userPath(person[0])}/methods`);
    await page.locator('.rows strong', { hasText: 'Password' }).waitFor();
    expect(await page.locator('.rows > li').count()).toBe(1);
    // Of a browser that nobody watches: the other server has an origin of its own.
    const there = await (page.context().browser() as Browser).newPage();
    await there.goto(`${authUrl}/account`);
    await press(there, 'Continue with Corp SSO');
    await there.getByLabel('Subject').fill('ann-there');
    await press(there, 'Sign in there');
    await submitSignIn(there, person);
    await press(there, 'Yes, link it');
    await there.getByText(person[0]).first().waitFor();
    await there.context().close();
    await provider.stop();
    await page.reload();
    const row = page.locator('.rows > li').filter({ hasText: 'Account at: corp' });
    await row.getByText(`${issuer} · ann-there`).waitFor();
    await row.getByRole('button', { name: 'Remove' }).click();
    await dialogOf(page).getByText('The account there signs the user in no more.').waitFor();
    await press(dialogOf(page), 'Remove');
    await row.waitFor({ state: 'detached' });
    const { identities } = (await world.askOrgApi(`${orgPath(person[0])}/identities`)).json<{
      identities: unknown[];
    }>();
    expect(identities).toEqual([]);
    await world.askAuthServer('/upstreams/corp', { method: 'DELETE' });
  });

  test('finds clients and users by the search field', async () => {
    const [clientId] = await makeClient();
    const { page, expectStatus } = await world.open(administrator);
    expectStatus(404);
    const find = async (text: string) => {
      await page.getByLabel('Find a client, a user or a request').fill(text);
      await page.keyboard.press('Enter');
    };
    await find(clientId);
    await isSeen(page, clientId);
    await find(plainUser[0]);
    await isSeen(page, 'Ursula User');
    await find('ursula');
    await page.waitForURL(`**${userPath(plainUser[0])}/profile`);
    await find('nothing-has-this');
    await page.getByText('Nothing has this name').waitFor();
  });

  test('deletes an application: its name is typed where it was used of late', async () => {
    const [clientId, secret] = await makeClient();
    await postToken(world.gatehouse, { basic: [clientId, secret], form: { grant_type: 'client_credentials' } });
    await waitFor(
      () => readClient(clientId),
      (client) => client.last_used_at !== undefined,
    );
    const { page } = await world.open(administrator, `/clients/${clientId}/settings`);
    await chooseAct(page, 'Delete');
    const button = dialogOf(page).getByRole('button', { name: 'Delete' });
    await dialogOf(page).getByText('access token').waitFor();
    expect(await button.isDisabled()).toBe(true);
    await dialogOf(page).getByLabel(`Type ${clientId} to go on`).fill(clientId);
    await button.click();
    await isSeen(page, 'Applications');
    expect((await call(`${world.gatehouse.authUrl}/clients/${clientId}`, { basic: administrator })).status).toBe(404);
  });
});
