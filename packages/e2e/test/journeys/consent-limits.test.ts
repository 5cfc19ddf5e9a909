import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, call, type Gatehouse } from '@gatehouse/test-kit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Credentials, passwordKind, postClient, registerClient } from '../support/clients.ts';
import { administrator, plainUser } from '../support/people.ts';
import { describeSharedGatehouse } from '../support/suite.ts';
import { getUserTokens, isActive, postToken, readClaims, type TokenResponse } from '../support/tokens.ts';
import { getUserDetails } from '../support/users.ts';
import { waitFor } from '../support/wait.ts';
import { meanings } from './support/consent-pages.ts';
import { withRows } from './support/open-rows.ts';
import { askOrganization, measureRefusal, refusalDeadline } from './support/refusal.ts';
import { type Asked, askingGrantTypes, createThirdParties } from './support/third-party.ts';

const identity = 'confirm who you are';
const always = ['enabled', 'id', 'userType'];
const ofProfile = [
  ...['createdAt', 'firstName', 'lastName', 'locale', 'organization', 'timezone', 'updatedAt', 'username'],
  ...['middleName', 'nickname', 'profile', 'picture', 'website', 'gender', 'birthdate'],
];
const ofEmail = ['email', 'emailVerified'];
const ofPhone = ['phoneNumber', 'phoneNumberVerified'];
const allScopes = ['openid', 'profile', 'email', 'phone', 'address', 'roles'];
const membersOf = (answer: Answer) => [answer.status, Object.keys(answer.json()).sort()];
const dataOf = ({ sub: _sub, ...claims }: Record<string, unknown>) => claims;
const scopeOf = (answer: Answer) => [answer.status, String(answer.json().scope ?? answer.json().error)];

/** A replica may go by the registration of a moment ago. */
const settle = () => sleep(1_000);

