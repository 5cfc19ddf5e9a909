import { call, createTestBrowser, type Gatehouse } from '@gatehouse/test-kit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import simpleOAuth2 from 'simple-oauth2';
import { getLocation, signIn } from './support/authorization.ts';
import { type Credentials, passwordKind, redirectUri, registerClient, serviceAccountKind } from './support/clients.ts';
import { accessTokenType, exchangerKind, tokenExchange } from './support/exchanges.ts';
import { plainUser } from './support/people.ts';
import { type ResourceView, registerResource } from './support/resources.ts';
import { describeSharedGatehouse } from './support/suite.ts';
import { getTokens, getUserTokens, isActive, postToken, readClaims } from './support/tokens.ts';
import { getUserDetails, userDetailsUrl } from './support/users.ts';

describeSharedGatehouse('client libraries', (getGatehouse) => {
  let gatehouse: Gatehouse;
  let app: Credentials;
  let machine: Credentials;
  let api: ResourceView;
  let apiClient: Credentials;
  /** A secret of characters that are written differently when form-encoded: libraries differ in whether they do. */
  const secret = 'p%2Bs+w o:r&d=/~?';

  beforeAll(async () => {
    gatehouse = getGatehouse();
    const scope = ['openid', 'profile', 'email', 'offline_access', 'roles'];
    app = await registerClient(gatehouse, passwordKind({ client_secret: secret, scope }));
    machine = await registerClient(gatehouse, serviceAccountKind({ client_secret: secret }));
    api = await registerResource(gatehouse);
    apiClient = await registerClient(gatehouse, {
      ...passwordKind({
        client_secret: secret,
        scope: ['openid', 'offline_access', ...api.scopes.map(({ name }) => name)],
      }),
      ...{ resources: [gatehouse.baseUrl, api.resource] },
    });
  });

  const readOwnDetails = async (accessToken: string) => {
    const answer = await getUserDetails(gatehouse, plainUser[0], accessToken);
    return [answer.status, answer.json().username];
  };

  describe.each(['oidc', 'oauth2'] as const)('openid-client, which discovers by %s,', (algorithm) => {
    const discover = (
      [clientId, clientSecret]: Credentials,
      authenticate: openid.ClientAuth = openid.ClientSecretBasic(clientSecret),
    ) =>
      openid.discovery(new URL(gatehouse.authUrl), clientId, undefined, authenticate, {
        algorithm,
        execute: [openid.allowInsecureRequests],
      });

    test('exchanges a token by its generic grant (RFC 8693)', async () => {
      const [scope = ''] = api.scopes.map(({ name }) => name);
      const exchanger = await registerClient(gatehouse, {
        ...exchangerKind([apiClient], [api.resource], [api], { client_secret: secret }),
        ...{ resources: [gatehouse.baseUrl, api.resource] },
      });
      const [username, password] = plainUser;
      const form = { grant_type: 'password', username, password, scope: `openid ${scope}`, resource: api.resource };
      const { access_token: token } = await getTokens(gatehouse, apiClient, form);
      const answer = await openid.genericGrantRequest(await discover(exchanger), tokenExchange, {
        ...{ subject_token: token, subject_token_type: accessTokenType, resource: api.resource },
      });
      expect(answer).toMatchObject({ issued_token_type: accessTokenType, token_type: 'bearer', scope });
      expect(readClaims(answer.access_token)).toMatchObject({
        ...{ sub: readClaims(token).sub, client_id: exchanger[0], act: { sub: exchanger[0] } },
      });
    });

    test('completes the authorization-code flow with PKCE, state and nonce, refreshes, reads userinfo', async () => {
      const config = await discover(app);
      const pkceCodeVerifier = openid.randomPKCECodeVerifier();
      const expectedState = openid.randomState();
      const expectedNonce = openid.randomNonce();
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid profile email offline_access',
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        state: expectedState,
        nonce: expectedNonce,
      });
      const callback = getLocation(await signIn(url.href));
      const tokens = await openid.authorizationCodeGrant(config, callback, {
        pkceCodeVerifier,
        expectedState,
        expectedNonce,
        idTokenExpected: true,
      });
      const subject = tokens.claims()?.sub ?? '';
      expect(tokens.expires_in).toBe(1800);
      expect(await readOwnDetails(tokens.access_token)).toEqual([200, plainUser[0]]);

      const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
      expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);
      expect(refreshed.claims()?.sub).toBe(subject);
      const userinfo = await openid.fetchUserInfo(config, refreshed.access_token, subject);
      expect(userinfo).toMatchObject({
        sub: subject,
        preferred_username: plainUser[0],
        name: 'Ursula User',
        email: 'user@example.com',
      });
    });

    test.each(['basic', 'post'])(
      'introspects and revokes tokens, authenticated by client_secret_%s',
      async (method) => {
        const authenticate = method === 'basic' ? openid.ClientSecretBasic(secret) : openid.ClientSecretPost(secret);
        const config = await discover(app, authenticate);
        const [username, password] = plainUser;
        const tokens = await openid.genericGrantRequest(config, 'password', { username, password, scope: 'profile' });
        const before = await openid.tokenIntrospection(config, tokens.access_token);
        expect(before).toMatchObject({ active: true, client_id: app[0], username, scope: 'profile' });
        await openid.tokenRevocation(config, tokens.access_token);
        expect(await openid.tokenIntrospection(config, tokens.access_token)).toEqual({ active: false });
      },
    );

    test('ends a whole grant by revoking its refresh token', async () => {
      const config = await discover(app);
      const tokens = await getUserTokens(gatehouse, app);
      await openid.tokenRevocation(config, tokens.refresh_token ?? '', { token_type_hint: 'refresh_token' });
      expect(await openid.tokenIntrospection(config, tokens.access_token)).toEqual({ active: false });
      await expect(openid.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({
        error: 'invalid_grant',
      });
    });

    test('obtains a token of the Robot by client_credentials, and calls org-api with it', async () => {
      const config = await discover(machine);
      const tokens = await openid.clientCredentialsGrant(config, { scope: 'roles' });
      const url = new URL(userDetailsUrl(gatehouse, 'robot@example.com'));
      const answer = await openid.fetchProtectedResource(config, tokens.access_token, url, 'GET');
      expect([answer.status, await answer.json()]).toMatchObject([200, { userType: 'Robot' }]);
    });

    test('asks for a resource, and for another one at the refresh (RFC 8707)', async () => {
      const config = await discover(apiClient);
      const pkceCodeVerifier = openid.randomPKCECodeVerifier();
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: `openid offline_access ${api.scopes[0]?.name}`,
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
      });
      for (const resource of [api.resource, gatehouse.baseUrl]) url.searchParams.append('resource', resource);
      const callback = getLocation(await signIn(url.href));
      const resource = api.resource;
      const tokens = await openid.authorizationCodeGrant(config, callback, { pkceCodeVerifier }, { resource });
      expect(readClaims(tokens.access_token)).toMatchObject({ aud: api.resource, scope: api.scopes[0]?.name });
      expect(tokens.claims()?.aud).toBe(apiClient[0]);
      const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '', {
        resource: gatehouse.baseUrl,
      });
      expect(readClaims(refreshed.access_token)).toMatchObject({
        aud: gatehouse.baseUrl,
        scope: 'openid offline_access',
      });
    });

    test('obtains a token by the grant type service_account', async () => {
      const config = await discover(machine);
      const tokens = await openid.genericGrantRequest(config, 'service_account', {});
      expect(readClaims(tokens.access_token)).toMatchObject({ username: 'robot@example.com' });
    });

    test('hears invalid_grant for a wrong password and invalid_client for a wrong secret', async () => {
      const config = await discover(app);
      const wrongPassword = { username: plainUser[0], password: 'not-it' };
      await expect(openid.genericGrantRequest(config, 'password', wrongPassword)).rejects.toMatchObject({
        error: 'invalid_grant',
        status: 400,
      });
      const stranger = await discover([machine[0], 'not-it'], openid.ClientSecretPost('not-it'));
      await expect(openid.clientCredentialsGrant(stranger)).rejects.toMatchObject({ status: 401 });
    });

    test('builds an end-session URL that ends the session at once', async () => {
      const config = await discover(app);
      const browser = createTestBrowser();
      const verifier = openid.randomPKCECodeVerifier();
      const challenge = await openid.calculatePKCECodeChallenge(verifier);
      const parameters = { redirect_uri: redirectUri, code_challenge: challenge, code_challenge_method: 'S256' };
      const url = openid.buildAuthorizationUrl(config, { ...parameters, scope: 'openid' }).href;
      const callback = getLocation(await signIn(url, plainUser, browser));
      const tokens = await openid.authorizationCodeGrant(config, callback, { pkceCodeVerifier: verifier });
      expect((await browser.get(url)).status).toBe(302);

      const endUrl = openid.buildEndSessionUrl(config, { id_token_hint: tokens.id_token ?? '' });
      const page = await browser.get(endUrl.href);
      expect([page.status, page.text]).toEqual([200, expect.stringContaining('signed out')]);
      expect((await browser.get(url)).status).toBe(200);
    });
  });

  describe('openid-client, for a public client,', () => {
    test('completes the authorization-code flow and the refresh without a secret', async () => {
      const grants = ['authorization_code', 'refresh_token'];
      const { client_secret: _none, ...fields } = passwordKind({ authorized_grant_types: grants });
      const [clientId] = await registerClient(gatehouse, fields);
      const config = await openid.discovery(new URL(gatehouse.authUrl), clientId, undefined, openid.None(), {
        execute: [openid.allowInsecureRequests],
      });
      const pkceCodeVerifier = openid.randomPKCECodeVerifier();
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid',
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
      });
      const callback = getLocation(await signIn(url.href));
      const tokens = await openid.authorizationCodeGrant(config, callback, { pkceCodeVerifier });
      const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
      expect(await readOwnDetails(refreshed.access_token)).toEqual([200, plainUser[0]]);
    });

    test('hears of the error that the authorization endpoint sends back', async () => {
      const config = await openid.discovery(new URL(gatehouse.authUrl), app[0], secret, undefined, {
        execute: [openid.allowInsecureRequests],
      });
      const url = openid.buildAuthorizationUrl(config, { redirect_uri: redirectUri, scope: 'openid', prompt: 'none' });
      const callback = getLocation(await call(url.href));
      await expect(openid.authorizationCodeGrant(config, callback)).rejects.toMatchObject({ error: 'login_required' });
    });
  });

  test('openid-client validates the id_token of the implicit flow, in a fragment and in a posted form', async () => {
    const [clientId] = await registerClient(gatehouse, passwordKind({ authorized_grant_types: ['implicit'] }));
    const config = await openid.discovery(new URL(gatehouse.authUrl), clientId, undefined, openid.None(), {
      execute: [openid.allowInsecureRequests, openid.useIdTokenResponseType],
    });
    const nonce = openid.randomNonce();
    const state = openid.randomState();
    const parameters = { redirect_uri: redirectUri, scope: 'openid email', nonce, state };
    const callback = getLocation(await signIn(openid.buildAuthorizationUrl(config, parameters).href));
    const claims = await openid.implicitAuthentication(config, callback, nonce, { expectedState: state });
    expect(claims).toMatchObject({ aud: clientId, email: 'user@example.com' });

    const url = openid.buildAuthorizationUrl(config, { ...parameters, response_mode: 'form_post' });
    const page = await signIn(url.href);
    expect(page.text).toContain(`action="${redirectUri}"`);
    const fields = [...page.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
    const body = new URLSearchParams(fields.map(([, name = '', value = '']) => [name, value]));
    const posted = new Request(redirectUri, { method: 'POST', body });
    const postedClaims = await openid.implicitAuthentication(config, posted, nonce, { expectedState: state });
    expect(postedClaims.sub).toBe(claims.sub);
  });

  describe('oauth4webapi', () => {
    const insecure = { [oauth.allowInsecureRequests]: true };
    let server: oauth.AuthorizationServer;
    let client: oauth.Client;
    const authenticate = oauth.ClientSecretBasic(secret);

    beforeAll(async () => {
      const issuer = new URL(gatehouse.authUrl);
      const answer = await oauth.discoveryRequest(issuer, insecure);
      server = await oauth.processDiscoveryResponse(issuer, answer);
      client = { client_id: app[0] };
    });

    test('completes the authorization-code flow, checks the ID token by the JWKS, reads userinfo, refreshes', async () => {
      const verifier = oauth.generateRandomCodeVerifier();
      const state = oauth.generateRandomState();
      const nonce = oauth.generateRandomNonce();
      const url = new URL(server.authorization_endpoint ?? '');
      url.search = new URLSearchParams({
        response_type: 'code',
        client_id: app[0],
        redirect_uri: redirectUri,
        scope: 'openid profile',
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      }).toString();
      const callback = oauth.validateAuthResponse(server, client, getLocation(await signIn(url.href)), state);
      const answer = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        authenticate,
        callback,
        redirectUri,
        verifier,
        insecure,
      );
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, {
        expectedNonce: nonce,
        requireIdToken: true,
      });
      await oauth.validateApplicationLevelSignature(server, answer, insecure);
      const subject = oauth.getValidatedIdTokenClaims(tokens)?.sub ?? '';
      const userinfo = await oauth.userInfoRequest(server, client, tokens.access_token, insecure);
      const claims = await oauth.processUserInfoResponse(server, client, subject, userinfo);
      expect(claims.preferred_username).toBe(plainUser[0]);

      const refresh = await oauth.refreshTokenGrantRequest(
        server,
        client,
        authenticate,
        tokens.refresh_token ?? '',
        insecure,
      );
      const refreshed = await oauth.processRefreshTokenResponse(server, client, refresh);
      expect(await readOwnDetails(refreshed.access_token)).toEqual([200, plainUser[0]]);
    });

    test('validates access tokens as RFC 9068 JWTs for org-api, and for no other audience', async () => {
      const { access_token: token } = await getUserTokens(gatehouse, app);
      const request = new Request(userDetailsUrl(gatehouse, plainUser[0]), {
        headers: { authorization: `Bearer ${token}` },
      });
      const claims = await oauth.validateJwtAccessToken(server, request, gatehouse.baseUrl, insecure);
      expect(claims).toMatchObject({ client_id: app[0], username: plainUser[0] });
      await expect(
        oauth.validateJwtAccessToken(server, request, 'https://elsewhere.example.com', insecure),
      ).rejects.toThrow();
    });

    test('obtains tokens by client_credentials and by password, introspects and revokes them', async () => {
      const robotClient = { client_id: machine[0] };
      const credentials = await oauth.processClientCredentialsResponse(
        server,
        robotClient,
        await oauth.clientCredentialsGrantRequest(server, robotClient, authenticate, {}, insecure),
      );
      expect(readClaims(credentials.access_token)).toMatchObject({ username: 'robot@example.com' });

      const [username, password] = plainUser;
      const tokens = await oauth.processGenericTokenEndpointResponse(
        server,
        client,
        await oauth.genericTokenEndpointRequest(
          server,
          client,
          authenticate,
          'password',
          { username, password },
          insecure,
        ),
      );
      const introspect = async () =>
        oauth.processIntrospectionResponse(
          server,
          client,
          await oauth.introspectionRequest(server, client, authenticate, tokens.access_token, insecure),
        );
      expect(await introspect()).toMatchObject({ active: true, username, token_type: 'Bearer' });
      const revocation = await oauth.revocationRequest(server, client, authenticate, tokens.access_token, insecure);
      await oauth.processRevocationResponse(revocation);
      expect(await introspect()).toEqual({ active: false });
    });

    test('finds the same metadata by RFC 8414', async () => {
      const issuer = new URL(gatehouse.authUrl);
      const answer = await oauth.discoveryRequest(issuer, { ...insecure, algorithm: 'oauth2' });
      expect(await oauth.processDiscoveryResponse(issuer, answer)).toEqual(server);
    });
  });

  describe('simple-oauth2', () => {
    const build = ([id, clientSecret]: Credentials) => ({
      client: { id, secret: clientSecret },
      auth: {
        tokenHost: gatehouse.authUrl,
        tokenPath: '/oauth/token',
        revokePath: '/oauth/revoke',
      },
    });

    test('completes the authorization-code flow, refreshes, and revokes everything', async () => {
      const { client, auth } = build(app);
      const grant = new simpleOAuth2.AuthorizationCode({
        client,
        auth: { ...auth, authorizePath: '/oauth/authorize' },
      });
      const url = grant.authorizeURL({ redirect_uri: redirectUri, scope: 'openid profile', state: 'the-state' });
      const code = getLocation(await signIn(url)).searchParams.get('code') ?? '';
      const tokens = await grant.getToken({ code, redirect_uri: redirectUri });
      expect(tokens.expired()).toBe(false);
      expect(await readOwnDetails(tokens.token.access_token)).toEqual([200, plainUser[0]]);

      const refreshed = await tokens.refresh();
      expect(await readOwnDetails(refreshed.token.access_token)).toEqual([200, plainUser[0]]);
      await refreshed.revokeAll();
      expect(await isActive(gatehouse, app, refreshed.token.access_token)).toBe(false);
      const form = { grant_type: 'refresh_token', refresh_token: refreshed.token.refresh_token ?? '' };
      expect((await postToken(gatehouse, { basic: app, form })).status).toBe(400);
    });

    test('obtains tokens by client_credentials', async () => {
      const grant = new simpleOAuth2.ClientCredentials(build(machine));
      const { token } = await grant.getToken({ scope: 'roles' });
      expect(readClaims(token.access_token)).toMatchObject({ username: 'robot@example.com', scope: 'roles' });
    });

    test('obtains tokens by password, and hears 400 where it is wrong', async () => {
      const grant = new simpleOAuth2.ResourceOwnerPassword(build(app));
      const [username, password] = plainUser;
      const { token } = await grant.getToken({ username, password });
      expect(await readOwnDetails(token.access_token)).toEqual([200, username]);
      await expect(grant.getToken({ username, password: 'not-it' })).rejects.toMatchObject({
        output: { statusCode: 400 },
        data: { payload: { error: 'invalid_grant' } },
      });
    });
  });
});
