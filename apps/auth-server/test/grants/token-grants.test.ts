import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { administerOrganization, withinOneSecond } from '../support/organization.ts';
import {
  administrator,
  passwordOf,
  type Realm,
  readClaims,
  startRealm,
  type TokenAnswer,
  webClient,
} from '../support/realm.ts';

const user = passwordOf('user');
const robotClient = {
  client_id: 'robot-client',
  client_secret: 'robot-secret',
  scope: ['openid', 'roles', 'offline_access'],
  authorized_grant_types: ['service_account'],
  srvc_ac_user_name: 'Robot@Example.com',
};
const machine = {
  client_id: 'machine',
  client_secret: 'machine-secret',
  scope: ['openid', 'email'],
  authorized_grant_types: ['client_credentials'],
};
const person = {
  username: 'Grace@example.com',
  password: 'grace-password',
  userType: 'Person',
  roles: ['DirectoryReader'],
};
const grace = { grant_type: 'password', username: 'grace@example.com', password: 'grace-password' };

describe('grants of POST /oauth/token', () => {
  let realm: Realm;
  let organization: Awaited<ReturnType<typeof administerOrganization>>;

  beforeAll(async () => {
    realm = await startRealm();
    organization = await administerOrganization(realm);
    for (const client of [webClient, robotClient, machine]) await realm.register(client);
    await organization.create(person);
  });
  afterAll(() => realm.close());

  const expectInvalidGrant = async (...request: Parameters<Realm['tokenRequest']>) => {
    const answer = await realm.tokenRequest(...request);
    expect([answer.status, answer.json().error]).toEqual([400, 'invalid_grant']);
    return answer;
  };
  const introspect = async (token: string) =>
    (await realm.send('/oauth/introspect', { basic: ['web', 'web-secret'], form: { token } })).json<{
      active: boolean;
    }>();

  describe('password (RFC 6749 4.3)', () => {
    it('gives an access token that verifies against the JWKS, with every claim of the contract', async () => {
      const { access_token } = await realm.tokens(webClient, grace);
      const { payload, protectedHeader } = await jwtVerify(
        access_token,
        createRemoteJWKSet(new URL(`${realm.url}/oauth/jwks`)),
        {
          issuer: realm.authUrl,
          audience: realm.orgUrl,
          typ: 'at+jwt',
        },
      );
      expect(protectedHeader.alg).toBe('ES256');
      expect(payload).toMatchObject({
        username: 'Grace@example.com',
        client_id: 'web',
        scope: webClient.scope.join(' '),
        roles: ['DirectoryReader'],
        jti: expect.any(String),
        sub: expect.stringMatching(/^[0-9a-f-]{36}$/),
      });
      expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(900);
      // The password is checked before the token is made; a second may begin between them.
      expect([0, 1]).toContain((payload.iat ?? 0) - Number(payload.auth_time));
    });

    it('answers one and the same to a wrong password, an unknown user, a disabled user and a Robot', async () => {
      await organization.create({ ...person, username: 'off@example.com', enabled: false });
      const answers = await Promise.all([
        expectInvalidGrant(webClient, { ...grace, password: 'wrong' }),
        expectInvalidGrant(webClient, { ...grace, username: 'nobody@example.com' }),
        expectInvalidGrant(webClient, { ...grace, username: 'off@example.com' }),
        expectInvalidGrant(webClient, { ...grace, username: 'robot@example.com' }),
        expectInvalidGrant(webClient, { ...grace, username: "' OR 1=1 --" }),
        expectInvalidGrant(webClient, { ...grace, username: 'nobody@example.com\u0000' }),
      ]);
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    });
  });

  it.each<[string, { username: string; password: string }]>([
    ['a username of 2000 characters', { username: `${'x'.repeat(2_000)}@example.com`, password: 'wrong' }],
    ['a password that grows when it is escaped', { username: person.username, password: '\u0001'.repeat(15_000) }],
  ])('answers %s as any other that is wrong', async (_case, credentials) => {
    const usual = await expectInvalidGrant(webClient, { ...grace, password: 'wrong' });
    const answer = await expectInvalidGrant(webClient, { grant_type: 'password', ...credentials });
    expect(answer.text).toBe(usual.text);
    const administration = await realm.send('/clients', { basic: [credentials.username, 'wrong'], json: webClient });
    expect(administration.status).toBe(401);
  });

  describe('client_credentials (RFC 6749 4.4)', () => {
    it('lets a client act for itself, without refresh and ID token', async () => {
      const tokens = await realm.tokens(machine, { grant_type: 'client_credentials' });
      expect(Object.keys(tokens).sort()).toEqual(['access_token', 'expires_in', 'scope', 'token_type']);
      expect(tokens.expires_in).toBe(1800);
      const claims = readClaims(tokens.access_token);
      expect(claims).toMatchObject({ sub: 'machine', client_id: 'machine' });
      expect(claims).not.toHaveProperty('username');
    });

    it.each(['client_credentials', 'service_account'])(
      'lets a service-account client act as its Robot by %s',
      async (grant_type) => {
        const tokens = await realm.tokens(robotClient, { grant_type });
        expect(Object.keys(tokens).sort()).toEqual(['access_token', 'expires_in', 'scope', 'token_type']);
        const claims = readClaims(tokens.access_token);
        expect(claims).toMatchObject({ username: 'robot@example.com', client_id: 'robot-client', roles: [] });
        expect(claims.sub).toMatch(/^[0-9a-f-]{36}$/);
        expect(claims).not.toHaveProperty('auth_time');
      },
    );

    it('refuses service_account to a client that is not of that kind', async () => {
      const answer = await realm.tokenRequest(machine, { grant_type: 'service_account' });
      expect([answer.status, answer.json().error]).toEqual([400, 'unauthorized_client']);
    });

    it('refuses a Robot that is disabled, and its tokens, within one second; takes it again when it is enabled', async () => {
      const request = { grant_type: 'client_credentials' };
      const { access_token } = await realm.tokens(robotClient, request);
      expect(await introspect(access_token)).toMatchObject({ active: true });
      await organization.change('robot@example.com', { enabled: false });
      await withinOneSecond(async () => {
        await expectInvalidGrant(robotClient, request);
        expect(await introspect(access_token)).toEqual({ active: false });
      });
      await organization.change('robot@example.com', { enabled: true });
      await withinOneSecond(async () => void (await realm.tokens(robotClient, request)));
    });
  });

  describe('refresh_token (RFC 6749 6, RFC 9700 4.14.2)', () => {
    const refresh = (token: TokenAnswer, extra: Record<string, string> = {}) =>
      realm.tokens(webClient, { grant_type: 'refresh_token', refresh_token: token.refresh_token ?? '', ...extra });
    const refuse = (token: TokenAnswer, client: Parameters<Realm['tokenRequest']>[0] = webClient) =>
      expectInvalidGrant(client, { grant_type: 'refresh_token', refresh_token: token.refresh_token ?? '' });

    it('gives new tokens of the same user, scope and time of sign-in', async () => {
      const first = await realm.tokens(webClient, grace);
      realm.advance(5_000);
      const second = await refresh(first);
      expect(second.refresh_token).not.toBe(first.refresh_token);
      expect(second).toMatchObject({ scope: first.scope, expires_in: 900, token_type: 'Bearer' });
      const [before, after] = [readClaims(first.access_token), readClaims(second.access_token)];
      expect(after).toMatchObject({ sub: before.sub, auth_time: before.auth_time, username: before.username });
      expect(after.jti).not.toBe(before.jti);
      // OpenID Connect Core 12.2
      const [idBefore, idAfter] = [readClaims(first.id_token ?? ''), readClaims(second.id_token ?? '')];
      expect(idAfter).toMatchObject({
        iss: idBefore.iss,
        sub: idBefore.sub,
        aud: idBefore.aud,
        auth_time: idBefore.auth_time,
      });
      expect(idAfter).not.toHaveProperty('nonce');
    });

    it('narrows the scope of the access token for once, and never widens it', async () => {
      const first = await realm.tokens(webClient, { ...grace, scope: 'openid profile email' });
      const narrow = await refresh(first, { scope: 'openid' });
      expect(narrow.scope).toBe('openid');
      const whole = await refresh(narrow);
      expect(whole.scope).toBe('openid profile email');
      const answer = await realm.tokenRequest(webClient, {
        grant_type: 'refresh_token',
        refresh_token: whole.refresh_token ?? '',
        scope: 'openid roles',
      });
      expect([answer.status, answer.json().error]).toEqual([400, 'invalid_scope']);
      expect((await refresh(whole)).scope).toBe('openid profile email');
    });

    it('leaves out a scope that the client was denied since, also where it is requested', async () => {
      const client = { ...webClient, client_id: 'narrowed' };
      await realm.register(client);
      const allow = async (...scope: string[]) => {
        const change = { basic: administrator, method: 'PATCH', json: { scope } };
        expect((await realm.send('/clients/narrowed', change)).status).toBe(200);
      };
      const use = (token: TokenAnswer, extra: Record<string, string> = {}) => {
        const form = { grant_type: 'refresh_token', refresh_token: token.refresh_token ?? '', ...extra };
        return realm.tokenRequest(client, form);
      };
      const first = await realm.tokens(client, { ...grace, scope: 'openid email profile' });
      await allow('openid', 'profile');
      const asked = await use(first, { scope: 'openid email' });
      expect([asked.status, asked.json().error]).toEqual([400, 'invalid_scope']);
      const second = (await use(first)).json<TokenAnswer>();
      expect(second.scope).toBe('openid profile');
      expect(readClaims(second.access_token).scope).toBe('openid profile');
      // What was granted comes back with what the client is allowed.
      await allow('openid', 'profile', 'email');
      expect((await use(second)).json<TokenAnswer>().scope).toBe('openid email profile');
    });

    it('answers a retry within 3 seconds with the same successor', async () => {
      const first = await realm.tokens(webClient, grace);
      const [second, again] = [await refresh(first), await refresh(first)];
      expect(again.refresh_token).toBe(second.refresh_token);
      await refresh(again);
    });

    it('ends the whole family, access tokens too, where a used token comes back after that', async () => {
      const first = await realm.tokens(webClient, grace);
      const second = await refresh(first);
      realm.advance(3_001);
      await refuse(first);
      await refuse(second);
      for (const { access_token } of [first, second]) expect(await introspect(access_token)).toEqual({ active: false });
    });

    it('ends the family where a token comes back whose successor was used', async () => {
      const first = await realm.tokens(webClient, grace);
      const third = await refresh(await refresh(first));
      await refuse(first);
      await refuse(third);
    });

    it('is refused to another client, which does not end it', async () => {
      const other = await realm.register({ ...webClient, client_id: 'other' });
      const first = await realm.tokens(webClient, grace);
      await refuse(first, other);
      await refresh(first);
    });

    it('is refused to a client that may not refresh', async () => {
      const first = await realm.tokens(webClient, grace);
      const answer = await realm.tokenRequest(machine, {
        grant_type: 'refresh_token',
        refresh_token: first.refresh_token ?? '',
      });
      expect(answer.json().error).toBe('unauthorized_client');
    });

    it('ends when the user is disabled, within one second, and stays ended', async () => {
      const first = await realm.tokens(webClient, grace);
      await organization.change(person.username, { enabled: false });
      await withinOneSecond(async () => {
        expect(await introspect(first.access_token)).toEqual({ active: false });
        expect((await realm.send('/oauth/userinfo', { bearer: first.access_token })).status).toBe(401);
      });
      await refuse(first);
      await expectInvalidGrant(webClient, grace);
      await organization.change(person.username, { enabled: true });
      await withinOneSecond(async () => void (await realm.tokens(webClient, grace)));
      await refuse(first);
    });

    it('ends when the user gets a new password', async () => {
      const first = await realm.tokens(webClient, grace);
      await organization.setPassword(person.username, 'grace-password-2');
      await withinOneSecond(async () => {
        expect(await introspect(first.access_token)).toEqual({ active: false });
        await expectInvalidGrant(webClient, grace);
      });
      await refuse(first);
      await organization.setPassword(person.username, grace.password);
    });

    it('ends when the user is deleted', async () => {
      await organization.create({ ...person, username: 'gone@example.com' });
      const first = await realm.tokens(webClient, { ...grace, username: 'gone@example.com' });
      await organization.delete('gone@example.com');
      await withinOneSecond(async () => expect(await introspect(first.access_token)).toEqual({ active: false }));
      await refuse(first);
    });

    it('lives 12 hours, and 30 days with offline access', async () => {
      const online = await realm.tokens(webClient, { ...user, scope: 'openid' });
      const offline = await realm.tokens(webClient, user);
      realm.advance(12 * 3_600_000);
      await refuse(online);
      await refresh(offline);
    });
  });
});
