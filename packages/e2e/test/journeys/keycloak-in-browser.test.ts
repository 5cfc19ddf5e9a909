import { call, type Gatehouse, quickestDialect, startGatehouse } from '@gatehouse/test-kit';
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { describeWithChromium, launchChromium, submitSignIn } from '../support/chromium.ts';
import { redirectUri as appUri, passwordKind, registerClient } from '../support/clients.ts';
import { startDemoApplication } from '../support/demo-application.ts';
import { type Keycloak, startKeycloak } from '../support/keycloak.ts';
import { administrator } from '../support/people.ts';
import { testWithMaven } from '../support/registries.ts';
import { getAdministratorToken, getTokens, postToken, type TokenResponse } from '../support/tokens.ts';
import { callbackOf, registerUpstream } from '../support/upstreams.ts';
import { createUserAdministration } from '../support/users.ts';
import { isSeen, press } from '../support/visits.ts';
import { waitFor } from '../support/wait.ts';

const there = { username: 'ann', password: 'the password of Ann there', email: 'ann@corp.example' };
const stranger = { username: 'eve', password: 'the password of Eve there', email: 'user@example.com' };

describeWithChromium('sign-in by Keycloak', () => {
  let gatehouse: Gatehouse;
  let keycloak: Keycloak | undefined;
  let demo: Awaited<ReturnType<typeof startDemoApplication>>;
  let browser: Browser;

  beforeAll(async () => {
    [gatehouse, browser] = await Promise.all([startGatehouse({ dialect: quickestDialect }), launchChromium()]);
    demo = await startDemoApplication(gatehouse);
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), demo?.stop(), keycloak?.stop()]);
    await gatehouse?.stop();
  });

  const openDemo = async () => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(demo.url);
    await press(page, 'Sign in');
    return page;
  };
  const signInThere = async (page: Page, { username, password }: { username: string; password: string }) => {
    await press(page, 'Continue with Keycloak');
    await page.locator('#username').fill(username);
    await page.locator('#password').fill(password);
    await page.locator('#kc-login').click();
  };
  const isIn = (page: Page, name: string) => page.getByRole('heading', { name: `Hello, ${name}` }).waitFor();

  testWithMaven(
    'links a user of Keycloak once, signs in by it, and takes nothing from an address',
    async () => {
      const redirectUri = callbackOf(gatehouse, 'keycloak');
      keycloak = await startKeycloak({ redirectUri, users: [there, stranger] });
      const { issuer, client } = keycloak;
      const groups = { claim: 'groups', map: { staff: 'Staff' } };
      await registerUpstream(gatehouse, { alias: 'keycloak', display_name: 'Keycloak', issuer, ...client, groups });
      const person: [string, string] = ['ann@example.com', 'the password of Ann here'];
      const token = await getAdministratorToken(gatehouse, await registerClient(gatehouse, passwordKind()));
      const users = createUserAdministration(gatehouse, token);
      const names = { userType: 'Person', firstName: 'Ann', lastName: 'Here' };
      await users.create({ username: person[0], password: person[1], ...names });
      const group = { url: `${gatehouse.baseUrl}/organization/api/organization/group`, bearer: token };
      for (const name of ['Staff', 'Others'])
        expect((await call(group.url, { ...group, json: { name } })).status).toBe(201);

      const first = await openDemo();
      await signInThere(first, there);
      await first.getByText(there.email).waitFor();
      await submitSignIn(first, person);
      await press(first, 'Yes, link it');
      await isIn(first, 'Ann Here');

      const again = await openDemo();
      await signInThere(again, there);
      await isIn(again, 'Ann Here');
      const own = { url: `${gatehouse.baseUrl}/organization/api/organization/user/userId/${person[0]}`, bearer: token };
      type Identities = { identities: { id: string; issuer: string; upstream: string; linkedAt: string }[] };
      const { identities } = (await call(`${own.url}/identities`, own)).json<Identities>();
      expect(identities).toEqual([expect.objectContaining({ issuer, upstream: 'keycloak' })]);
      expect((await call(`${own.url}/groups`, own)).json()).toMatchObject({ groups: [{ name: 'Staff' }] });

      // In the group that Keycloak says, and let in by no application that wants another.
      const app = await registerClient(gatehouse, passwordKind());
      const [clientId] = app;
      const letIn = (names: string[]) =>
        call(`${gatehouse.authUrl}/clients/${clientId}`, {
          ...{ method: 'PATCH', basic: administrator, json: { allowed_groups: names } },
        });
      const request = new URLSearchParams({ response_type: 'code', client_id: clientId, redirect_uri: appUri });
      expect((await letIn(['Others'])).status).toBe(200);
      await again.goto(`${gatehouse.authUrl}/oauth/authorize?${request}`);
      await isSeen(again, 'No access');
      await letIn(['Staff']);
      const [left] = await Promise.all([
        again.waitForRequest((asked) => asked.url().startsWith(appUri)).catch(() => undefined),
        again.goto(`${gatehouse.authUrl}/oauth/authorize?${request}`).catch(() => undefined),
      ]);
      const code = new URL(left?.url() ?? appUri).searchParams.get('code') ?? '';
      const exchange = { grant_type: 'authorization_code', code, redirect_uri: appUri };
      let { refresh_token: refreshToken = '' } = await getTokens(gatehouse, app, exchange);
      const refresh = async () => {
        const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
        const answer = await postToken(gatehouse, { basic: app, form });
        const { error, refresh_token: next = refreshToken } = answer.json<TokenResponse & { error?: string }>();
        refreshToken = next;
        return error ?? answer.status;
      };
      expect(await refresh()).toBe(200);

      // Their address there is that of the demo user here.
      const evil = await openDemo();
      await signInThere(evil, stranger);
      await evil.getByText(stranger.email).waitFor();
      expect(await evil.getByLabel('Password').count()).toBe(1);

      // Disabled there: the next sign-in there leads nowhere.
      await keycloak.disable(there.username);
      const disabled = await openDemo();
      await signInThere(disabled, there);
      await disabled.getByText('Account is disabled').waitFor();

      // The way here stays open while Keycloak is down.
      await keycloak.stop();
      keycloak = undefined;
      const here = await openDemo();
      await submitSignIn(here, person);
      await isIn(here, 'Ann Here');

      // Unlinked: what began there ends within a minute, and what began here does not.
      const [{ id } = { id: '' }] = identities;
      expect((await call(`${own.url}/identities/${id}`, { ...own, method: 'DELETE' })).status).toBe(204);
      expect(await waitFor(refresh, (result) => result !== 200, 60_000)).toBe('invalid_grant');
      await again.goto(`${gatehouse.authUrl}/account`);
      await again.getByLabel('Password').waitFor();
      await here.goto(`${gatehouse.authUrl}/account`);
      await here.getByText(person[0]).first().waitFor();

      // Disabled here: out at once.
      await submitSignIn(again, person);
      await again.getByText(person[0]).first().waitFor();
      await users.change(person[0], { enabled: false });
      await again.goto(`${gatehouse.authUrl}/account`);
      await again.getByLabel('Password').waitFor();
    },
    600_000,
  );
});
