import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeWithChromium } from '../support/chromium.ts';
import { passwordKind, redirectUri, registerClient } from '../support/clients.ts';
import { chooseAct, dialogOf, field, readReview, useConsole } from '../support/console.ts';
import {
  awaitNumbers,
  makeGrant,
  makeGroup,
  makeIssuer,
  makeRefusal,
  makeUpstream,
} from '../support/console-screens.ts';
import { logo } from '../support/logo.ts';
import { measureSidewaysScroll } from '../support/page-measures.ts';
import { administrator } from '../support/people.ts';
import { postToken } from '../support/tokens.ts';
import { press } from '../support/visits.ts';

const markup = '<img src=x onerror=alert(1)>';
/** As long as names may be, without a place to break the line. */
const longest = 'W'.repeat(128);
/** It turns what follows around. */
const turned = `\u202e${'W'.repeat(100)}gnp.exe`;
const longId = 'w'.repeat(255);
/** May take passwords, which is a finding. */
const foundId = 'v'.repeat(255);
const username = `${'w'.repeat(100)}@${'w'.repeat(60)}.example`;
const longUri = `https://${'w'.repeat(60)}.example/${'u'.repeat(2_048)}`.slice(0, 2_048);
const secret = 'the-secret-of-a-client';
const grants = { authorized_grant_types: ['authorization_code'], scope: ['openid', 'profile'] };
/** Callers choose the ids of their requests. */
const refused = 'r'.repeat(128);