/** What an ID token says of the user beside who it is. */
function personalClaims(idToken = ''): Record<string, unknown> {
  const protocol = ['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'acr', 'amr', 'sid', 'nonce', 'at_hash'];
  return Object.fromEntries(Object.entries(readClaims(idToken)).filter(([name]) => !protocol.includes(name)));
}

describeSharedGatehouse('what a third party gets', (getGatehouse) => {
  let gatehouse: Gatehouse;
  let parties: ReturnType<typeof createThirdParties>;
  beforeAll(() => {
    gatehouse = getGatehouse();
    parties = createThirdParties(gatehouse);
  });

  describe('by the parameter claims', () => {
    const everything: Asked = {
      scope: 'openid',
      claims: { userinfo: ['email', 'name', 'roles'], id_token: ['email', 'given_name'] },
      user: administrator,
    };
    const words = [
      'see your e-mail address',
      'see your name',
      'see your roles in the organization',
      'see your first name',
    ];

    test('the page lists each claim in words, and what the user allows is given', async () => {
      const client = await parties.register();
      const tokens = await parties.obtain(client, everything);
      expect(tokens.items.toSorted()).toEqual([identity, ...words].toSorted());
      expect(dataOf((await parties.userinfo(tokens.access_token)).json())).toEqual({
        email: administrator[0],
        name: expect.any(String),
        roles: ['SystemAdministrator'],
      });
      expect(personalClaims(tokens.id_token)).toEqual({ email: administrator[0], given_name: expect.any(String) });
      const refreshed = (await parties.refresh(client, tokens.refresh_token)).json();
      const again = dataOf((await parties.userinfo(String(refreshed.access_token))).json());
      expect(Object.keys(again).toSorted()).toEqual(['email', 'name', 'roles']);
    });

    test('a consent to scopes is none to claims: the user is asked', async () => {
      const client = await parties.register();
      const { browser } = await parties.obtain(client, { ...everything, claims: {} });
      const silent = await parties.ask(client, { ...everything, browser, parameters: { prompt: 'none' } });
      expect(parties.answerOf(silent.page).error).toBe('consent_required');
      const { items } = await parties.ask(client, { ...everything, browser });
      expect(items).toHaveLength(1 + words.length);
      // Nobody said yes, so nothing was given; once one claim is allowed, it is one.
      const one: Asked = { ...everything, claims: { userinfo: ['email'] }, browser };
      const tokens = await parties.obtain(client, one);
      expect(tokens.items).toEqual(['see your e-mail address', identity]);
      expect(dataOf((await parties.userinfo(tokens.access_token)).json())).toEqual({ email: administrator[0] });
      expect((await parties.ask(client, one)).page.status).not.toBe(200);
      expect((await parties.ask(client, { ...everything, browser })).items).toHaveLength(1 + words.length);
    });

    test('a claim that an allowed scope opens is allowed, and is listed with its scope', async () => {
      const client = await parties.register();
      const asked: Asked = { scope: 'openid profile email', claims: { userinfo: ['name', 'email', 'roles'] } };
      const first = await parties.ask(client, asked);
      expect(first.items).toEqual(['see your roles in the organization', identity, meanings.profile, meanings.email]);
      const { browser } = await parties.obtain(client, { ...asked, claims: {} });
      const fewer: Asked = { scope: 'openid', claims: { userinfo: ['name'], id_token: ['email'] }, browser };
      expect(parties.answerOf((await parties.ask(client, fewer)).page).code).toEqual(expect.any(String));
    });

    test('phone and address: the page names them, and what the user allows is given, of claims and of scopes', async () => {
      const client = await parties.register({ scope: allScopes });
      const claims = { userinfo: ['phone_number', 'email_verified'], id_token: ['address', 'birthdate'] };
      const tokens = await parties.obtain(client, { scope: 'openid', claims });
      expect(tokens.items.toSorted()).toEqual(
        [
          ...[identity, meanings.phone, meanings.address, 'see your date of birth'],
          'see whether your e-mail address is verified',
        ].toSorted(),
      );
      expect(dataOf((await parties.userinfo(tokens.access_token)).json())).toEqual({
        ...{ phone_number: expect.any(String), email_verified: true },
      });
      expect(Object.keys(personalClaims(tokens.id_token)).toSorted()).toEqual(['address', 'birthdate']);
      const { browser } = tokens;
      const silent: Asked = { scope: 'openid phone', browser, parameters: { prompt: 'none' } };
      expect(parties.answerOf((await parties.ask(client, silent)).page).error).toBe('consent_required');
      const scoped = await parties.obtain(client, { scope: 'openid phone address', browser });
      expect(scoped.items).toEqual([identity, meanings.phone, meanings.address]);
      const given = dataOf((await parties.userinfo(scoped.access_token)).json());
      expect(Object.keys(given).toSorted()).toEqual(['address', 'phone_number', 'phone_number_verified']);
      expect(personalClaims(scoped.id_token)).toEqual({});
    });

    test('a claim that the client is not registered for is neither listed nor given', async () => {
      const client = await parties.register({ scope: ['openid', 'profile'] });
      const tokens = await parties.obtain(client, everything);
      expect(tokens.items.toSorted()).toEqual([identity, 'see your first name', 'see your name'].toSorted());
      expect(Object.keys(dataOf((await parties.userinfo(tokens.access_token)).json()))).toEqual(['name']);
      expect(Object.keys(personalClaims(tokens.id_token))).toEqual(['given_name']);
    });

    test('the account page shows scopes and claims, and taking back takes both', async () => {
      const client = await parties.register();
      const { browser } = await parties.obtain(client, { ...everything, claims: { userinfo: ['email', 'zoneinfo'] } });
      const url = `${gatehouse.authUrl}/oauth/consents`;
      const page = await browser.get(url);
      const entry = page.text.split('<li>').find((text) => text.includes(`>${client[0]}<`)) ?? '';
      expect(entry).toContain(`may ${identity}; see your e-mail address; see your time zone – since `);
      const [, formToken = ''] = /name="form_token" value="([^"]*)"/.exec(entry) ?? [];
      const [, registration = ''] = /name="registration" value="([^"]*)"/.exec(entry) ?? [];
      expect((await browser.post(url, { form_token: formToken, registration })).status).toBe(303);
      expect((await parties.ask(client, { scope: 'openid', browser, user: administrator })).items).toEqual([identity]);
    });

    test('a consent from before there were claims in it allows none', async () => {
      const client = await parties.register();
      const { browser } = await parties.obtain(client, everything);
      await withRows(gatehouse, 'auth-server', (query) =>
        query('UPDATE consents SET claims = NULL WHERE client_id = ?', [client[0]]),
      );
      expect((await parties.ask(client, { ...everything, browser })).items).toHaveLength(1 + words.length);
    });

    test('a first party is given what it asks for, and nobody is asked', async () => {
      const client = await parties.registerFirstParty();
      const tokens = await parties.obtain(client, everything);
      expect(tokens.items).toEqual([]);
      expect(dataOf((await parties.userinfo(tokens.access_token)).json())).toMatchObject({ email: administrator[0] });
    });

    test('the claim roles lets the client see the roles, not act with them', async () => {
      const client = await parties.register();
      const asked: Asked = {
        scope: 'openid',
        claims: { userinfo: ['roles'], id_token: ['roles'] },
        user: administrator,
      };
      const tokens = await parties.obtain(client, asked);
      expect(personalClaims(tokens.id_token)).toEqual({ roles: ['SystemAdministrator'] });
      expect(await parties.introspect(client, tokens.access_token)).not.toHaveProperty('roles');
      const users = `${gatehouse.baseUrl}/organization/api/organization/user`;
      expect((await call(users, { bearer: tokens.access_token })).status).toBe(403);
      expect(await askOrganization(gatehouse, tokens.access_token)).toBe(403);
      expect((await postClient(gatehouse, passwordKind(), { bearer: tokens.access_token })).status).toBe(403);
      // Nor without being allowed to see them.
      const none = await parties.obtain(client, { scope: 'openid profile', user: administrator });
      expect((await parties.userinfo(none.access_token)).json()).not.toHaveProperty('roles');
    });
  });

  describe('in the record of a user at org-api', () => {
    test.each<[string, string[]]>([
      ['openid', always],
      ['openid profile', [...always, ...ofProfile]],
      ['openid email', [...always, ...ofEmail]],
      ['openid phone', [...always, ...ofPhone]],
      ['openid address', [...always, 'address']],
      ['openid roles', [...always, 'roles']],
      ['email', [...always, ...ofEmail]],
      ['openid profile email roles', [...always, ...ofProfile, ...ofEmail, 'roles']],
      [allScopes.join(' '), [...always, ...ofProfile, ...ofEmail, ...ofPhone, 'address', 'roles']],
    ])('with scope %s', async (scope, members) => {
      const client = await parties.register({ scope: allScopes });
      const tokens = await parties.obtain(client, { scope });
      const answer = await getUserDetails(gatehouse, plainUser[0], tokens.access_token);
      expect(membersOf(answer)).toEqual([200, members.toSorted()]);
      expect(answer.json()).toMatchObject({ userType: 'Person', enabled: true });
    });

    test('the user is found by its name in any case, also where the token does not tell it', async () => {
      const { access_token } = await parties.obtain(await parties.register(), { scope: 'openid' });
      const answer = await getUserDetails(gatehouse, plainUser[0].toUpperCase(), access_token);
      expect(membersOf(answer)).toEqual([200, always]);
      expect(await askOrganization(gatehouse, access_token, administrator[0])).toBe(403);
    });

    test('a claim allowed by name is for userinfo alone', async () => {
      const userinfo = ['email', 'name', 'roles', 'phone_number', 'address', 'birthdate'];
      const asked: Asked = { scope: 'openid', claims: { userinfo } };
      const { access_token } = await parties.obtain(await parties.register({ scope: allScopes }), asked);
      const claims = dataOf((await parties.userinfo(access_token)).json());
      expect(Object.keys(claims).toSorted()).toEqual(userinfo.toSorted());
      expect(membersOf(await getUserDetails(gatehouse, plainUser[0], access_token))).toEqual([200, always]);
    });

    test('with roles the reader’s roles count, and every record is limited alike', async () => {
      const client = await parties.register();
      const { access_token: bearer } = await parties.obtain(client, { scope: 'openid roles', user: administrator });
      const limited = [...always, 'roles'].toSorted();
      expect(membersOf(await getUserDetails(gatehouse, plainUser[0], bearer))).toEqual([200, limited]);
      const users = `${gatehouse.baseUrl}/organization/api/organization/user`;
      const listed = (await call(users, { bearer })).json() as { users: object[] };
      expect(listed.users.length).toBeGreaterThan(1);
      for (const user of listed.users) expect(Object.keys(user).toSorted()).toEqual(limited);
      const member = `${users}/userId/${encodeURIComponent(plainUser[0])}`;
      const changed = await call(member, { method: 'PATCH', bearer, json: { timezone: 'UTC' } });
      expect(membersOf(changed)).toEqual([200, limited]);
    });

    test('a first party sees it whole', async () => {
      const { access_token } = await parties.obtain(await parties.registerFirstParty(), { scope: 'openid' });
      const members = [...always, ...ofProfile, ...ofEmail, ...ofPhone, 'address', 'roles'].toSorted();
      expect(membersOf(await getUserDetails(gatehouse, plainUser[0], access_token))).toEqual([200, members]);
    });
  });

  test.each<[string, unknown]>([
    ['openid', undefined],
    ['openid roles', undefined],
    ['openid profile', plainUser[0]],
    ['openid email', plainUser[0]],
  ])('the username of the user with scope %s', async (scope, username) => {
    const client = await parties.register();
    const tokens = await parties.obtain(client, { scope });
    const { sub } = readClaims(tokens.id_token ?? '');
    expect(readClaims(tokens.access_token).username).toEqual(username);
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      const introspected = await parties.introspect(client, token);
      expect([introspected.active, introspected.sub, introspected.username]).toEqual([true, sub, username]);
    }
    // It stands for its user all the same, and is revoked as such.
    expect(readClaims(tokens.access_token).sub_type).toBe('user');
    expect((await parties.userinfo(tokens.access_token)).json()).toMatchObject({ sub });
    const revoked = await call(`${gatehouse.authUrl}/oauth/revoke`, {
      basic: client,
      form: { token: tokens.access_token },
    });
    expect([revoked.status, await isActive(gatehouse, client, tokens.access_token)]).toEqual([200, false]);
  });

  describe('by the password grant', () => {
    const password = ['password', 'authorization_code', 'refresh_token'];

    test('nothing: the registration is refused, and the change', async () => {
      const fields = passwordKind({ authorized_grant_types: password });
      const refused = await postClient(gatehouse, { ...fields, require_consent: true });
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('require_consent')]);
      const client = await registerClient(gatehouse, fields);
      const changed = await parties.change(client, { require_consent: true });
      expect([changed.status, changed.text]).toEqual([400, expect.stringContaining('require_consent')]);
      const third = await parties.register();
      const widened = await parties.change(third, { authorized_grant_types: password });
      expect([widened.status, widened.text]).toEqual([400, expect.stringContaining('require_consent')]);
      const both = { require_consent: true, authorized_grant_types: ['authorization_code'] };
      expect((await parties.change(client, both)).status).toBe(200);
    });

    test('nothing for a client that was registered with both before', async () => {
      const client = await registerClient(gatehouse, passwordKind({ authorized_grant_types: password }));
      await withRows(gatehouse, 'auth-server', (query) =>
        query('UPDATE clients SET metadata = ? WHERE client_id = ?', ['{"require_consent":true}', client[0]]),
      );
      const form = { grant_type: 'password', username: plainUser[0], password: plainUser[1] };
      await settle();
      const refused = await postToken(gatehouse, { basic: client, form: { ...form, password: 'wrong' } });
      expect([refused.status, refused.json().error]).toEqual([400, 'unauthorized_client']);
    });
  });

  test('by introspection: of its own tokens alone', async () => {
    const [client, other, own] = [
      await parties.register(),
      await parties.register(),
      await registerClient(gatehouse, passwordKind()),
    ];
    const mine = (await parties.obtain(client, { scope: 'openid profile' })).access_token;
    const theirs = (await parties.obtain(other, { scope: 'openid profile' })).access_token;
    const firstParty = (await getUserTokens(gatehouse, own)).access_token;
    expect(await parties.introspect(client, mine)).toMatchObject({ active: true, username: plainUser[0] });
    for (const token of [theirs, firstParty]) {
      expect(await parties.introspect(client, token)).toEqual({ active: false });
      expect(await parties.introspect(own, token)).toMatchObject({ active: true });
    }
  });

  describe('by response_type id_token', () => {
    const parameters = { response_type: 'id_token', nonce: 'the-nonce' };

    test('the claims of the scopes that the user allowed, and no others', async () => {
      const client = await parties.register();
      const asked: Asked = { scope: 'openid email', claims: { id_token: ['given_name'] }, parameters };
      const first = await parties.allow(client, asked);
      expect(first.items).toEqual(['see your first name', identity, 'see your e-mail address']);
      expect(Object.keys(personalClaims(first.answer.id_token))).toEqual(['given_name', 'email', 'email_verified']);
      const { browser } = first;
      const silent: Asked = {
        ...asked,
        scope: 'openid profile',
        parameters: { ...parameters, prompt: 'none' },
        browser,
      };
      expect(parties.answerOf((await parties.ask(client, silent)).page).error).toBe('consent_required');
    });
  });

  describe('once the client is made to ask', () => {
    const claims = { userinfo: ['roles', 'email'], id_token: ['email'] };
    const asked: Asked = { scope: 'openid profile email roles', claims };

    /** A first-party client that holds tokens, and becomes a third party. */
    async function start(parts: Partial<Asked> = {}) {
      const client = await parties.registerFirstParty();
      const tokens = await parties.obtain(client, { ...asked, ...parts });
      expect(await askOrganization(gatehouse, tokens.access_token)).toBe(200);
      return { client, tokens };
    }
    async function become(client: Credentials): Promise<void> {
      expect((await parties.change(client, { require_consent: true })).status).toBe(200);
      await settle();
    }

    test('its access tokens end, everywhere', async () => {
      const { client, tokens } = await start();
      const own = await registerClient(gatehouse, passwordKind());
      const startedAt = performance.now();
      expect((await parties.change(client, { require_consent: true })).status).toBe(200);
      await waitFor(
        () => parties.userinfo(tokens.access_token),
        ({ status }) => status === 401,
      );
      expect(await isActive(gatehouse, own, tokens.access_token)).toBe(false);
      expect(await measureRefusal(gatehouse, tokens.access_token, { start: startedAt })).toBeLessThan(refusalDeadline);
      // Changed once more, nothing more ends.
      await settle();
      const fresh = await parties.obtain(client, asked);
      expect((await parties.change(client, { require_consent: true, client_name: 'Other' })).status).toBe(200);
      expect(await isActive(gatehouse, own, fresh.access_token)).toBe(true);
    });

    test('a refresh where nothing was allowed is invalid_grant, and the grant ends', async () => {
      const { client, tokens } = await start();
      await become(client);
      expect(await parties.introspect(client, tokens.refresh_token)).toEqual({ active: false });
      expect(scopeOf(await parties.refresh(client, tokens.refresh_token))).toEqual([400, 'invalid_grant']);
      await parties.obtain(client, asked);
      expect(scopeOf(await parties.refresh(client, tokens.refresh_token))).toEqual([400, 'invalid_grant']);
    });

    test('a refresh gives what the user has allowed since, and no more', async () => {
      const { client, tokens } = await start({ user: administrator });
      await become(client);
      await parties.obtain(client, { scope: 'openid', claims: { userinfo: ['email'] }, user: administrator });
      const answer = await parties.refresh(client, tokens.refresh_token);
      expect(scopeOf(answer)).toEqual([200, 'openid']);
      const refreshed = answer.json() as unknown as TokenResponse;
      expect(dataOf((await parties.userinfo(refreshed.access_token)).json())).toEqual({ email: administrator[0] });
      expect(Object.keys(personalClaims(refreshed.id_token))).toEqual(['email']);
      expect(await parties.introspect(client, refreshed.access_token)).not.toHaveProperty('roles');
      expect(await parties.introspect(client, refreshed.refresh_token)).toMatchObject({ scope: 'openid' });
      expect(await askOrganization(gatehouse, refreshed.access_token)).toBe(403);
      // A client that says what it had gets what it may have.
      const form = { scope: 'openid profile roles' };
      const repeated = await parties.refresh(client, refreshed.refresh_token, form);
      expect(scopeOf(repeated)).toEqual([200, 'openid']);
      const roles = await parties.refresh(client, String(repeated.json().refresh_token), { scope: 'roles' });
      expect(scopeOf(roles)).toEqual([400, 'invalid_scope']);
    });

    test('offline access that the user did not allow ends 12 hours after the sign-in', async () => {
      const client = await parties.registerFirstParty({ scope: ['openid', 'offline_access'] });
      const tokens = await parties.obtain(client, { scope: 'openid offline_access' });
      const lifeOf = async (token: unknown) =>
        Number((await parties.introspect(client, String(token))).exp) - Date.now() / 1000;
      const day = 86_400;
      expect(await lifeOf(tokens.refresh_token)).toBeGreaterThan(29 * day);
      await become(client);
      await parties.obtain(client, { scope: 'openid' });
      const answer = await parties.refresh(client, tokens.refresh_token);
      expect(scopeOf(answer)).toEqual([200, 'openid']);
      expect(await lifeOf(answer.json().refresh_token)).toBeLessThanOrEqual(day / 2);
      await parties.obtain(client, { scope: 'openid offline_access' });
      const fresh = await parties.obtain(client, { scope: 'openid offline_access' });
      const again = await parties.refresh(client, fresh.refresh_token);
      expect(await lifeOf(again.json().refresh_token)).toBeGreaterThan(29 * day);
    });

    test('a code from before gives what the user has allowed since, or nothing', async () => {
      const client = await parties.registerFirstParty();
      const [unasked, asking] = [await parties.allow(client, asked), await parties.allow(client, asked)];
      await become(client);
      expect(scopeOf(await parties.redeem(client, unasked))).toEqual([400, 'invalid_grant']);
      await parties.obtain(client, { scope: 'openid profile' });
      const answer = await parties.redeem(client, asking);
      expect(scopeOf(answer)).toEqual([200, 'openid profile']);
      const tokens = answer.json() as unknown as TokenResponse;
      expect(personalClaims(tokens.id_token)).toEqual({});
      expect((await parties.userinfo(tokens.access_token)).json()).not.toHaveProperty('roles');
      expect((await parties.userinfo(tokens.access_token)).json()).not.toHaveProperty('email');
    });

    test('a first party’s refresh and codes are as before', async () => {
      const { client, tokens } = await start();
      expect(scopeOf(await parties.refresh(client, tokens.refresh_token))).toEqual([200, asked.scope]);
      expect(askingGrantTypes).toContain('refresh_token');
    });
  });
});
