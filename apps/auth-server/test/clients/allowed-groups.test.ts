import { createTestBrowser, readHiddenFields, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { authorizePath, codeRequest, readRedirect, signIn } from '../support/browser.ts';
import { administerOrganization, withinOneSecond } from '../support/organization.ts';
import { administrator, callback, passwordOf, type Realm, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const username = 'user@example.com';

describe.each(testDialects)(
  'a client that lets the users of some groups alone in (allowed_groups), on %s',
  (dialect) => {
    let realm: Realm;
    let organization: Awaited<ReturnType<typeof administerOrganization>>;
    const client = { ...webClient, client_id: 'staff-only', allowed_groups: ['Staff', 'nobody has this'] };
    beforeAll(async () => {
      realm = await startRealmOn(dialect);
      organization = await administerOrganization(realm);
      await realm.register(client);
      for (const name of ['staff', 'others']) await organization.createGroup(name);
    });
    afterAll(() => realm.close());
    beforeEach(() => organization.change(username, { groups: ['staff', 'others'] }));

    const leave = () => organization.change(username, { groups: ['others'] });
    const introspect = async (token: string) =>
      (await realm.send('/oauth/introspect', { basic: ['staff-only', 'web-secret'], form: { token } })).json();
    const request = { ...codeRequest, client_id: 'staff-only' };

    it('gives tokens to a user of one of them by a password, and to no other user', async () => {
      const { access_token: token } = await realm.tokens(client, passwordOf('user'));
      expect(await introspect(token)).toMatchObject({ active: true });
      const refused = await realm.tokenRequest(client, passwordOf('admin'));
      expect([refused.status, refused.json()]).toEqual([
        400,
        {
          error: 'invalid_grant',
          error_description: 'the user is in none of the groups that this client lets in (allowed_groups)',
        },
      ]);
      const events = await realm.send('/audit-events?type=sign_in.refused&reason=not_in_group', {
        basic: administrator,
      });
      expect(events.json<{ events: object[] }>().events).toContainEqual(
        expect.objectContaining({
          subject: expect.objectContaining({ name: 'admin@example.com' }),
          client: 'staff-only',
          details: { by: 'password_grant' },
        }),
      );
    });

    it('ends what a user has who leaves the last of them: introspection within a second, and the grant at its next use', async () => {
      const { access_token: token, refresh_token: refreshToken = '' } = await realm.tokens(client, {
        ...passwordOf('user'),
        scope: 'openid offline_access',
      });
      await leave();
      await withinOneSecond(async () => {
        expect(await introspect(token)).toEqual({ active: false });
        expect(await introspect(refreshToken)).toEqual({ active: false });
        expect((await realm.send('/oauth/userinfo', { bearer: token })).status).toBe(401);
      });
      const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
      expect((await realm.tokenRequest(client, form)).json()).toMatchObject({ error: 'invalid_grant' });
      await organization.change(username, { groups: ['staff'] });
      expect((await realm.tokenRequest(client, form)).json()).toMatchObject({ error: 'invalid_grant' });
    });

    it('tells users at the sign-in so, and whom to ask, with a way back that says access_denied', async () => {
      expect(readRedirect(await signIn(realm, { ...request, prompt: 'login' })).parameters).toHaveProperty('code');
      await leave();
      const browser = createTestBrowser();
      const page = await signIn(realm, { ...request, prompt: 'login', state: 'S' }, { browser });
      expect(page.status).toBe(403);
      expect(page.text).toContain('No access');
      expect(page.text).toContain('Ask those who run');
      const back = new URL(/href="(https:[^"]*)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? '');
      expect([back.origin + back.pathname, Object.fromEntries(back.searchParams)]).toEqual([
        callback,
        expect.objectContaining({ error: 'access_denied', state: 'S' }),
      ]);
      const silent = await browser.get(realm.url + authorizePath({ ...request, prompt: 'none' }));
      expect(readRedirect(silent).parameters).toMatchObject({ error: 'access_denied' });
    });

    it('gives nothing for a code whose user left meanwhile', async () => {
      const { code = '' } = readRedirect(await signIn(realm, { ...request, prompt: 'login' })).parameters;
      await leave();
      await withinOneSecond(async () => {
        const form = { grant_type: 'authorization_code', code, redirect_uri: callback };
        expect((await realm.tokenRequest(client, form)).json()).toMatchObject({ error: 'invalid_grant' });
      });
    });

    it('connects no device of another user, and tells the device', async () => {
      const device = {
        ...webClient,
        client_id: 'staff-device',
        authorized_grant_types: ['urn:ietf:params:oauth:grant-type:device_code'],
        redirect_uri: undefined,
        allowed_groups: ['staff'],
      };
      await realm.register(device as never);
      await leave();
      const asked = await realm.send('/oauth/device_authorization', {
        basic: ['staff-device', 'web-secret'],
        form: {},
      });
      const { user_code: userCode, device_code } = asked.json<{ user_code: string; device_code: string }>();
      const browser = createTestBrowser();
      const first = await browser.get(`${realm.url}/oauth/device?user_code=${userCode}`);
      const form = { ...readHiddenFields(first.text), username, password: 'user-password' };
      const page = await browser.submit(first, `${realm.url}/oauth/device`, form);
      expect([page.status, page.text.includes('Your account may not connect this device')]).toEqual([403, true]);

      // Nobody decides it any more, also not a user who is let in.
      await organization.change(username, { groups: ['staff'] });
      const again = await browser.get(`${realm.url}/oauth/device?user_code=${userCode}`);
      expect(again.text).toContain('is not in use any more');
      const redemption = { grant_type: device.authorized_grant_types[0], device_code };
      const polled = await realm.tokenRequest(device as never, redemption as never);
      expect([polled.status, polled.json()]).toEqual([
        400,
        { error: 'invalid_grant', error_description: expect.stringContaining('start again') },
      ]);
    });

    it('exchanges no token of another user', async () => {
      const exchanger = {
        ...webClient,
        client_id: 'exchanger',
        redirect_uri: undefined,
        authorized_grant_types: ['urn:ietf:params:oauth:grant-type:token-exchange'],
        exchange_from: ['free'],
        exchange_audiences: [realm.orgUrl],
        allowed_groups: ['staff'],
      };
      await realm.register({ ...webClient, client_id: 'free' });
      await realm.register(exchanger as never);
      const exchange = async () => {
        const { access_token: token } = await realm.tokens({ ...webClient, client_id: 'free' }, passwordOf('user'));
        return realm.tokenRequest(exchanger, {
          grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
          subject_token: token,
          subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        });
      };
      await withinOneSecond(async () => {
        expect((await exchange()).json()).toHaveProperty('access_token');
      });
      await leave();
      await withinOneSecond(async () => {
        expect((await exchange()).json()).toMatchObject({
          error: 'invalid_request',
          error_description: expect.stringContaining('allowed_groups'),
        });
      });
    });

    it('means no Robots', async () => {
      const robot = {
        client_id: 'robot-staff',
        client_secret: 'web-secret',
        scope: ['openid'],
        authorized_grant_types: ['service_account'],
        access_token_validity: 900,
        srvc_ac_user_name: 'robot@example.com',
        allowed_groups: ['staff'],
      };
      await realm.register(robot);
      const { access_token: token } = await realm.tokens(robot, { grant_type: 'client_credentials' });
      const basic = ['robot-staff', 'web-secret'] as [string, string];
      expect((await realm.send('/oauth/introspect', { basic, form: { token } })).json()).toMatchObject({
        active: true,
      });
    });

    it('is changed and removed, and names groups by the rule of their names', async () => {
      const path = '/clients/staff-only';
      for (const allowed of [[], 'staff', [''], Array(101).fill('staff'), [' staff']]) {
        const json = { allowed_groups: allowed };
        expect((await realm.send(path, { method: 'PATCH', basic: administrator, json })).status).toBe(400);
      }
      const removed = await realm.send(path, { method: 'PATCH', basic: administrator, json: { allowed_groups: null } });
      expect([removed.status, removed.json<object>()]).toEqual([
        200,
        expect.not.objectContaining({ allowed_groups: expect.anything() }),
      ]);
      await withinOneSecond(async () =>
        expect((await realm.tokenRequest(client, passwordOf('admin'))).status).toBe(200),
      );
    });
  },
);