describeWithChromium('hostile names at the console', () => {
  const world = useConsole({ DISPLAY_NAME: longest });
  let api: string;
  let issuer: string;
  let group: string;

  beforeAll(async () => {
    const clients = [
      { client_id: 'markup', client_name: markup, redirect_uris: ['https://shop.example.com/'] },
      {
        ...{
          client_id: longId,
          client_name: longest,
          redirect_uris: [longUri, `${longUri.slice(0, -1)}x`, redirectUri],
        },
        require_consent: true,
      },
    ];
    for (const client of clients) {
      await world.askAuthServer('/clients', { json: { ...grants, client_secret: secret, ...client } });
      const put = { method: 'PUT', headers: { 'content-type': 'image/png' }, body: logo };
      await world.askAuthServer(`/clients/${client.client_id}/logo`, put);
    }
    const resource = `https://${'w'.repeat(60)}.example/${'r'.repeat(180)}`;
    const scopes = [{ name: 'orders.read', description: 'W'.repeat(128) }];
    const made = await world.askAuthServer('/resources', { json: { resource, name: longest, scopes } });
    api = made.json<{ id: string }>().id;
    issuer = await makeIssuer(world, 'u'.repeat(255), {
      issuer: `https://${'w'.repeat(60)}.example/${'i'.repeat(430)}`,
      name: longest,
    });
    await world.askAuthServer('/issuers', { json: { issuer: 'https://markup.example.com', name: markup } });
    await makeUpstream(world, 'a'.repeat(32), {
      ...{ display_name: 'W'.repeat(64), client_id: 'c'.repeat(255) },
      issuer: `https://${'w'.repeat(60)}.example/${'i'.repeat(430)}`,
    });
    await makeUpstream(world, 'new', { display_name: markup.slice(0, 64) });
    const password = 'the-password-of-a-person';
    const person = { userType: 'Person', password };
    const names = { firstName: 'W'.repeat(255), lastName: 'W'.repeat(255), nickname: turned };
    await world.askOrgApi('/user', { json: { ...person, username, ...names } });
    const others = { firstName: markup, lastName: turned };
    await world.askOrgApi('/user', { json: { ...person, username: 'markup@example.com', ...others } });
    group = await makeGroup(world, { name: longest, description: 'w'.repeat(255) }, [username]);
    await world.askOrgApi('/group', { json: { name: markup, description: markup } });
    await makeGrant(world.gatehouse, [longId, secret], [username, password]);
    const form = { grant_type: 'password', username, password: 'a-wrong-password' };
    const basic = await registerClient(world.gatehouse, passwordKind({ client_id: foundId }));
    expect((await postToken(world.gatehouse, { basic, form })).status).toBe(400);
    await makeRefusal(world, longId, refused);
    await awaitNumbers(world);
  });

  const openAll = (page: Page, isOpen: boolean) =>
    page.locator('details').evaluateAll((all, open) => {
      for (const each of all) each.toggleAttribute('open', open);
    }, isOpen);

  /** Nothing but a logo became an element, and nothing stands beyond the screen. */
  async function check(page: Page, name: string): Promise<void> {
    expect([name, await page.locator('img:not([src^="blob:"])').count()]).toEqual([name, 0]);
    expect([name, await measureSidewaysScroll(page)]).toEqual([name, 0]);
    const beyond = await page
      .locator('dialog[open]')
      .evaluateAll((all) => all.map((one) => one.scrollWidth - one.clientWidth));
    expect([name, Math.max(0, ...beyond)]).toEqual([name, 0]);
  }

  test.each([320, 1280])('are text on every screen, and break where the screen ends, %i pixels wide', async (width) => {
    const { page, show, settle } = await world.open(administrator, '/clients', { viewport: { width, height: 800 } });
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      return dialog.dismiss();
    });
    await page.getByRole('link', { name: markup }).waitFor();
    await page.getByRole('main').getByRole('link', { name: longest }).waitFor();
    const long = `/clients/${longId}`;
    const user = `/users/${encodeURIComponent(username)}`;
    const screens = [
      ...['/clients', '/clients/markup/settings', '/clients/markup/events'],
      ...[`${long}/settings`, `${long}/secrets`, `${long}/integrate`, `${long}/try`, `${long}/access`],
      ...[`${long}/events`, `${long}/json`, '/clients/markup/integrate'],
      ...['/apis', `/apis/${api}/settings`, `/apis/${api}/integrate`, `/apis/${api}/clients`, `/apis/${api}/json`],
      ...['/issuers', `/issuers/${issuer}/settings`, `/issuers/${issuer}/clients`, `/issuers/${issuer}/json`],
      ...['/upstreams', `/upstreams/${'a'.repeat(32)}/settings`, `/upstreams/${'a'.repeat(32)}/json`],
      ...['/upstreams/new/settings', '/upstreams/new/events'],
      ...['/groups', `/groups/${group}/members`, `/groups/${group}/settings`, `/groups/${group}/events`],
      ...['/users', `${user}/profile`, `${user}/methods`, `${user}/groups`, `${user}/sessions`, `${user}/events`],
      ...[`${user}/access`, '/users/markup%40example.com/profile', '/events'],
      ...['/', '/refusals', `/refusals/${refused}`, '/keys', '/settings'],
    ];
    for (const path of screens) {
      await show(path);
      await settle();
      await openAll(page, true);
      await check(page, path);
      await openAll(page, false);
    }
    await show('/');
    const busiest = page.locator('.bars', { hasText: 'Busiest applications' });
    await busiest.getByRole('link', { name: longId }).waitFor();
    await page.locator('.findings').getByText(foundId).waitFor();
    await show('/refusals');
    await page.getByRole('row').getByRole('link', { name: longId }).first().waitFor();
    await page.getByRole('row').getByRole('link', { name: username }).first().waitFor();
    await show(`/refusals/${refused}`);
    await page.getByRole('heading', { name: refused }).waitFor();
    await show(`${user}/access`);
    await press(page, 'Withdraw');
    await check(page, 'withdraw');
    await press(dialogOf(page), 'Cancel');
    await show(`${long}/access`);
    await page.getByRole('link', { name: username }).first().waitFor();
    await show(`${long}/try`);
    for (const [name, shown] of [
      [username, 'W'.repeat(255)],
      ['markup@example.com', JSON.stringify(markup)],
    ] as const) {
      await field(page, 'username').fill(name);
      await press(page, 'Preview');
      await page.locator('section.code').getByText(shown).first().waitFor();
      await check(page, `preview of ${name}`);
    }
    await show('/users/markup%40example.com/profile');
    await page.getByRole('heading', { name: markup }).waitFor();
    await show(`${long}/settings`);
    await page.getByRole('heading', { name: longest }).waitFor();
    expect(await field(page, 'redirect_uris').inputValue()).toContain(longUri);
    await field(page, 'client_name').fill(markup);
    await press(page, 'Review');
    expect(await readReview(page)).toEqual([['client_name', longest, markup]]);
    await check(page, 'review');
    await press(page, 'Back');
    await press(page, 'Discard');
    await chooseAct(page, 'Delete');
    await dialogOf(page).waitFor();
    await settle();
    await check(page, 'delete');
    expect(dialogs).toEqual([]);
  });
});
