import { createTestBrowser } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildUserinfoClaims, userinfoClaimNames } from '../../src/tokens/userinfo-claims.ts';
import { authorizePath, codeRequest, readRedirect, signIn, userForm } from '../support/browser.ts';
import { buildUser } from '../support/builders.ts';
import { administerOrganization } from '../support/organization.ts';
import { callback, passwordOf, type Realm, readClaims, startRealm, webClient } from '../support/realm.ts';

const scope = ['openid', 'profile', 'email', 'phone', 'address', 'roles'];
const client = {
  ...webClient,
  client_id: 'all',
  scope,
  authorized_grant_types: ['authorization_code', 'password', 'implicit'],
};
const asker = { ...client, client_id: 'asker', authorized_grant_types: ['authorization_code'], require_consent: true };

/** The demo user's, by scope (OpenID Connect Core 5.4). */
const address = {
  formatted: '1 Example Way\n8001 Zurich\nSwitzerland',
  street_address: '1 Example Way',
  locality: 'Zurich',
  region: 'ZH',
  postal_code: '8001',
  country: 'Switzerland',
};
const ofScope: Record<string, Record<string, unknown>> = {
  openid: {},
  profile: {
    name: 'Ursula User',
    given_name: 'Ursula',
    family_name: 'User',
    middle_name: 'Maria',
    nickname: 'Uschi',
    preferred_username: 'user@example.com',
    profile: 'https://people.example.com/ursula',
    picture: 'https://people.example.com/ursula.png',
    website: 'https://ursula.example.com',
    gender: 'female',
    birthdate: '1985-02-28',
    locale: 'en',
    zoneinfo: 'UTC',
    updated_at: expect.any(Number),
  },
  email: { email: 'user@example.com', email_verified: true },
  phone: { phone_number: '+41446681800', phone_number_verified: true },
  address: { address },
  roles: { roles: [] },
};
const protocolClaims = ['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'acr', 'amr', 'sid', 'nonce', 'at_hash'];

/** What an ID token says of the user beside who it is. */
const personalClaims = (idToken = '') =>
  Object.fromEntries(Object.entries(readClaims(idToken)).filter(([name]) => !protocolClaims.includes(name)));
const request = { ...codeRequest, client_id: 'all', nonce: 'n-1' };
const asked = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]));

