import { randomBytes } from 'node:crypto';
import { type CallOptions, createClientKey, createTestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { codeRequest, readRedirect, signIn } from '../support/browser.ts';
import { administerOrganization, withinOneSecond } from '../support/organization.ts';
import {
  administrator,
  callback,
  passwordOf,
  type Realm,
  readClaims,
  startRealm,
  type TokenAnswer,
  webClient,
} from '../support/realm.ts';
import { administerResources } from '../support/resources.ts';
import { verifyAnswer } from '../support/signed-answers.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const other = { ...webClient, client_id: 'other', client_secret: 'other-secret' };
const publicClient = {
  ...webClient,
  client_id: 'public',
  client_secret: undefined,
  authorized_grant_types: ['authorization_code', 'refresh_token'],
};
const machine = {
  ...webClient,
  client_id: 'machine',
  authorized_grant_types: ['client_credentials', 'authorization_code'],
};

describe.each([
  ['/oauth/introspect', 'RFC 7662 2.1'],
  ['/oauth/revoke', 'RFC 7009 2.1'],
])('POST %s authenticates the client (%s)', (path) => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealm();
    await realm.register(webClient);
  });
  afterAll(() => realm.close());

  it('by Basic or in the body, not by both, and not without', async () => {
    const token = 'unknown';
    const basic: [string, string] = ['web', 'web-secret'];
    const inBody = { client_id: 'web', client_secret: 'web-secret' };
    expect((await realm.send(path, { basic, form: { token } })).status).toBe(200);
    expect((await realm.send(path, { form: { ...inBody, token } })).status).toBe(200);
    const both = await realm.send(path, { basic, form: { ...inBody, token } });
    expect([both.status, both.json().error]).toEqual([400, 'invalid_request']);
    const unproved: CallOptions[] = [
      { form: { token } },
      { form: { token, client_id: 'web' } },
      { form: { token }, basic: ['web', 'x'] },
    ];
    for (const options of unproved) {
      const answer = await realm.send(path, options);
      expect([answer.status, answer.json().error]).toEqual([401, 'invalid_client']);
      expect(answer.headers['www-authenticate']).toMatch(/^Basic/);
    }
  });

  it('and requires the token, once', async () => {
    const basic: [string, string] = ['web', 'web-secret'];
    for (const form of [
      [],
      [['token', '']],
      [
        ['token', 'a'],
        ['token', 'b'],
      ],
    ] as [string, string][][]) {
      const answer = await realm.send(path, { basic, form });
      expect([answer.status, answer.json().error]).toEqual([400, 'invalid_request']);
    }
  });
});

