import { createHash, randomBytes } from 'node:crypto';
import { type Role, roles } from '@gatehouse/shared';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeProtectedHeader, UnsecuredJWT } from 'jose';
import { createTokenIssue } from '../../src/grants/issue-tokens.ts';
import { createKeyEncryption } from '../../src/keys/key-encryption.ts';
import { createSigningKeys, type SigningKeys } from '../../src/keys/signing-keys.ts';
import { createServiceTokenIssuer } from '../../src/organization/service-token.ts';
import { createOrgApi } from '../../src/resources/org-api.ts';
import { createAccessTokens, standsForUser } from '../../src/tokens/access-token.ts';
import type { AccessTokenClaims } from '../../src/tokens/access-token-claims.ts';
import { createIdTokens } from '../../src/tokens/id-token.ts';
import { buildClient, buildGrant, buildUser, start } from '../support/builders.ts';
import { readClaims } from '../support/realm.ts';
import { openStores, silentLog, type TestStores } from '../support/stores.ts';

const issuer = 'https://auth.example.com';
const audience = 'https://api.example.com';
const seconds = start / 1000;
/** A resource other than org-api. */
const orders = { audience: 'https://orders.example.com/', scope: ['orders:read'], accessTokenValidity: 600 };

describe('issued JWTs', () => {
  let test: TestStores;
  let now = start;
  const clock = () => now;
  let signingKeys: SigningKeys;
  let accessTokens: ReturnType<typeof createAccessTokens>;
  let idTokens: ReturnType<typeof createIdTokens>;

  beforeAll(async () => {
    test = await openStores('sqlite');
    const encryption = createKeyEncryption(randomBytes(32));
    signingKeys = createSigningKeys({ signingKeys: test.signingKeys, encryption, clock, log: silentLog });
    await signingKeys.load();
    accessTokens = createAccessTokens({ signingKeys, issuer, orgApiUri: audience, clock });
    const orgApi = createOrgApi({ baseUrl: audience, extraScopes: [] });
    idTokens = createIdTokens({ signingKeys, issuer, orgApi, clock });
  });
  afterAll(() => test.close());

  describe('access token (RFC 9068 2)', () => {
    it('carries every claim of the contract for a user who signed in, and is at+jwt signed ES256', () => {
      const grant = buildGrant({ scope: ['openid', 'roles'] });
      const token = accessTokens.issue(grant);
      expect(decodeProtectedHeader(token)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) });
      expect(readClaims(token)).toEqual({
        iss: issuer,
        sub: grant.user?.id,
        sub_type: 'user',
        username: 'User@example.com',
        client_id: grant.client.clientId,
        aud: audience,
        iat: seconds,
        exp: seconds + 1800,
        jti: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        scope: 'openid roles',
        auth_time: seconds - 60,
        acr: 'urn:gatehouse:acr:password',
        amr: ['pwd'],
        roles: ['DirectoryReader'],
        grant_id: grant.grantId,
        password_changed_at: grant.user?.passwordChangedAt,
        status: { status_list: { idx: 7, uri: `${issuer}/oauth/status-lists/500000` } },
      });
    });

    it('names the key it is bound to (RFC 9449 6.1), and the claims that were asked for userinfo (Core 5.5)', () => {
      const claims = { idToken: ['email'], userinfo: ['name', 'locale'] };
      const token = accessTokens.issue(buildGrant({ dpopJkt: 'k'.repeat(43), claims }));
      expect(readClaims(token)).toMatchObject({ cnf: { jkt: 'k'.repeat(43) }, userinfo_claims: ['name', 'locale'] });
    });

    it('names the algorithms of its proofs where the profile of the client limits them (FAPI 2.0 5.4.1)', () => {
      const client = buildClient({ metadata: { profile: 'fapi2' } });
      const bound = { dpopJkt: 'k'.repeat(43) };
      expect(readClaims(accessTokens.issue(buildGrant({ client, ...bound })))).toMatchObject({
        dpop_signing_alg_values: ['ES256', 'PS256', 'Ed25519', 'EdDSA'],
      });
      for (const grant of [buildGrant(bound), buildGrant({ client })]) {
        expect(readClaims(accessTokens.issue(grant))).not.toHaveProperty('dpop_signing_alg_values');
      }
    });

    it('has a jti of its own', () => {
      const grant = buildGrant();
      const ids = Array.from({ length: 50 }, () => readClaims<AccessTokenClaims>(accessTokens.issue(grant)).jti);
      expect(new Set(ids).size).toBe(50);
    });

    it('names the roles only where scope roles was granted', () => {
      expect(readClaims(accessTokens.issue(buildGrant({ scope: ['openid', 'profile'] })))).not.toHaveProperty('roles');
    });

    it('carries the ceiling of its client where that is less than all roles, and the roles that are left', () => {
      const user = buildUser({ roles: ['SystemAdministrator', 'DirectoryReader'] });
      const issueUnder = (ceiling: Role[]) =>
        readClaims(accessTokens.issue(buildGrant({ user, client: buildClient({ ceiling }) })));
      const ceiling: Role[] = ['IdpAdministrator', 'DirectoryReader'];
      expect(issueUnder(ceiling)).toMatchObject({ ceiling, roles: ['DirectoryReader'] });
      expect(issueUnder([])).toMatchObject({ ceiling: [], roles: [] });
      expect(issueUnder([...roles])).not.toHaveProperty('ceiling');
    });

    it('carries a ceiling to another resource only in exchange for a token, as it may go on to one of org-api', () => {
      const client = buildClient({ ceiling: ['DirectoryReader'] });
      const subject = {
        sub: 'user-id',
        username: undefined,
        isThirdParty: false,
        administrationMaxAge: undefined,
        grantClientId: 'app',
        actor: { sub: client.clientId },
        expiresAt: seconds + 60,
      };
      expect(readClaims(accessTokens.issue(buildGrant({ client, target: orders })))).not.toHaveProperty('ceiling');
      expect(readClaims(accessTokens.issue(buildGrant({ client, target: orders, subject })))).toMatchObject({
        ceiling: ['DirectoryReader'],
      });
    });

    it('names a single claim that was asked for userinfo, and none to a resource other than org-api', () => {
      const claims = { idToken: [], userinfo: ['locale'] };
      expect(readClaims(accessTokens.issue(buildGrant({ claims })))).toMatchObject({ userinfo_claims: ['locale'] });
      expect(readClaims(accessTokens.issue(buildGrant({ claims, target: orders })))).not.toHaveProperty(
        'userinfo_claims',
      );
    });

    it.each([
      ['a user, by its sub_type', { sub_type: 'user' }, true],
      ['the client, by its sub_type', { sub_type: 'client', username: 'a name' }, false],
      ['a user whom it names, without a sub_type', { sub_type: undefined, username: 'user@example.com' }, true],
      ['the client where it names no user, without a sub_type', { sub_type: undefined, username: undefined }, false],
    ] as const)('stands for %s', (_whom, changes, isUser) => {
      const claims = readClaims<AccessTokenClaims>(accessTokens.issue(buildGrant()));
      expect(standsForUser({ ...claims, ...changes })).toBe(isUser);
    });

    it.each([
      ['names its user to a client that does not ask its users', {}, 'openid', true],
      ['names its user to a client that has to ask its users with profile', { require_consent: true }, 'profile', true],
      ['names its user to a client that has to ask its users with email', { require_consent: true }, 'email', true],
      ['names no user to a client that has to ask its users with neither', { require_consent: true }, 'openid', false],
    ])('%s', (_title, metadata, scope, isNamed) => {
      const grant = buildGrant({ client: buildClient({ metadata }), scope: [scope] });
      expect(readClaims<AccessTokenClaims>(accessTokens.issue(grant)).username !== undefined).toBe(isNamed);
    });

    it('names the token generation of its client from the second on', () => {
      const client = buildClient({ tokenGeneration: 2 });
      expect(readClaims(accessTokens.issue(buildGrant({ client })))).toMatchObject({ client_generation: 2 });
      expect(readClaims(accessTokens.issue(buildGrant()))).not.toHaveProperty('client_generation');
    });

    it('has the Robot as its subject, without auth_time', () => {
      const user = buildUser({ userType: 'Robot', username: 'robot@example.com', roles: [] });
      const claims = readClaims(accessTokens.issue(buildGrant({ user, authentication: undefined })));
      expect(claims).toMatchObject({ sub: user.id, username: 'robot@example.com', roles: [] });
      expect(claims).not.toHaveProperty('auth_time');
    });

    it('has the client as its subject where it acts for itself (RFC 9068 2.2)', () => {
      const client = buildClient({ clientId: 'machine' });
      const claims = readClaims(accessTokens.issue(buildGrant({ client, user: undefined, authentication: undefined })));
      expect(claims).toMatchObject({ sub: 'machine', sub_type: 'client', client_id: 'machine' });
      for (const name of ['username', 'auth_time', 'roles']) expect(claims).not.toHaveProperty(name);
      expect(readClaims(accessTokens.issue(buildGrant({ user: undefined })))).not.toHaveProperty('auth_time');
    });

    it('is in force until its last second has passed', async () => {
      const grant = buildGrant({ client: buildClient({ accessTokenValidity: 60 }) });
      const token = accessTokens.issue(grant);
      now = start + 59_999;
      expect(await accessTokens.verify(token)).toMatchObject({ grant_id: grant.grantId });
      now = start + 60_000;
      expect(await accessTokens.verify(token)).toBeUndefined();
      now = start;
    });

    it('is refused once its key is withdrawn, however often it was verified before', async () => {
      const token = accessTokens.issue(buildGrant());
      for (const _time of ['first', 'second']) expect(await accessTokens.verify(token)).toBeDefined();
      await test.database.execute('DELETE FROM signing_keys');
      await signingKeys.load();
      expect(await accessTokens.verify(token)).toBeUndefined();
      expect(await accessTokens.verify(accessTokens.issue(buildGrant()))).toBeDefined();
    });

    it('expires in as many seconds as the answer says, also where a second passes meanwhile', () => {
      let later = 0;
      const passing = () => {
        later += 1_000;
        return start + later;
      };
      const accessTokens = createAccessTokens({ signingKeys, issuer, orgApiUri: audience, clock: passing });
      const { issueTokens } = createTokenIssue({ accessTokens, idTokens, clock: passing });
      const answer = issueTokens(buildGrant({ endsAt: seconds + 600 }), undefined);
      const { exp, iat } = readClaims<AccessTokenClaims>(answer.access_token);
      expect([exp, answer.expires_in]).toEqual([seconds + 600, exp - iat]);
    });

    it('is answered without a scope where its resource has none', () => {
      const { issueTokens } = createTokenIssue({ accessTokens, idTokens, clock });
      const target = { ...orders, scope: [] };
      expect(issueTokens(buildGrant({ target }), undefined).scope).toBeUndefined();
    });

    it('comes without an ID token where no user signed in', () => {
      const { issueTokens } = createTokenIssue({ accessTokens, idTokens, clock });
      for (const absent of [{ user: undefined }, { authentication: undefined }]) {
        expect(issueTokens(buildGrant(absent), undefined)).not.toHaveProperty('id_token');
      }
    });

    it('is refused where it is of another kind, issuer or signature (RFC 9068 4)', async () => {
      const grant = buildGrant();
      const token = accessTokens.issue(grant);
      const claims = readClaims(token);
      const sign = (type: string, changes: object, algorithm: 'ES256' | 'RS256' = 'ES256') =>
        signingKeys.sign(algorithm, type, { ...claims, ...changes });
      expect(await accessTokens.verify(sign('at+jwt', {}))).toBeDefined();
      const forged = [
        sign('JWT', {}),
        sign('gatehouse-service+jwt', {}),
        sign('at+jwt', {}, 'RS256'),
        sign('at+jwt', { iss: 'https://evil.example.com' }),
        sign('at+jwt', { exp: undefined }),
        sign('at+jwt', { jti: undefined }),
        sign('at+jwt', { client_id: undefined }),
        idTokens.issue(grant),
        new UnsecuredJWT(claims).encode(),
        `${token.slice(0, -4)}AAAA`,
        `${token}x`,
        token.split('.').slice(0, 2).join('.'),
        '',
        'not-a-token',
      ];
      for (const candidate of forged)
        expect([candidate, await accessTokens.verify(candidate)]).toEqual([candidate, undefined]);
    });
  });

  describe('access token whose claims are signed, but of no type that they have', () => {
    const uri = `${issuer}/oauth/status-lists/500000`;
    const nestActors = (depth: number): object =>
      depth === 1 ? { sub: 'a' } : { sub: 'a', act: nestActors(depth - 1) };
    const issueWith = (changes: object) =>
      signingKeys.sign('ES256', 'at+jwt', { ...readClaims(accessTokens.issue(buildGrant())), ...changes });

    it.each([
      ['sub', undefined],
      ['aud', undefined],
      ['iat', undefined],
      ['client_id', 7],
      ['client_id', 'c'.repeat(256)],
      ['jti', 7],
      ['grant_id', undefined],
      ['grant_id', 7],
      ['scope', ['openid']],
      ['scope', 's'.repeat(2049)],
      ['status', undefined],
      ['status', 'none'],
      ['status', null],
      ['status', {}],
      ['status', { status_list: null }],
      ['status', { status_list: 7 }],
      ['status', { status_list: { idx: '7', uri } }],
      ['status', { status_list: { idx: 7 } }],
      ['sub_type', 7],
      ['username', {}],
      ['third_party', 'true'],
      ['ceiling', 'DirectoryReader'],
      ['ceiling', ['DirectoryReader', 7]],
      ['client_generation', 1.5],
      ['roles', {}],
      ['userinfo_claims', 'name'],
      ['act', 'a client'],
      ['act', {}],
      ['act', { sub: 7 }],
      ['act', { sub: 'c'.repeat(256) }],
      ['act', { sub: 'a', act: { sub: 'b', act: null } }],
      ['act', nestActors(6)],
      ['grant_client', 7],
      ['cnf', 'a key'],
      ['cnf', {}],
      ['cnf', null],
      ['dpop_signing_alg_values', 'PS256'],
      ['dpop_signing_alg_values', [7]],
      ['password_changed_at', '0'],
    ])('is refused: %s as %j', async (name, value) => {
      expect(await accessTokens.verify(issueWith({ [name]: value }))).toBeUndefined();
    });

    it.each([
      ['client_id', 'c'.repeat(255)],
      ['scope', 's'.repeat(2048)],
      ['third_party', true],
      ['ceiling', ['DirectoryReader']],
      ['client_generation', 2],
      ['roles', []],
      ['userinfo_claims', ['name']],
      ['act', { sub: 'c'.repeat(255) }],
      ['act', nestActors(5)],
      ['grant_client', 'a-client'],
      ['cnf', { jkt: 'k'.repeat(43) }],
      ['dpop_signing_alg_values', ['PS256']],
    ])('is taken where they have it: %s as %j', async (name, value) => {
      expect(await accessTokens.verify(issueWith({ [name]: value }))).toMatchObject({ [name]: value });
    });
  });

  describe('ID token (OpenID Connect Core 2)', () => {
    it('is RS256 and says who signed in, when, where and with which access token', () => {
      const grant = buildGrant();
      const accessToken = accessTokens.issue(grant);
      const token = idTokens.issue(grant, { accessToken });
      expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'RS256', typ: 'JWT' });
      expect(readClaims(token)).toEqual({
        iss: issuer,
        sub: grant.user?.id,
        aud: grant.client.clientId,
        iat: seconds,
        exp: seconds + 3600,
        auth_time: seconds - 60,
        acr: 'urn:gatehouse:acr:password',
        amr: ['pwd'],
        nonce: 'n-0S6_WzA2Mj',
        sid: grant.sessionId,
        // Core 3.1.3.6: the left half of SHA-256.
        at_hash: createHash('sha256').update(accessToken, 'ascii').digest().subarray(0, 16).toString('base64url'),
      });
      expect(readClaims<{ exp: number }>(token).exp).toBeGreaterThan(seconds);
    });

    it('is ES256 where the client says so', async () => {
      const client = buildClient({ metadata: { id_token_signed_response_alg: 'ES256' } });
      const token = idTokens.issue(buildGrant({ client }));
      expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'ES256', typ: 'JWT' });
      expect(await idTokens.findHint(token)).toMatchObject({ clientId: client.clientId });
    });

    it('holds the claims that were asked for it by name, also beside an access token (Core 5.5)', () => {
      const grant = buildGrant({ claims: { idToken: ['email', 'locale'], userinfo: ['name'] } });
      const claims = readClaims(idTokens.issue(grant, { accessToken: accessTokens.issue(grant) }));
      expect(claims).toMatchObject({ email: 'user@example.com', locale: 'en' });
      expect(claims).not.toHaveProperty('name');
    });

    it('leaves out nonce and sid where there are none', () => {
      const claims = readClaims(idTokens.issue(buildGrant({ nonce: undefined, sessionId: undefined })));
      expect(claims).not.toHaveProperty('nonce');
      expect(claims).not.toHaveProperty('sid');
    });

    it('holds the claims of the scopes where no access token comes with it (Core 5.4)', () => {
      const alone = idTokens.issue(buildGrant({ scope: ['openid', 'profile', 'email', 'roles'] }));
      expect(readClaims(alone)).toMatchObject({
        name: 'Ursula User',
        given_name: 'Ursula',
        family_name: 'User',
        preferred_username: 'User@example.com',
        email: 'user@example.com',
        roles: ['DirectoryReader'],
      });
      const bare = readClaims(idTokens.issue(buildGrant({ scope: ['openid'] })));
      for (const name of ['name', 'email', 'roles', 'at_hash']) expect(bare).not.toHaveProperty(name);
    });

    it('is not issued for a user who did not sign in', () => {
      for (const absent of [{ authentication: undefined }, { user: undefined }]) {
        expect(() => idTokens.issue(buildGrant(absent))).toThrow('an ID token needs a user who signed in');
      }
    });

    it('is understood as a hint, also when it has expired (Core 3.1.2.1)', async () => {
      const grant = buildGrant();
      const token = idTokens.issue(grant);
      const hint = { sub: grant.user?.id, sid: grant.sessionId, clientId: grant.client.clientId };
      expect(await idTokens.findHint(token)).toEqual(hint);
      now = start + 30 * 86_400_000;
      expect(await idTokens.findHint(token)).toEqual(hint);
      now = start;
    });

    it('is understood as a hint of no session where it names none', async () => {
      const grant = buildGrant({ sessionId: undefined });
      const hint = { sub: grant.user?.id, sid: undefined, clientId: grant.client.clientId };
      expect(await idTokens.findHint(idTokens.issue(grant))).toEqual(hint);
    });

    it('is no hint where it is longer than any that is read', async () => {
      const claims = readClaims(idTokens.issue(buildGrant()));
      expect(await idTokens.findHint(signingKeys.sign('RS256', 'JWT', { ...claims, long: 'x'.repeat(16_384) }))).toBe(
        undefined,
      );
    });

    it('is no hint where it is unsigned, changed, of another issuer, or an access token', async () => {
      const grant = buildGrant();
      const token = idTokens.issue(grant);
      const candidates = [
        new UnsecuredJWT(readClaims(token)).encode(),
        `${token.slice(0, -4)}AAAA`,
        signingKeys.sign('RS256', 'JWT', { ...readClaims(token), iss: 'https://evil.example.com' }),
        signingKeys.sign('RS256', 'JWT', { ...readClaims(token), aud: [grant.client.clientId] }),
        signingKeys.sign('RS256', 'JWT', { ...readClaims(token), sub: undefined }),
        signingKeys.sign('RS256', 'JWT', { ...readClaims(token), sid: 7 }),
        signingKeys.sign('RS256', 'at+jwt', readClaims(token)),
        signingKeys.sign('RS256', 'logout+jwt', readClaims(token)),
        accessTokens.issue(grant),
        'nonsense',
        '',
      ];
      for (const candidate of candidates) expect(await idTokens.findHint(candidate)).toBeUndefined();
    });
  });

  describe('service token', () => {
    const request = { method: 'POST', path: '/internal/directory/user-queries', body: '{"ids":["é"]}' };
    const issue = () => createServiceTokenIssuer({ signingKeys, issuer, baseUrl: audience, clock })(request);

    it('is short-lived, for one request, and of a type and an audience that no access token has', async () => {
      const token = issue();
      expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'ES256', typ: 'gatehouse-service+jwt' });
      expect(readClaims(token)).toEqual({
        iss: issuer,
        sub: issuer,
        aud: `${audience}/internal/directory`,
        iat: seconds,
        exp: seconds + 30,
        jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
        htm: 'POST',
        path: '/internal/directory/user-queries',
        digest: createHash('sha256').update(request.body, 'utf8').digest('base64url'),
      });
      expect(await accessTokens.verify(token)).toBeUndefined();
      expect(await idTokens.findHint(token)).toBeUndefined();
    });

    it('is another one for each request, also for the same', () => {
      expect(readClaims(issue()).jti).not.toBe(readClaims(issue()).jti);
    });
  });
});