describe('the standard claims (OpenID Connect Core 5.1)', () => {
  let realm: Realm;
  let organization: Awaited<ReturnType<typeof administerOrganization>>;
  beforeAll(async () => {
    realm = await startRealm();
    for (const registration of [client, asker, webClient]) await realm.register(registration);
    organization = await administerOrganization(realm);
  });
  afterAll(() => realm.close());

  const userinfo = async (bearer: string) => {
    const { sub: _sub, ...claims } = (await realm.send('/oauth/userinfo', { bearer })).json();
    return claims;
  };
  const redeem = async (code = '', of = client) =>
    realm.tokens(of, { grant_type: 'authorization_code', code, redirect_uri: callback });

  it.each(Object.entries(ofScope))('with scope %s userinfo gives its claims, and no others', async (name, claims) => {
    const { access_token } = await realm.tokens(client, { ...passwordOf('user'), scope: `openid ${name}` });
    expect(await userinfo(access_token)).toEqual(claims);
  });

  it('stand in the ID token where no access token comes with it (Core 5.4)', async () => {
    const parameters = { ...request, response_type: 'id_token', scope: scope.join(' ') };
    const { id_token } = readRedirect(await signIn(realm, parameters)).parameters;
    expect(personalClaims(id_token)).toEqual(Object.assign({}, ...Object.values(ofScope)));
    const narrow = readRedirect(await signIn(realm, { ...parameters, scope: 'openid phone address' })).parameters;
    expect(personalClaims(narrow.id_token)).toEqual({ ...ofScope.phone, ...ofScope.address });
  });

  it('are given one by one by the parameter claims, each where it was asked for (Core 5.5)', async () => {
    for (const [name, claims] of Object.entries(ofScope)) {
      for (const claim of Object.keys(claims)) {
        const parameters = { ...request, claims: JSON.stringify({ userinfo: asked([claim]) }) };
        const first = await redeem(readRedirect(await signIn(realm, parameters)).parameters.code);
        expect([name, await userinfo(first.access_token)]).toEqual([name, { [claim]: claims[claim] }]);
        expect(personalClaims(first.id_token)).toEqual({});
      }
    }
    const claims = JSON.stringify({ id_token: asked(['address', 'phone_number', 'email_verified', 'birthdate']) });
    const tokens = await redeem(readRedirect(await signIn(realm, { ...request, claims })).parameters.code);
    expect(personalClaims(tokens.id_token)).toEqual({
      ...{ address, phone_number: '+41446681800', email_verified: true, birthdate: '1985-02-28' },
    });
    expect(await userinfo(tokens.access_token)).toEqual({});
  });

  it('are not given to a client that is not registered for their scope, which cannot ask for the scope either', async () => {
    const claims = JSON.stringify({ userinfo: asked(['phone_number', 'address', 'email_verified']) });
    const answer = await signIn(realm, { ...codeRequest, scope: 'openid', claims });
    const { access_token } = await redeem(readRedirect(answer).parameters.code, webClient as typeof client);
    expect(await userinfo(access_token)).toEqual({ email_verified: true });
    const refused = await realm.tokenRequest(webClient, { ...passwordOf('user'), scope: 'openid phone' });
    expect([refused.status, refused.json().error]).toEqual([400, 'invalid_scope']);
  });

  it('that a user has not are left out (Core 5.3.2)', async () => {
    const { access_token } = await realm.tokens(client, { ...passwordOf('admin'), scope: scope.join(' ') });
    expect(Object.keys(await userinfo(access_token)).sort()).toEqual([
      ...['email', 'email_verified', 'family_name', 'given_name', 'locale', 'name', 'preferred_username'],
      ...['roles', 'updated_at', 'zoneinfo'],
    ]);
  });

  it('say after a change of the address that it is not verified', async () => {
    const username = 'changing@example.com';
    const password = 'a password of somebody';
    await organization.create({ username, userType: 'Person', password, emailVerified: true, phoneNumber: '+1234' });
    const { access_token } = await realm.tokens(client, { grant_type: 'password', username, password });
    expect(await userinfo(access_token)).toMatchObject({ email_verified: true, phone_number_verified: false });
    await organization.change(username, { email: 'other@example.com', phoneNumberVerified: true });
    realm.advance(2_000);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await userinfo(access_token)).toMatchObject({
      ...{ email: 'other@example.com', email_verified: false, phone_number_verified: true },
    });
    await organization.change(username, { phoneNumber: null });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const claims = await userinfo(access_token);
    for (const name of ['phone_number', 'phone_number_verified', 'address']) expect(claims).not.toHaveProperty(name);
  });

  it('are known to the metadata', async () => {
    const metadata = (await realm.send('/.well-known/openid-configuration')).json<Record<string, string[]>>();
    expect(metadata.scopes_supported).toEqual(expect.arrayContaining(scope));
    const names = Object.values(ofScope).flatMap((claims) => Object.keys(claims));
    expect(metadata.claims_supported).toEqual(expect.arrayContaining(['sub', ...names]));
    expect([...userinfoClaimNames].sort()).toEqual([...names, 'external_id', 'groups'].sort());
  });

  it('are asked for in words on the page of a third-party client, each of which names what it is', async () => {
    const browser = createTestBrowser();
    const listOf = async (parameters: Record<string, string>) => {
      const url = realm.url + authorizePath({ ...request, client_id: 'asker', ...parameters });
      const first = await browser.get(url);
      const page = first.text.includes('name="password"') ? await browser.submit(first, url, userForm) : first;
      return [...page.text.matchAll(/<li>([^<]*)<\/li>/g)].map(([, item = '']) => item);
    };
    expect(await listOf({ scope: 'openid phone address' })).toEqual([
      ...['confirm who you are', 'see your phone number', 'see your postal address'],
    ]);
    const names = userinfoClaimNames.filter((name) => name !== 'groups');
    const claims = JSON.stringify({ userinfo: asked(names) });
    const items = await listOf({ scope: 'openid', claims });
    expect(items).toHaveLength(1 + names.length);
    for (const item of items) expect(item).toMatch(/^(confirm|see) .* /);
  });

  it('tell when the user was changed in whole seconds', () => {
    const user = buildUser({ updatedAt: 1_767_268_800_999 });
    expect(buildUserinfoClaims(user, ['profile'])).toMatchObject({ updated_at: 1_767_268_800 });
  });

  it('of an organization of the release before, which names none of them, are left out', () => {
    const claims = buildUserinfoClaims(buildUser(), scope);
    for (const name of ['email_verified', 'phone_number', 'address', 'birthdate']) {
      expect(claims).not.toHaveProperty(name);
    }
  });
});

describe('EXTRA_SCOPES that names scopes which every realm knows since', () => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealm({ EXTRA_SCOPES: 'phone orders.read address orders.read' });
  });
  afterAll(() => realm.close());

  it('starts; the names have their known meaning and stand once in metadata and texts', async () => {
    const { scopes_supported: names } = (await realm.send('/.well-known/openid-configuration')).json<
      Record<string, string[]>
    >();
    expect(names).toEqual([
      'openid',
      'profile',
      'email',
      'phone',
      'address',
      'offline_access',
      'roles',
      'groups',
      'orders.read',
    ]);
    await realm.register({ ...client, scope: ['openid', 'phone', 'orders.read'] });
    const { access_token } = await realm.tokens(client, passwordOf('user'));
    expect((await realm.send('/oauth/userinfo', { bearer: access_token })).json()).toMatchObject(ofScope.phone ?? {});
  });
});