describe.each(testDialects)('introspection and revocation on %s', (dialect) => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    for (const client of [webClient, other, publicClient, machine]) await realm.register(client);
  });
  afterAll(() => realm.close());

  const introspect = async (token = '', client = webClient) => {
    const form = { token, token_type_hint: 'refresh_token' };
    const answer = await realm.send('/oauth/introspect', { basic: [client.client_id, client.client_secret], form });
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    return answer.json();
  };
  const revoke = (token = '', client = webClient) =>
    realm.send('/oauth/revoke', { basic: [client.client_id, client.client_secret], form: { token } });
  const inactive = { active: false };

  describe('POST /oauth/introspect (RFC 7662)', () => {
    it('tells of an access token what stands in it, and nothing of the inside', async () => {
      const { access_token } = await realm.tokens(webClient, passwordOf('admin'));
      const { grant_id: _grant, password_changed_at: _changed, ...claims } = readClaims(access_token);
      expect(await introspect(access_token)).toEqual({ ...claims, active: true, token_type: 'Bearer' });
      expect(await introspect(access_token, other)).toMatchObject({ active: true, client_id: 'web' });
    });

    it('tells a client of tokens of its own resources, and of its own, alone', async () => {
      const resources = administerResources(realm);
      const [orders, bills] = [await resources.create(), await resources.create()];
      const both = { resources: [orders.resource, bills.resource, realm.orgUrl], default_resource: orders.resource };
      const holder = { ...machine, client_id: 'holder', ...both };
      const api = {
        ...machine,
        client_id: 'orders-api',
        resources: [orders.resource],
        default_resource: orders.resource,
      };
      for (const client of [holder, api]) await realm.register(client);
      const obtain = async (resource: string) =>
        (await realm.tokens(holder, { grant_type: 'client_credentials', resource })).access_token;
      const [ofOrders, ofBills, ofOrgApi] = [
        await obtain(orders.resource),
        await obtain(bills.resource),
        await obtain(realm.orgUrl),
      ];
      const isActive = async (client: typeof webClient) => {
        const answers = [ofOrders, ofBills, ofOrgApi].map((token) => introspect(token, client));
        return (await Promise.all(answers)).map(({ active }) => active);
      };
      expect(await isActive(api as unknown as typeof webClient)).toEqual([true, false, false]);
      expect(await isActive(other)).toEqual([false, false, true]);
      expect(await isActive(holder as unknown as typeof webClient)).toEqual([true, true, true]);
      await realm.send('/clients/holder', {
        method: 'PATCH',
        basic: administrator,
        json: { resources: [realm.orgUrl], default_resource: null },
      });
      expect(await isActive(holder as unknown as typeof webClient)).toEqual([true, true, true]);
    });

    it('tells of a token of a client that acts for itself', async () => {
      const { access_token } = await realm.tokens(machine, { grant_type: 'client_credentials' });
      expect(await introspect(access_token)).toMatchObject({ active: true, sub: 'machine', client_id: 'machine' });
    });

    it('tells a client of its own refresh tokens alone', async () => {
      const { refresh_token } = await realm.tokens(webClient, passwordOf('user'));
      expect(await introspect(refresh_token)).toEqual({
        active: true,
        scope: webClient.scope.join(' '),
        client_id: 'web',
        username: 'user@example.com',
        sub: expect.any(String),
        iss: realm.authUrl,
        exp: expect.any(Number),
      });
      expect(await introspect(refresh_token, other)).toEqual(inactive);
    });

    it('names no user of a refresh token to a client that has to ask its users, without profile or email', async () => {
      const asking = { ...webClient, client_id: 'asking', ...{ require_consent: true } };
      await realm.register({ ...asking, authorized_grant_types: ['authorization_code', 'refresh_token'] });
      const obtain = async (scope: string) => {
        const browser = createTestBrowser();
        const page = await signIn(realm, { ...codeRequest, client_id: 'asking', scope }, { browser });
        const answer = await browser.submit(page, `${realm.url}/oauth/consent`, { decision: 'allow' });
        const { code = '' } = readRedirect(answer).parameters;
        return realm.tokens(asking, { grant_type: 'authorization_code', code, redirect_uri: callback });
      };
      const silent = await introspect((await obtain('openid')).refresh_token, asking);
      expect(silent).toMatchObject({ active: true, scope: 'openid' });
      expect(silent).not.toHaveProperty('username');
      expect(await introspect((await obtain('openid profile')).refresh_token, asking)).toMatchObject({
        active: true,
        username: 'user@example.com',
      });
    });

    it('tells nothing of a refresh token whose user is gone but that', async () => {
      const organization = await administerOrganization(realm);
      const [username, password] = ['leaving@example.com', 'leaving-password'];
      await organization.create({ username, userType: 'Person', password });
      const { refresh_token } = await realm.tokens(webClient, { grant_type: 'password', username, password });
      expect(await introspect(refresh_token)).toMatchObject({ active: true, username });
      await organization.delete(username);
      await withinOneSecond(async () => expect(await introspect(refresh_token)).toEqual(inactive));
    });

    it('tells of a token that is bound to a key that it is one, with the key (RFC 9449 6.2)', async () => {
      const key = createClientKey();
      const htu = `${realm.authUrl}/oauth/token`;
      const send = (nonce?: unknown) =>
        realm.tokenRequest(webClient, passwordOf('user'), { dpop: key.proof({ htm: 'POST', htu, nonce }) });
      const { headers } = await send();
      const { access_token } = (await send(headers['dpop-nonce'])).json<TokenAnswer>();
      expect(await introspect(access_token)).toMatchObject({ token_type: 'DPoP', cnf: { jkt: key.jkt } });
    });

    it('answers by a JWT for the client where that is asked for (RFC 9701)', async () => {
      const { access_token: token } = await realm.tokens(webClient, passwordOf('user'));
      const accept = 'application/token-introspection+jwt';
      const basic: [string, string] = ['other', other.client_secret];
      const answer = await realm.send('/oauth/introspect', { basic, form: { token }, headers: { accept } });
      expect([answer.status, answer.headers['content-type']]).toEqual([200, accept]);
      expect(readClaims(answer.text)).toEqual({
        iss: realm.authUrl,
        aud: 'other',
        iat: expect.any(Number),
        token_introspection: await introspect(token),
      });
    });

    it.each([
      ['RS256', {}],
      ['RS256', { introspection_signed_response_alg: 'RS256' }],
      ['ES256', { introspection_signed_response_alg: 'ES256' }],
    ])('signs that JWT by %s for a client with %j, and by no other member', async (alg, chosen) => {
      const client_id = `api-${randomBytes(6).toString('hex')}`;
      const others = { id_token_signed_response_alg: alg === 'RS256' ? 'ES256' : 'RS256' };
      await realm.register({ ...other, client_id, ...others, ...chosen });
      const { access_token: token } = await realm.tokens(webClient, passwordOf('user'));
      const headers = { accept: 'application/token-introspection+jwt' };
      const basic: [string, string] = [client_id, other.client_secret];
      const { text } = await realm.send('/oauth/introspect', { basic, form: { token }, headers });
      const { header, claims } = await verifyAnswer(realm, text, client_id);
      expect(header).toEqual({ alg, typ: 'token-introspection+jwt', kid: expect.any(String) });
      expect(claims).toMatchObject({ token_introspection: { active: true, client_id: 'web' } });
    });

    it('tells nothing of what is not in force but that', async () => {
      const { access_token, id_token, refresh_token = '' } = await realm.tokens(webClient, passwordOf('user'));
      await realm.tokens(webClient, { grant_type: 'refresh_token', refresh_token });
      for (const token of [id_token, refresh_token, `${access_token}x`, 'nonsense', '🔑', '..']) {
        expect(await introspect(token)).toEqual(inactive);
      }
      realm.advance(900_000);
      expect(await introspect(access_token)).toEqual(inactive);
    });

    it('is for clients with a secret', async () => {
      const answer = await realm.send('/oauth/introspect', { form: { token: 'x', client_id: 'public' } });
      expect([answer.status, answer.json().error]).toEqual([401, 'invalid_client']);
    });
  });

  describe('POST /oauth/revoke (RFC 7009)', () => {
    it('ends an access token alone', async () => {
      const tokens = await realm.tokens(webClient, passwordOf('user'));
      const answer = await revoke(tokens.access_token);
      expect([answer.status, answer.text, answer.headers['cache-control']]).toEqual([200, '', 'no-store']);
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
      expect(await introspect(tokens.access_token)).toEqual(inactive);
      expect((await realm.send('/oauth/userinfo', { bearer: tokens.access_token })).status).toBe(401);
      await realm.tokens(webClient, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' });
    });

    it('ends a refresh token with everything issued from its grant (RFC 7009 2.1)', async () => {
      const tokens = await realm.tokens(webClient, passwordOf('user'));
      const aside = await realm.tokens(webClient, passwordOf('user'));
      expect((await revoke(tokens.refresh_token)).status).toBe(200);
      expect(await introspect(tokens.access_token)).toEqual(inactive);
      const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' };
      expect((await realm.tokenRequest(webClient, form)).json().error).toBe('invalid_grant');
      expect(await introspect(aside.access_token)).toMatchObject({ active: true });
    });

    it('leaves an audit event of each token: whose it was, and of which grant', async () => {
      const tokens = await realm.tokens(webClient, passwordOf('user'));
      const { sub, grant_id } = readClaims(tokens.access_token);
      const { access_token } = await realm.tokens(machine, { grant_type: 'client_credentials' });
      for (const token of [tokens.access_token, tokens.refresh_token]) await revoke(token);
      await revoke(access_token, machine);
      type Revoked = { subject: object; details: { token: string; grant?: unknown } };
      let events: Revoked[] = [];
      const ofGrant = (grant: unknown) => events.filter(({ details }) => details.grant === grant);
      // The name of a user is looked up once the request is answered.
      for (let tries = 0; ofGrant(grant_id).length < 2 && tries < 1_000; tries += 1) {
        const answer = await realm.send('/audit-events?type=token.revoked', { basic: administrator });
        ({ events } = answer.json<{ events: Revoked[] }>());
      }
      const byToken = ofGrant(grant_id).sort((a, b) => a.details.token.localeCompare(b.details.token));
      expect(byToken).toMatchObject([
        { subject: { kind: 'user', id: sub }, details: { token: 'access_token' } },
        { subject: { kind: 'user', id: sub }, details: { token: 'refresh_token' } },
      ]);
      expect(ofGrant(readClaims(access_token).grant_id)).toMatchObject([
        { subject: { kind: 'client', name: 'machine' } },
      ]);
    });

    it('is content with a token that is not in force (RFC 7009 2.2)', async () => {
      const { access_token } = await realm.tokens(webClient, passwordOf('user'));
      for (const token of ['nonsense', access_token, access_token]) expect((await revoke(token)).status).toBe(200);
    });

    it('leaves no audit event of a token that is none', async () => {
      const client = await realm.register({ ...machine, client_id: 'mistaken' });
      const { access_token } = await realm.tokens(client, { grant_type: 'client_credentials' });
      for (const token of ['nonsense', access_token]) expect((await revoke(token, client)).status).toBe(200);
      const path = '/audit-events?type=token.revoked&subject=mistaken';
      const { events } = (await realm.send(path, { basic: administrator })).json<{ events: object[] }>();
      expect(events).toMatchObject([{ details: { grant: readClaims(access_token).grant_id } }]);
    });

    it('does not let a client end the tokens of another', async () => {
      const tokens = await realm.tokens(webClient, passwordOf('user'));
      for (const token of [tokens.access_token, tokens.refresh_token]) {
        expect((await revoke(token, other)).status).toBe(400);
      }
      expect(
        (await realm.send('/oauth/revoke', { form: { client_id: 'public', token: tokens.access_token } })).status,
      ).toBe(400);
      expect(await introspect(tokens.access_token)).toMatchObject({ active: true });
      expect(await introspect(tokens.refresh_token)).toMatchObject({ active: true });
    });
  });
});
