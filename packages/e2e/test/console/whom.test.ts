import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeWithChromium } from '../support/chromium.ts';
import { redirectUri } from '../support/clients.ts';
import { chooseAct, dialogOf, useConsole } from '../support/console.ts';
import { makeGrant } from '../support/console-screens.ts';
import { administrator, plainUser } from '../support/people.ts';
import { press } from '../support/visits.ts';

describeWithChromium('what an administrator confirms at the console', () => {
  const world = useConsole();

  /** The title of the dialog that is open, which is closed then. */
  async function readTitle(page: Page): Promise<string> {
    const title = (await dialogOf(page).getByRole('heading').textContent()) ?? '';
    await press(dialogOf(page), 'Cancel');
    return title;
  }

  test('names the user whom it is about', async () => {
    const [username, password] = await world.makePerson();
    await world.open([username, password]);
    const path = `/users/${encodeURIComponent(username)}`;
    const { page, show, settle } = await world.open(administrator, `${path}/profile`);
    const acts = ['Disable', 'Invite', 'Withdraw the link', 'Set a password', 'Delete'];
    for (const act of acts) {
      await chooseAct(page, act);
      expect(await readTitle(page)).toBe(`${act}: ${username}`);
    }
    await show(`${path}/methods`);
    await settle();
    await press(page, 'Reset all ways to sign in');
    expect(await readTitle(page)).toBe(`Reset all ways to sign in: ${username}`);
    await press(page, 'Remove');
    expect(await readTitle(page)).toBe(`Remove: Password · ${username}`);
    await show(`${path}/sessions`);
    await settle();
    await press(page, 'End all sessions');
    expect(await readTitle(page)).toBe(`End all sessions: ${username}`);
    await press(page, 'End');
    expect(await readTitle(page)).toMatch(`End: ${username} · `);
  });

  test('names the application, and the user of it', async () => {
    const client_id = 'the-shop-that-is-named';
    const grants = { authorized_grant_types: ['authorization_code', 'refresh_token'], scope: ['openid', 'profile'] };
    const client_secret = 'the-secret-of-a-client';
    await world.askAuthServer('/clients', {
      json: { ...grants, client_id, client_secret, redirect_uri: redirectUri, require_consent: true },
    });
    await makeGrant(world.gatehouse, [client_id, client_secret]);
    const both = `${client_id} · ${plainUser[0]}`;
    const { page, show, settle } = await world.open(administrator, `/clients/${client_id}/access`);
    for (const [path, one] of [
      [`/clients/${client_id}/access`, client_id],
      [`/users/${encodeURIComponent(plainUser[0])}/access`, plainUser[0]],
    ] as const) {
      await show(path);
      await settle();
      for (const [act, of] of [
        ['End', both],
        ['End all', one],
        ['Withdraw', both],
      ] as const) {
        await press(page, act);
        expect(await readTitle(page)).toBe(`${act}: ${of}`);
      }
    }
    await show(`/clients/${client_id}/secrets`);
    await settle();
    await press(page, 'Make a new secret');
    expect(await readTitle(page)).toBe(`Make a new secret: ${client_id}`);
  });
});
