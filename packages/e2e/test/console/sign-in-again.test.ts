import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { withRows } from '../journeys/support/open-rows.ts';
import { describeWithChromium, submitSignIn } from '../support/chromium.ts';
import { dialogOf, field, openUserMenu, type Person, readReview, useConsole } from '../support/console.ts';
import { uniqueName } from '../support/unique.ts';
import { follow, isSeen, press } from '../support/visits.ts';
import { waitFor } from '../support/wait.ts';

describeWithChromium('a sign-in at the console that is over', () => {
  const world = useConsole();

  async function makeClient(): Promise<string> {
    const client_id = uniqueName('client');
    const grants = { authorized_grant_types: ['client_credentials'], scope: ['roles'] };
    await world.askAuthServer('/clients', { json: { ...grants, client_id, client_secret: 'the-secret-of-a-client' } });
    return client_id;
  }
  const readClient = async (clientId: string) =>
    (await world.askAuthServer(`/clients/${clientId}`)).json<Record<string, unknown>>();
  /** Presses "Sign in again", and signs in at the small window, which closes. */
  async function signInAgain(page: Page, person: Person): Promise<void> {
    const opened = page.waitForEvent('popup');
    await press(page, 'Sign in again');
    const small = await opened;
    const closed = small.waitForEvent('close');
    await submitSignIn(small, person);
    await closed;
    await page.getByRole('button', { name: 'Sign in again' }).waitFor({ state: 'detached' });
  }
  /** The grants of the console that a person has, once no more than one is left. */
  const countGrants = (person: Person) =>
    waitFor(
      async () => {
        const answer = await world.askAuthServer(`/grants?user=${person[0]}&client=gatehouse-console`);
        return answer.json<{ grants: unknown[] }>().grants.length;
      },
      (count) => count <= 1,
    );
  /** Makes the sign-in of a session older, as time does. */
  const age = (seconds: number) =>
    withRows(world.gatehouse, 'auth-server', (query) =>
      query('UPDATE browser_sessions SET auth_time = auth_time - ?, password_at = password_at - ?', [
        seconds * 1_000,
        seconds * 1_000,
      ]),
    );

  test('goes on in a small window where the session was ended elsewhere, and the save goes through', async () => {
    const [clientId, person] = [await makeClient(), await world.makePerson('SystemAdministrator')];
    const { page, expectStatus, requests } = await world.open(person, `/clients/${clientId}/settings`);
    await field(page, 'client_name').fill('Night shift');
    await field(page, 'access_token_validity').fill('77');
    await press(page, 'Review');
    expect(await readReview(page)).toHaveLength(2);
    await world.askAuthServer(`/sessions?user=${person[0]}`, { method: 'DELETE' });
    expectStatus(400, 401);
    await press(dialogOf(page), 'Save');
    await dialogOf(page).getByText('You are not signed in any more. What you typed is kept.').waitFor();
    await signInAgain(page, person);
    await page.getByText('Saved', { exact: true }).waitFor();
    await isSeen(page, 'Night shift');
    expect(await readClient(clientId)).toMatchObject({ client_name: 'Night shift', access_token_validity: 77 });
    expect(
      requests.filter((request) => request.method() === 'PATCH' && !request.url().includes('dry_run')),
    ).toHaveLength(2);
  });

  test('by another user gives up the act that waited, and what was typed', async () => {
    const [person, other] = [await world.makePerson('SystemAdministrator'), await world.makePerson('IdpAdministrator')];
    const clientId = await makeClient();
    const { page, expectStatus, requests } = await world.open(person, `/clients/${clientId}/settings`);
    await field(page, 'client_name').fill('Night shift');
    await press(page, 'Review');
    await readReview(page);
    await world.askAuthServer(`/sessions?user=${person[0]}`, { method: 'DELETE' });
    expectStatus(400, 401);
    await press(dialogOf(page), 'Save');
    await dialogOf(page).getByText('You are not signed in any more.').waitFor();
    await signInAgain(page, other);
    await (await openUserMenu(page)).getByText(other[0]).first().waitFor();
    expect(await field(page, 'client_name').inputValue()).toBe('');
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('Night shift');
    expect(await readClient(clientId)).not.toHaveProperty('client_name');
    const saves = requests.filter((request) => request.method() === 'PATCH' && !request.url().includes('dry_run'));
    expect(await Promise.all(saves.map(async (request) => (await request.response())?.status()))).toEqual([401]);
    // Of the sign-in in the small window nothing stays: the page has one of its own.
    expect(await countGrants(other)).toBe(1);
  });

  test('shows a list that was asked for meanwhile', async () => {
    const person = await world.makePerson('SystemAdministrator');
    const { page, expectStatus } = await world.open(person, '/clients');
    await isSeen(page, 'Applications');
    await world.askAuthServer(`/sessions?user=${person[0]}`, { method: 'DELETE' });
    expectStatus(400, 401);
    await follow(page, 'Users');
    await page.getByRole('alert').getByText('You are not signed in any more.').waitFor();
    await signInAgain(page, person);
    await page.getByRole('row').filter({ hasText: person[0] }).waitFor();
  });

  test('is asked for again before a grave act, and the act goes on by itself', async () => {
    const [clientId, person] = [await makeClient(), await world.makePerson('SystemAdministrator')];
    const { page, expectStatus, goto } = await world.open(person, '/clients');
    await isSeen(page, 'Applications');
    await age(1_000);
    await goto(`/clients/${clientId}/settings`);
    // A name is no grave change.
    await field(page, 'client_name').fill('Night shift');
    await press(page, 'Review');
    await readReview(page);
    await press(dialogOf(page), 'Save');
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.getByRole('checkbox', { name: 'Tokens are bound to a key' }).check();
    expectStatus(401);
    await press(page, 'Review');
    await dialogOf(page).getByText('This change needs a fresh sign-in. It goes on by itself then.').waitFor();
    await signInAgain(page, person);
    expect(await readReview(page)).toEqual([['dpop_bound_access_tokens', 'none', 'true']]);
    await press(dialogOf(page), 'Save');
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await readClient(clientId)).toMatchObject({ client_name: 'Night shift', dpop_bound_access_tokens: true });
    // The sign-in of before ended with the next one.
    expect(await countGrants(person)).toBe(1);
  });

  test('is not needed for an act that is given up', async () => {
    const [clientId, person] = [await makeClient(), await world.makePerson('SystemAdministrator')];
    const { page, expectStatus, goto } = await world.open(person, '/clients');
    await isSeen(page, 'Applications');
    await age(1_000);
    await goto(`/clients/${clientId}/settings`);
    await page.getByRole('checkbox', { name: 'Tokens are bound to a key' }).check();
    expectStatus(401);
    await press(page, 'Review');
    await press(page.getByRole('alert'), 'Cancel');
    await dialogOf(page).getByText('This change needs a fresh sign-in').waitFor({ state: 'detached' });
    await press(dialogOf(page), 'Back');
    expect(await page.getByRole('checkbox', { name: 'Tokens are bound to a key' }).isChecked()).toBe(true);
    expect(await readClient(clientId)).not.toHaveProperty('dpop_bound_access_tokens');
  });
});
